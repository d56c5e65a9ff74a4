// The flame view: a click on a box makes it as wide as the page, one on the lowest box puts all back.
"use strict";
document.querySelectorAll(".flame").forEach((flame) => {
  const boxes = [...flame.querySelectorAll(".box")];
  const place = (from, width) => boxes.forEach((box) => {
    const x = Number(box.dataset.x), w = Number(box.dataset.w);
    const left = Math.max((x - from) / width, 0), right = Math.min((x + w - from) / width, 1);
    box.hidden = right - left < 0.0005;
    box.style.left = 100 * left + "%";
    box.style.width = 100 * (right - left) + "%";
  });
  boxes.forEach((box) => box.addEventListener("click", () => place(Number(box.dataset.x), Number(box.dataset.w))));
  flame.addEventListener("dblclick", () => place(0, 1));
});
