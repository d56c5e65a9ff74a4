"""What neural networks and clustering are made of."""

import numpy as np

from benchmarks.registry import kernel


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
