"""A self-organising map (MiniSom) of three clouds of points."""

import numpy as np
from minisom import MiniSom

ROUNDS = 14


def main():
    rng = np.random.RandomState(3)
    centres = ([0, 0, 0, 0], [3, 3, 0, 1], [0, 4, 4, 2])
    points = np.concatenate([rng.randn(120, 4) + centre for centre in centres])
    som = MiniSom(12, 12, 4, sigma=1.8, learning_rate=0.5, random_seed=7)
    som.pca_weights_init(points)
    som.train(points, 12000)
    print(som.quantization_error(points), som.topographic_error(points))
    print(som.distance_map().sum(), som.get_weights().sum())
    som = MiniSom(8, 8, 4, sigma=1.0, learning_rate=0.3, topology="hexagonal", random_seed=7)
    som.train_batch(points, 6000)
    print(som.quantization_error(points), som.activation_response(points).tolist())


for _ in range(ROUNDS):
    main()
