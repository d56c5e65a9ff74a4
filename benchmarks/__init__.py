"""Straight-line NumPy kernels, compiled and eager side by side: `make bench`."""
