"""Kalman smoothing after four steps of expectation and maximisation (pykalman)."""

import numpy as np
from pykalman import KalmanFilter

ROUNDS = 8


def main():
    rng = np.random.RandomState(0)
    observed = np.cumsum(rng.randn(800, 2), 0)
    model = KalmanFilter(n_dim_obs=2, n_dim_state=4).em(observed, n_iter=4)
    means, covariances = model.smooth(observed)
    print(means.sum(), covariances.sum(), model.loglikelihood(observed))


for _ in range(ROUNDS):
    main()
