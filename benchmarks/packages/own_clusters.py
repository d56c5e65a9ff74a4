"""k-means and DBSCAN, written with NumPy alone."""

import numpy as np

ROUNDS = 18


def kmeans(points, k, rng, rounds=40):
    centres = points[rng.choice(len(points), k, replace=False)]
    for _ in range(rounds):
        distances = ((points[:, None, :] - centres[None]) ** 2).sum(-1)
        labels = distances.argmin(1)
        moved = np.array(
            [points[labels == j].mean(0) if (labels == j).any() else centres[j] for j in range(k)]
        )
        if np.allclose(moved, centres):
            break
        centres = moved
    return centres, labels


def near(points, i, reach):
    return np.flatnonzero(((points - points[i]) ** 2).sum(1) < reach * reach)


def dbscan(points, reach, least):
    labels = -np.ones(len(points), int)
    cluster = 0
    for i in range(len(points)):
        if labels[i] != -1:
            continue
        todo = list(near(points, i, reach))
        if len(todo) < least:
            continue
        labels[i] = cluster
        while todo:
            j = todo.pop()
            if labels[j] != -1:
                continue
            labels[j] = cluster
            more = near(points, j, reach)
            if len(more) >= least:
                todo.extend(more)
        cluster += 1
    return labels


def main():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(m, 0.5, (900, 3)) for m in (0, 3, 6)])
    for seed in range(12):
        centres, labels = kmeans(points, 6, np.random.default_rng(seed))
        print(centres.sum(), np.bincount(labels).tolist())
    print(np.bincount(dbscan(points, 0.5, 5) + 1).tolist())


for _ in range(ROUNDS):
    main()
