"""Learning that goes on until it is good enough, or for a number of epochs."""

import numpy as np

from benchmarks.registry import loop


def clusters(count, width, centres, rng):
    middles = rng.normal(size=(centres, width)) * 3.0
    points = middles[rng.integers(0, centres, count)] + rng.normal(size=(count, width))
    return points, points[:centres].copy()


@loop(clusters, small=(30, 2, 3), medium=(2000, 4, 8), large=(10_000, 4, 8), writes=(1,))
def kmeans(points, centres):
    """S. Lloyd's algorithm, until no point changes its cluster: labels and rounds."""
    labels = np.full(points.shape[0], -1)
    rounds = 0
    while True:
        distance = ((points[:, np.newaxis, :] - centres) ** 2).sum(axis=2)
        nearest = distance.argmin(axis=1)
        if (nearest == labels).all():
            return labels, rounds
        labels = nearest
        for k in range(centres.shape[0]):
            members = points[labels == k]
            if len(members) > 0:
                centres[k] = members.mean(axis=0)
        rounds += 1


def regression(samples, features, rng):
    x = rng.normal(size=(samples, features))
    y = x @ rng.normal(size=features) + 0.1 * rng.normal(size=samples)
    return x, y, 0.1, 1e-8


@loop(regression, small=(20, 3), medium=(1000, 20), large=(20_000, 32))
def gradient_descent(x, y, rate, tolerance):
    """Least squares: the weights, and steps until the gradient is flat."""
    w = np.zeros(x.shape[1])
    steps = 0
    while True:
        gradient = x.T @ (x @ w - y) / y.shape[0]
        if np.sqrt((gradient**2).sum()) < tolerance:
            break
        w = w - rate * gradient
        steps += 1
    return w, steps


def digits(samples, hidden, epochs, rng):
    labels = rng.integers(0, 10, samples)
    x = rng.normal(size=(samples, 64)) + np.eye(10, 64)[labels] * 3.0
    w1, w2 = rng.normal(size=(64, hidden)) * 0.1, rng.normal(size=(hidden, 10)) * 0.1
    return x, labels, w1, np.zeros(hidden), w2, np.zeros(10), 0.2, epochs, 64


@loop(
    digits,
    small=(100, 8, 2),
    medium=(2000, 32, 5),
    large=(8000, 64, 10),
    writes=(2, 3, 4, 5),
)
def mlp_training(x, labels, w1, b1, w2, b2, rate, epochs, batch):
    """A hidden layer of tanh, softmax and cross-entropy, batch by batch: the mean losses."""
    losses = []
    for _ in range(epochs):
        total = 0.0
        for start in range(0, x.shape[0], batch):
            inputs = x[start : start + batch]
            wanted = labels[start : start + batch]
            count = inputs.shape[0]
            hidden = np.tanh(inputs @ w1 + b1)
            scores = hidden @ w2 + b2
            e = np.exp(scores - scores.max(axis=1, keepdims=True))
            chances = e / e.sum(axis=1, keepdims=True)
            total -= np.log(chances[np.arange(count), wanted]).sum()

            error = chances.copy()
            error[np.arange(count), wanted] -= 1.0
            error /= count
            back = (error @ w2.T) * (1.0 - hidden * hidden)
            w2 -= rate * (hidden.T @ error)
            b2 -= rate * error.sum(axis=0)
            w1 -= rate * (inputs.T @ back)
            b1 -= rate * back.sum(axis=0)
        losses.append(total / x.shape[0])
    return np.array(losses)
