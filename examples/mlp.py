"""The forward pass of a small network: a class that holds its weights, as people write them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from demo import show

import jitcore


def gelu(z):
    """Hendrycks and Gimpel's approximation by tanh."""
    return 0.5 * z * (1.0 + np.tanh(0.7978845608028654 * (z + 0.044715 * z * z * z)))


class Dense:
    def __init__(self, rng, inputs, outputs):
        self.weights = rng.normal(scale=inputs**-0.5, size=(inputs, outputs))
        self.bias = rng.normal(scale=0.1, size=outputs)

    def __call__(self, x):
        return x @ self.weights + self.bias


class Network:
    def __init__(self, rng, sizes):
        self.layers = [Dense(rng, a, b) for a, b in pairwise(sizes)]
        self.mean = rng.normal(size=sizes[0])
        self.spread = 1.0 + rng.random(sizes[0])

    @jitcore.compile
    def forward(self, x):
        h = (x - self.mean) / self.spread
        for layer in self.layers[:-1]:
            h = gelu(layer(h))
        scores = self.layers[-1](h)
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)


def main() -> None:
    rng = np.random.default_rng(0)
    network = Network(rng, (32, 48, 48, 10))
    x = rng.normal(size=(20_000, 32))
    show("MLP, 20000 samples through 32-48-48-10", Network.forward, lambda: (network, x))


if __name__ == "__main__":
    main()
