"""What moves, computed step by step."""

import numpy as np

from benchmarks.registry import loop


def track(steps, rng):
    """Positions as a bad sensor sees them; the model of constant speed, its noise, the sensor's."""
    truth = np.cumsum(np.cumsum(rng.normal(size=(steps, 2)) * 0.05, axis=0), axis=0)
    model = np.eye(4) + np.eye(4, k=2)
    seen = np.eye(2, 4)
    return truth + rng.normal(size=(steps, 2)), model, seen, 0.01 * np.eye(4), np.eye(2)


@loop(track, small=(5,), medium=(1000,), large=(8000,))
def kalman_filter(measured, model, seen, noise, error):
    """R. Kalman's filter: the states, estimated after each measurement."""
    states = np.zeros((measured.shape[0], 4))
    x = np.zeros(4)
    p = 10.0 * np.eye(4)
    for k in range(measured.shape[0]):
        x = model @ x
        p = model @ p @ model.T + noise
        spread = seen @ p @ seen.T + error
        gain = p @ seen.T @ np.linalg.inv(spread)
        x = x + gain @ (measured[k] - seen @ x)
        p = (np.eye(4) - gain @ seen) @ p
        states[k] = x
    return states


def lorenz(state, t):
    """E. Lorenz's three equations of 1963."""
    x, y, z = state
    return np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])


def runge_kutta_step(f, y, t, dt):
    k1 = f(y, t)
    k2 = f(y + 0.5 * dt * k1, t + 0.5 * dt)
    k3 = f(y + 0.5 * dt * k2, t + 0.5 * dt)
    k4 = f(y + dt * k3, t + dt)
    return y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


@loop(
    lambda steps, rng: (np.array([1.0, 1.0, 20.0]), 0.005, steps),
    small=(4,),
    medium=(1500,),
    large=(10_000,),
)
def runge_kutta(start, dt, steps):
    """The path, by the method of fourth order, of a function that the user gives."""
    path = np.zeros((steps + 1, 3))
    path[0] = start
    for k in range(steps):
        path[k + 1] = runge_kutta_step(lorenz, path[k], k * dt, dt)
    return path


def pendulum(angle, speed):
    return speed, -np.sin(angle) - 0.1 * speed


@loop(lambda steps, rng: (2.0, 0.0, 0.01, steps), small=(5,), medium=(5000,), large=(50_000,))
def runge_kutta_scalar(angle, speed, dt, steps):
    """The same method on two numbers, until the pendulum rests or the steps are over."""
    path = []
    for _ in range(steps):
        path.append(angle)
        a1, s1 = pendulum(angle, speed)
        a2, s2 = pendulum(angle + 0.5 * dt * a1, speed + 0.5 * dt * s1)
        a3, s3 = pendulum(angle + 0.5 * dt * a2, speed + 0.5 * dt * s2)
        a4, s4 = pendulum(angle + dt * a3, speed + dt * s3)
        angle += dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        speed += dt / 6.0 * (s1 + 2.0 * s2 + 2.0 * s3 + s4)
        if abs(angle) + abs(speed) < 1e-12:
            break
    return np.array(path)
