"""Pictures and cells, changed where they are."""

import numpy as np

from benchmarks.registry import loop


@loop(
    lambda side, steps, rng: ((rng.random((side, side)) < 0.3).astype(np.int8), steps),
    small=(6, 3),
    medium=(128, 100),
    large=(512, 360),
)
def game_of_life(cells, steps):
    """J. Conway's, on a torus."""
    for _ in range(steps):
        near = np.zeros_like(cells)
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                if down != 0 or right != 0:
                    near += np.roll(cells, (down, right), axis=(0, 1))
        cells = ((near == 3) | ((cells == 1) & (near == 2))).astype(np.int8)
    return cells


@loop(
    lambda rows, columns, rng: (rng.random((rows, columns)),),
    small=(5, 6),
    medium=(100, 120),
    large=(300, 400),
    writes=(0,),
)
def floyd_steinberg(picture):
    """Black and white of gray: each error is passed on to the neighbours to come."""
    rows, columns = picture.shape
    for i in range(rows):
        for j in range(columns):
            old = picture[i, j]
            new = 1.0 if old >= 0.5 else 0.0
            picture[i, j] = new
            error = old - new
            if j + 1 < columns:
                picture[i, j + 1] += error * 7 / 16
            if i + 1 < rows:
                if j > 0:
                    picture[i + 1, j - 1] += error * 3 / 16
                picture[i + 1, j] += error * 5 / 16
                if j + 1 < columns:
                    picture[i + 1, j + 1] += error * 1 / 16


@loop(
    lambda side, rng: (rng.random((side, side)) < 0.6,),
    small=(6,),
    medium=(80,),
    large=(400,),
)
def connected_cells(open_):
    """Each open cell's component, numbered from one, by flooding from a stack."""
    rows, columns = open_.shape
    labels = np.zeros((rows, columns), dtype=np.int64)
    count = 0
    for row in range(rows):
        for column in range(columns):
            if not open_[row, column] or labels[row, column]:
                continue
            count += 1
            labels[row, column] = count
            stack = [(row, column)]
            while stack:
                i, j = stack.pop()
                for y, x in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
                    if 0 <= y < rows and 0 <= x < columns and open_[y, x] and not labels[y, x]:
                        labels[y, x] = count
                        stack.append((y, x))
    return labels, count
