"""A graph as Graphviz's text, and as a picture where Graphviz is installed."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import jitcore
from jitcore.ir.parse import parse
from jitcore.report.graphviz import picture, quoted

X = np.linspace(-1.0, 2.0, 64)
HAS_DOT = pytest.mark.skipif(shutil.which("dot") is None, reason="there is no Graphviz")
SVG = "{http://www.w3.org/2000/svg}"
LOOP = """\
graph loop(%0: pyb1, %1: f8[10]) {
  %2: f8[10] = cond(%0) {
    %3: f8[10] = sqrt(%1)
    yield %3
  } else {
    yield %1
  }
  %4: f8[10] = for(5, %2) {
    (%5: pyi8, %6: f8[10]):
    %7: f8[10] = multiply(%6, %1)
    yield %7
  }
  %8: f8[10] = add(%4, 1)
  return %8
}"""


def half(x):
    y = np.sqrt(x * x + 1.0)
    print(end="")
    return y * 2 + np.exp(y)


def boxes(text: str) -> dict[str, str]:
    """Label → the box's name."""
    return {label: box for box, label in re.findall(r'^ +(\w+) \[label="(.*?)"', text, re.M)}


def arrows(text: str) -> set[tuple[str, str]]:
    names = {box: label.split(" = ")[0] for label, box in boxes(text).items()}
    return {(names[a], names[b]) for a, b in re.findall(r"^ +(\w+) -> (\w+)", text, re.M)}


def test_boxes_are_nodes_with_the_users_line() -> None:
    explanation = jitcore.explain(half)(X)
    text = explanation.picture().dot
    line = half.__code__.co_firstlineno + 1
    place = rf"\ntest_picture.py:{line} in half"
    assert list(boxes(text)) == [
        "%0: f8[64]",
        rf"%1: f8[64] = multiply(%0, %0){place}",
        rf"%2: f8[64] = add(%1, 1.0){place}",
        rf"%3: f8[64] = sqrt(%2){place}",
    ]
    found = arrows(text)
    assert found == {(f"%{k}: f8[64]", f"%{k + 1}: f8[64]") for k in range(3)}
    assert "exp(%0)" in explanation.picture(1).dot
    with pytest.raises(IndexError):
        explanation.picture(2)


def test_bodies_stand_in_frames() -> None:
    text = picture(parse(LOOP)).dot
    assert text.count("subgraph cluster_") == 5  # two nodes with bodies, three bodies
    assert [*re.findall(r'label="(if so|else|each round)"', text)] == [
        "if so",
        "else",
        "each round",
    ]
    assert arrows(text) == {
        ("%0: pyb1", "%2: f8[10]"),
        ("%1: f8[10]", "%3: f8[10]"),
        ("%1: f8[10]", "yield %1"),
        ("%2: f8[10]", "yield %3"),
        ("%2: f8[10]", "yield %1"),
        ("%3: f8[10]", "yield %3"),
        ("yield %3", "%4: f8[10]"),
        ("yield %1", "%4: f8[10]"),
        ("%4: f8[10]", "%5: pyi8"),
        ("%4: f8[10]", "%6: f8[10]"),
        ("%6: f8[10]", "%7: f8[10]"),
        ("%1: f8[10]", "%7: f8[10]"),
        ("%7: f8[10]", "yield %7"),
        ("yield %7", "%8: f8[10]"),
    }


def test_labels_are_safe() -> None:
    assert quoted('a "b" \\ c') == r'"a \"b\" \\ c"'
    assert quoted("a\nb\x00", "c") == r'"a?b?\nc"'
    assert quoted("x" * 100) == f'"{"x" * 57}..."'


def test_without_graphviz_it_says_what_to_install(monkeypatch, tmp_path: Path) -> None:
    drawing = picture(parse(LOOP))
    monkeypatch.setenv("PATH", str(tmp_path))
    for ask in (lambda: drawing.svg, lambda: drawing.save(tmp_path / "a.svg")):
        with pytest.raises(jitcore.JitcoreError, match="apt install graphviz"):
            ask()
    assert drawing._repr_svg_() is None
    assert drawing.dot.startswith("digraph {")
    assert [*tmp_path.iterdir()] == []


def test_what_graphviz_complains_of_is_told(monkeypatch, tmp_path: Path) -> None:
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\necho out of memory >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(jitcore.JitcoreError, match=r"dot -Tsvg: out of memory"):
        _ = picture(parse(LOOP)).svg
    with pytest.raises(jitcore.JitcoreError, match="no format"):
        picture(parse(LOOP)).save(tmp_path / "a.s-v-g")


@HAS_DOT
def test_graphviz_draws_it(tmp_path: Path) -> None:
    drawing = picture(parse(LOOP))
    texts = ["".join(one.itertext()) for one in ET.fromstring(drawing.svg).iter(f"{SVG}text")]
    assert "%3: f8[10] = sqrt(%1)" in texts and "each round" in texts
    assert drawing._repr_svg_() == drawing.svg
    assert drawing.save(tmp_path / "a.svg").read_text() == drawing.svg
    assert drawing.save(str(tmp_path / "a.png")).read_bytes().startswith(b"\x89PNG")
    with pytest.raises(jitcore.JitcoreError, match="nonsense"):
        drawing.save(tmp_path / "a.nonsense")
