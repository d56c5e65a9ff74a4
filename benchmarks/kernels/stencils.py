"""Steps of partial differential equations on grids."""

import numpy as np

from benchmarks.registry import kernel, side


def square(n, rng):
    return rng.random((side(n), side(n)))


@kernel(lambda n, rng: (square(n, rng), np.zeros((side(n), side(n)))), writes=(1,))
def jacobi_step(u, new):
    new[1:-1, 1:-1] = 0.2 * (
        u[1:-1, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] + u[2:, 1:-1] + u[:-2, 1:-1]
    )
    return new


def cube(n, rng):
    """Rows, columns and few levels, as weather models have them."""
    levels = 8
    s = side(n // levels)
    return rng.random((s, s, levels)), rng.random((s, s, levels))


@kernel(cube, small=10, large=1_500_000)
def hdiff(field, weight):
    """Horizontal diffusion with a flux limiter, as in COSMO."""
    laplacian = 4.0 * field[1:-1, 1:-1] - (
        field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2]
    )
    along = laplacian[1:, 1:-1] - laplacian[:-1, 1:-1]
    along = np.where(along * (field[2:-1, 2:-2] - field[1:-2, 2:-2]) > 0.0, 0.0, along)
    across = laplacian[1:-1, 1:] - laplacian[1:-1, :-1]
    across = np.where(across * (field[2:-2, 2:-1] - field[2:-2, 1:-2]) > 0.0, 0.0, across)
    flux = along[1:] - along[:-1] + across[:, 1:] - across[:, :-1]
    return field[2:-2, 2:-2] - weight[2:-2, 2:-2] * flux


def columns(n, rng):
    return tuple(rng.random(n) + 1.0 for _ in range(6))


@kernel(columns, medium=12_000, large=1_000_000)
def vadv_level(wind, below, stage, now, tendency, c_below):
    """One level of the forward sweep of vertical advection: elementwise over a plane."""
    gav, gcv = -0.25 * (wind + below), 0.25 * (wind + 2.0 * below)
    a, c = gav * 0.5, gcv * 0.5
    b = 3.0 - a - c
    correction = -a * 0.5 * (stage - now) - c * 0.5 * (below - now)
    d = 3.0 * now + tendency + correction
    divided = 1.0 / (b - c_below * a)
    return c * divided, (d - stage * a) * divided


@kernel(lambda n, rng: (rng.random((side(n, 3),) * 3), 0.1))
def heat_3d_step(u, c):
    middle = u[1:-1, 1:-1, 1:-1]
    return middle + c * (
        u[2:, 1:-1, 1:-1]
        + u[:-2, 1:-1, 1:-1]
        + u[1:-1, 2:, 1:-1]
        + u[1:-1, :-2, 1:-1]
        + u[1:-1, 1:-1, 2:]
        + u[1:-1, 1:-1, :-2]
        - 6.0 * middle
    )


@kernel(lambda n, rng: tuple(square(n, rng) for _ in range(3)), writes=(0, 1, 2))
def fdtd_step(ex, ey, hz):
    ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
    ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
    hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def water(n, rng):
    h = 1.0 + 0.1 * square(n, rng)
    return h, 0.1 * h * square(n, rng), 0.1 * h * square(n, rng), 0.01


@kernel(water, large=1_400_000)
def shallow_water_step(h, hu, hv, rate):
    """Lax and Friedrichs' step for the shallow-water equations."""
    pressure = 4.905 * h * h
    uu, vv, uv = hu * hu / h + pressure, hv * hv / h + pressure, hu * hv / h

    def step(q, f, g):
        mean = 0.25 * (q[2:, 1:-1] + q[:-2, 1:-1] + q[1:-1, 2:] + q[1:-1, :-2])
        return mean - rate * (f[1:-1, 2:] - f[1:-1, :-2] + g[2:, 1:-1] - g[:-2, 1:-1])

    return step(h, hu, hv), step(hu, uu, uv), step(hv, uv, vv)


def people(n, rng):
    s, i = rng.uniform(0.5, 0.9, n), rng.uniform(0.0, 0.1, n)
    return s, i, 1.0 - s - i, 0.3, 0.1, 0.25


@kernel(people)
def sir_step(susceptible, infected, recovered, beta, gamma, dt):
    new = beta * susceptible * infected * dt
    healed = gamma * infected * dt
    return susceptible - new, infected + new - healed, recovered + healed
