"""Perlin's noise (perlin-noise) on a grid: Python's own numbers, hardly an array."""

from perlin_noise import PerlinNoise

ROUNDS = 24
GRID = 60


def main():
    noise = PerlinNoise(octaves=4, seed=3)
    print(sum(noise([i / GRID, j / GRID]) for i in range(GRID) for j in range(GRID)))


for _ in range(ROUNDS):
    main()
