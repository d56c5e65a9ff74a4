"""Kalman filters (FilterPy) of four states: a plain one, and an unscented one."""

import numpy as np
from filterpy.common import Q_discrete_white_noise
from filterpy.kalman import KalmanFilter, MerweScaledSigmaPoints, UnscentedKalmanFilter

ROUNDS = 12
STEP = 0.1


def moved(x, step):
    return np.array([x[0] + step * x[1], x[1], x[2] + step * np.sin(x[3]), x[3]])


def seen(x):
    return np.array([np.hypot(x[0], x[2]), np.arctan2(x[2], x[0])])


def plain(rng):
    tracker = KalmanFilter(dim_x=4, dim_z=2)
    tracker.F = np.kron(np.eye(2), [[1, STEP], [0, 1]])
    tracker.H = np.array([[1, 0, 0, 0], [0, 0, 1, 0]])
    tracker.P *= 50
    tracker.R *= 4
    tracker.Q = np.kron(np.eye(2), Q_discrete_white_noise(2, STEP, 0.1))
    for i in range(15000):
        tracker.predict()
        tracker.update(np.array([i * STEP, -i * STEP]) + rng.randn(2))
    print(tracker.x.tolist(), tracker.P.tolist(), tracker.log_likelihood)


def unscented(rng):
    points = MerweScaledSigmaPoints(4, 0.1, 2.0, -1.0)
    tracker = UnscentedKalmanFilter(4, 2, STEP, seen, moved, points)
    tracker.x = np.array([1.0, 1, 2, 0.1])
    tracker.R *= 0.1
    tracker.Q *= 0.01
    for i in range(2500):
        tracker.predict()
        tracker.update(np.array([5 + i * 0.01, 0.5]) + 0.1 * rng.randn(2))
    print(tracker.x.tolist(), tracker.P.tolist())


for _ in range(ROUNDS):
    numbers = np.random.RandomState(2)
    plain(numbers)
    unscented(numbers)
