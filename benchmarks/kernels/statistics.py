"""What is computed of samples: mostly reductions."""

import numpy as np

from benchmarks.registry import kernel


def samples(n, rng, width=16):
    width = min(width, 5 if n < 100 else width)
    return rng.normal(size=(max(2, n // width), width)) + 3.0


@kernel(lambda n, rng: (samples(n, rng),), large=4_000_000)
def z_scores(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


@kernel(lambda n, rng: (samples(n, rng, 256),), large=3_000_000)
def correlation(x):
    centred = (x - x.mean(axis=0)) / (x.std(axis=0) * np.sqrt(x.shape[0]))
    return centred.T @ centred


@kernel(lambda n, rng: (samples(n, rng, 256),), large=3_000_000)
def covariance(x):
    centred = x - x.mean(axis=0)
    return centred.T @ centred / (x.shape[0] - 1.0)


def weighted(n, rng):
    x = samples(n, rng, 64)
    return x, rng.uniform(0.5, 1.5, (x.shape[0], 1))


@kernel(weighted, large=5_000_000)
def weighted_statistics(x, w):
    total = w.sum(axis=0, keepdims=True)
    mean = (w * x).sum(axis=0, keepdims=True) / total
    variance = (w * (x - mean) ** 2).sum(axis=0, keepdims=True) / total
    return mean, np.sqrt(variance), (x - mean) / np.sqrt(variance)


@kernel(lambda n, rng: (rng.normal(size=n), 4))
def moving_average(x, width):
    sums = np.cumsum(x)
    return (sums[width:] - sums[:-width]) / width


@kernel(lambda n, rng: (rng.random(n), 64))
def histogram(x, bins):
    scaled = np.minimum((x * bins).astype(np.int64), bins - 1)
    return np.bincount(scaled, minlength=bins) / x.size


@kernel(lambda n, rng: (samples(n, rng, 64),), large=5_000_000)
def log_sum_exp(x):
    top = x.max(axis=1)
    return top + np.log(np.exp(x - top[:, None]).sum(axis=1))


@kernel(lambda n, rng: (rng.normal(size=n), rng.normal(size=n)), large=3_000_000)
def root_mean_square_error(a, b):
    return np.sqrt(((a - b) ** 2).mean())
