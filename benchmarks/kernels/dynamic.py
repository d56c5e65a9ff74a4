"""Dynamic programming over two sequences."""

import numpy as np

from benchmarks.registry import loop


@loop(
    lambda n, rng: (rng.integers(0, 4, n), rng.integers(0, 4, n + n // 10)),
    small=(8,),
    medium=(250,),
    large=(700,),
)
def levenshtein(one, other):
    """The fewest insertions, deletions and replacements, by two rows in turn."""
    n = other.shape[0]
    above = np.arange(n + 1)
    row = np.zeros(n + 1, dtype=np.int64)
    for i in range(one.shape[0]):
        row[0] = i + 1
        for j in range(n):
            if one[i] == other[j]:
                row[j + 1] = above[j]
            else:
                row[j + 1] = 1 + min(above[j], above[j + 1], row[j])
        above, row = row, above
    return above[n]


def strands(n, rng):
    letters = np.array(list("ACGT"))
    one, other = rng.integers(0, 4, n), rng.integers(0, 4, n)
    return "".join(letters[one]), "".join(letters[other]), 1, -1, -2


@loop(strands, small=(8,), medium=(200,), large=(500,))
def needleman_wunsch(one, other, match, mismatch, gap):
    """The best score, and the two strings with gaps that have it."""
    rows, columns = len(one), len(other)
    score = np.zeros((rows + 1, columns + 1), dtype=np.int64)
    score[:, 0] = gap * np.arange(rows + 1)
    score[0, :] = gap * np.arange(columns + 1)
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            same = match if one[i - 1] == other[j - 1] else mismatch
            best = score[i - 1, j - 1] + same
            best = max(best, score[i - 1, j] + gap)
            score[i, j] = max(best, score[i, j - 1] + gap)

    left, right = [], []
    i, j = rows, columns
    while i > 0 or j > 0:
        if i > 0 and score[i, j] == score[i - 1, j] + gap:
            i -= 1
            left.append(one[i])
            right.append("-")
        elif j > 0 and score[i, j] == score[i, j - 1] + gap:
            j -= 1
            left.append("-")
            right.append(other[j])
        else:
            i, j = i - 1, j - 1
            left.append(one[i])
            right.append(other[j])
    return int(score[rows, columns]), "".join(reversed(left)), "".join(reversed(right))


@loop(
    lambda n, rng: (rng.integers(1, 50, n), rng.integers(1, 100, n), 10 * n),
    small=(5,),
    medium=(60,),
    large=(250,),
)
def knapsack(weights, values, capacity):
    """The most value that can be carried."""
    best = np.zeros(capacity + 1, dtype=np.int64)
    for k in range(len(weights)):
        weight, value = weights[k], values[k]
        for room in range(capacity, weight - 1, -1):
            best[room] = max(best[room], best[room - weight] + value)
    return best[capacity]
