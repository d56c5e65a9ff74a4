"""Flows in two dimensions: Navier and Stokes by finite differences and a pressure equation, and
shallow water. u is along x, the second axis; v is along y, the first."""

import numpy as np

from benchmarks.registry import loop


def ddx(f, dx):
    return (f[1:-1, 2:] - f[1:-1, :-2]) / (2.0 * dx)


def ddy(f, dy):
    return (f[2:, 1:-1] - f[:-2, 1:-1]) / (2.0 * dy)


def pressure_source(u, v, dx, dy, dt, rho):
    """What must be the Laplacian of the pressure, so that the next velocity has no divergence."""
    ux, uy, vx, vy = ddx(u, dx), ddy(u, dy), ddx(v, dx), ddy(v, dy)
    return rho * ((ux + vy) / dt - ux**2 - 2.0 * uy * vx - vy**2)


def relaxed(p, source, dx, dy):
    """One step of Jacobi for the pressure, inside."""
    across, along = dx * dx, dy * dy
    sums = (p[1:-1, 2:] + p[1:-1, :-2]) * along + (p[2:, 1:-1] + p[:-2, 1:-1]) * across
    return (sums - across * along * source) / (2.0 * (across + along))


def moved(f, u, v, dx, dy, dt, nu):
    """f after it was carried along upwind and has diffused, inside."""
    middle = f[1:-1, 1:-1]
    carried = u[1:-1, 1:-1] * dt / dx * (middle - f[1:-1, :-2])
    carried += v[1:-1, 1:-1] * dt / dy * (middle - f[:-2, 1:-1])
    spread = dt / dx**2 * (f[1:-1, 2:] - 2.0 * middle + f[1:-1, :-2])
    spread += dt / dy**2 * (f[2:, 1:-1] - 2.0 * middle + f[:-2, 1:-1])
    return middle - carried + nu * spread


def box(ny, nx):
    """Two arrays for the velocity, and steps of space and time."""
    dt = 0.1 / ((nx - 1) * (ny - 1))
    return np.zeros((ny, nx)), np.zeros((ny, nx)), 2.0 / (nx - 1), 2.0 / (ny - 1), dt


def cavity(ny, nx, steps, rounds, rng):
    u, v, dx, dy, dt = box(ny, nx)
    return u, v, np.zeros((ny, nx)), dx, dy, dt, 1.0, 0.1, steps, rounds


@loop(
    cavity,
    small=(7, 8, 3, 2),
    medium=(121, 121, 50, 10),
    large=(181, 181, 100, 10),
    writes=(0, 1, 2),
    npbench="cavity_flow",
)
def cavity_flow(u, v, p, dx, dy, dt, rho, nu, steps, rounds):
    """A box whose lid slides."""
    for _ in range(steps):
        source = pressure_source(u, v, dx, dy, dt, rho)
        for _ in range(rounds):
            p[1:-1, 1:-1] = relaxed(p, source, dx, dy)
            p[:, -1] = p[:, -2]
            p[0, :] = p[1, :]
            p[:, 0] = p[:, 1]
            p[-1, :] = 0.0
        un, vn = u.copy(), v.copy()
        u[1:-1, 1:-1] = moved(un, un, vn, dx, dy, dt, nu) - dt / rho * ddx(p, dx)
        v[1:-1, 1:-1] = moved(vn, un, vn, dx, dy, dt, nu) - dt / rho * ddy(p, dy)
        u[0, :] = 0.0
        u[:, 0] = 0.0
        u[:, -1] = 0.0
        u[-1, :] = 1.0
        v[0, :] = 0.0
        v[-1, :] = 0.0
        v[:, 0] = 0.0
        v[:, -1] = 0.0


def channel(ny, nx, rounds, parts, rng):
    """What flows has whirls at first."""
    u, v, dx, dy, dt = box(ny, nx)
    v[1:-1] = 0.01 * rng.normal(size=(ny - 2, nx))
    return u, v, np.ones((ny, nx)), dx, dy, dt, 1.0, 0.1, 1.0, rounds, 1.0 / parts


def around(f):
    """With the last column before the first, and the first behind the last."""
    return np.concatenate((f[:, -1:], f, f[:, :1]), axis=1)


@loop(
    channel,
    small=(7, 8, 2, 10),
    medium=(61, 61, 5, 1000),
    large=(81, 81, 5, 1000),
    writes=(0, 1, 2),
    npbench="channel_flow",
)
def channel_flow(u, v, p, dx, dy, dt, rho, nu, force, rounds, tolerance):
    """A force drives what is between two walls, without ends, until it hardly changes: steps."""
    steps = 0
    change = 1.0
    while change > tolerance:
        un, vn = around(u), around(v)
        source = pressure_source(un, vn, dx, dy, dt, rho)
        for _ in range(rounds):
            p[1:-1] = relaxed(around(p), source, dx, dy)
            p[-1] = p[-2]
            p[0] = p[1]
        pn = around(p)
        before = u.sum()
        u[1:-1] = moved(un, un, vn, dx, dy, dt, nu) - dt / rho * ddx(pn, dx) + force * dt
        v[1:-1] = moved(vn, un, vn, dx, dy, dt, nu) - dt / rho * ddy(pn, dy)
        change = (u.sum() - before) / u.sum()
        steps += 1
    return steps


def basin(n, steps, rng):
    y, x = np.ogrid[-n / 3 : 2 * n / 3 : n * 1j, -n / 3 : 2 * n / 3 : n * 1j]
    height = 1.0 + 0.2 * np.exp(-(x * x + y * y) / (0.02 * n * n))
    return height, np.zeros((n, n + 1)), np.zeros((n + 1, n)), 9.81, 1.0, 0.05, steps


@loop(
    basin,
    small=(8, 4),
    medium=(100, 200),
    large=(256, 250),
    writes=(0, 1, 2),
)
def shallow_water(h, u, v, gravity, dx, dt, steps):
    """Waves in a closed basin on Arakawa's C grid, forwards and backwards in turn; total mass."""
    mass = np.zeros(steps)
    for step in range(steps):
        u[:, 1:-1] -= gravity * dt / dx * (h[:, 1:] - h[:, :-1])
        v[1:-1, :] -= gravity * dt / dx * (h[1:, :] - h[:-1, :])
        across = np.zeros_like(u)
        along = np.zeros_like(v)
        across[:, 1:-1] = u[:, 1:-1] * np.where(u[:, 1:-1] > 0.0, h[:, :-1], h[:, 1:])
        along[1:-1, :] = v[1:-1, :] * np.where(v[1:-1, :] > 0.0, h[:-1, :], h[1:, :])
        h -= dt / dx * (across[:, 1:] - across[:, :-1] + along[1:, :] - along[:-1, :])
        mass[step] = h.sum()
    return mass
