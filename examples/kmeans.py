"""k-means until it settles: a loop with a data-dependent end and a print in it."""

from __future__ import annotations

import numpy as np
from demo import show

import jitcore


@jitcore.compile
def kmeans(points, centres, most):
    for step in range(most):
        dx = points[:, 0:1] - centres[:, 0]
        dy = points[:, 1:2] - centres[:, 1]
        distance = np.sqrt(dx * dx + dy * dy)
        label = distance.argmin(axis=1)
        moved = np.array([points[label == k].mean(axis=0) for k in range(len(centres))])
        shift = np.abs(moved - centres).max()
        centres = moved
        if step % 10 == 0:
            print("step", step, "shift", shift)
        if shift < 1e-3:
            break
    return centres, label


def main() -> None:
    rng = np.random.default_rng(1)
    points = rng.random((100_000, 2))
    show("k-means, 100000 points, 8 centres", kmeans, lambda: (points, points[:8].copy(), 20), 3)


if __name__ == "__main__":
    main()
