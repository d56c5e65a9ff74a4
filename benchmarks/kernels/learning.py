"""What neural networks and clustering are made of."""

import itertools

import numpy as np

from benchmarks.registry import kernel, side


def rows(n, rng, width=64, dtype=np.float64):
    """About n elements as rows of at most `width`."""
    width = min(width, n)
    return rng.normal(size=(max(1, n // width), width)).astype(dtype)


@kernel(lambda n, rng: (rows(n, rng),))
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@kernel(lambda n, rng: (rows(n, rng, dtype=np.float32),), large=4_000_000)
def softmax_f32(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def normed(n, rng, dtype=np.float64):
    x = rows(n, rng, 256, dtype)
    return x, np.ones(x.shape[-1], dtype), np.zeros(x.shape[-1], dtype)


@kernel(normed)
def layer_norm(x, gain, bias):
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + 1e-5) * gain + bias


@kernel(lambda n, rng: normed(n, rng, np.float32), large=4_000_000)
def layer_norm_f32(x, gain, bias):
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + 1e-5) * gain + bias


@kernel(lambda n, rng: (rng.normal(size=n),))
def gelu(x):
    return 0.5 * x * (1.0 + np.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


@kernel(lambda n, rng: (rng.normal(size=n).astype(np.float32),), large=4_000_000)
def gelu_f32(x):
    return 0.5 * x * (1.0 + np.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


def layers(n, rng):
    samples = max(1, n // 32)
    sizes = (32, 48, 48, 10)
    weights = [rng.normal(size=shape) * 0.2 for shape in itertools.pairwise(sizes)]
    return rng.normal(size=(samples, 32)), *weights, np.zeros(48), np.zeros(48), np.zeros(10)


@kernel(layers, large=1_000_000)
def mlp(x, w1, w2, w3, b1, b2, b3):
    x = np.maximum(x @ w1 + b1, 0.0)
    x = np.maximum(x @ w2 + b2, 0.0)
    x = x @ w3 + b3
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def heads(n, rng):
    length = 64 if n > 1000 else 4
    width = 32 if n > 1000 else 2
    shape = (max(1, n // (length * width)), length, width)
    return tuple(rng.normal(size=shape) for _ in range(3))


@kernel(heads, large=600_000)
def attention(q, k, v):
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ v


def tokens(n, rng):
    width = 64 if n > 1000 else 4
    angles = rng.uniform(0.0, 6.0, (max(1, n // width), width // 2))
    return rng.normal(size=(max(1, n // width), width)), np.cos(angles), np.sin(angles)


@kernel(tokens)
def rotary_embedding(x, cos, sin):
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)


@kernel(
    lambda n, rng: (rng.normal(size=(side(n), 32)), rng.normal(size=(side(n), 32))),
    medium=40_000,
)
def cosine_similarity(a, b):
    a = a / np.sqrt((a * a).sum(axis=1, keepdims=True))
    b = b / np.sqrt((b * b).sum(axis=1, keepdims=True))
    return a @ b.T


def points(n, rng):
    count = max(1, n // 2)
    return rng.normal(size=(count, 2)), rng.normal(size=(8, 2))


@kernel(points, medium=8_192, large=600_000)
def kmeans_assign(x, centres):
    distance = ((x[:, None, :] - centres[None, :, :]) ** 2).sum(axis=-1)
    return distance.argmin(axis=1)
