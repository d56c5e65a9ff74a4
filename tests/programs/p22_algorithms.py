"""Algorithms that people write: arrays all through."""

import numpy as np
from support.arrays import b1, c16, f4, f8, i8, positive
from support.program import program


@program(
    lambda: (100.0, np.linspace(80, 120, 9), 0.5, 0.02, 0.3),
    lambda: (f4(3) + 100, 100.0, 1.0, 0.0, 0.2),
)
def black_scholes(spot, strike, years, rate, sigma):
    def cdf(z):
        t = 1 / (1 + 0.2316419 * abs(z))
        poly = t * (
            0.31938153
            + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)))
        )
        tail = np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * poly
        return np.where(z >= 0, 1 - tail, tail)

    root = sigma * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + sigma**2 / 2) * years) / root
    d2 = d1 - root
    return spot * cdf(d1) - strike * np.exp(-rate * years) * cdf(d2)


@program(lambda: (f8(6, 7), 3), lambda: (f4(5, 5), 2), lambda: (f8(6, 7), 40))
def heat_step(u, steps):
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    return u


@program(lambda: (f8(5, 5), 1e-1), lambda: (f8(5, 5), 1e-6))
def jacobi_until_it_settles(u, limit):
    rounds = 0
    change = np.inf
    while change > limit and rounds < 50:
        new = u.copy()
        new[1:-1, 1:-1] = (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]) / 4
        change = abs(new - u).max()
        u = new
        rounds += 1
    return u, rounds, change


@program(
    lambda: (f8(4, 3), f8(3, 5), f8(5), f8(5, 2), f8(2)),
    lambda: (f4(2, 3), f4(3, 4), f4(4), f4(4, 2), f4(2)),
)
def mlp_forward(x, w1, b1, w2, b2):
    h = np.maximum(x @ w1 + b1, 0)
    z = h @ w2 + b2
    z = z - z.max(axis=1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=1, keepdims=True)


@program(lambda: (f8(20, 2), f8(3, 2, seed=1)), lambda: (f8(20, 2), f8(3, 2) * 1000))
def k_means_step(points, centers):
    d = ((points[:, None, :] - centers[None, :, :]) ** 2).sum(axis=2)
    nearest = d.argmin(axis=1)
    new = centers.copy()
    for k in range(len(centers)):
        members = points[nearest == k]
        if len(members) == 0:
            print("empty cluster", k)
            continue
        new[k] = members.mean(axis=0)
    return new, nearest


@program(lambda: (f8(4, 6), f8(6), f8(6, seed=1)), lambda: (f4(4, 6), f4(6), f4(6, seed=1)))
def layer_norm(x, gain, bias):
    m = x.mean(axis=-1, keepdims=True)
    v = x.var(axis=-1, keepdims=True)
    return (x - m) / np.sqrt(v + 1e-5) * gain + bias


@program(lambda: (f8(2), 0.1, 5), lambda: (f8(2), 0.01, 30))
def runge_kutta(y, h, steps):
    def f(t, y):
        return np.array([y[1], -np.sin(y[0]) - 0.1 * y[1] + np.cos(t)])

    t = 0.0
    for _ in range(steps):
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
    return y, t


@program(
    lambda: (f8(5, 3), f8(5, 3, seed=1), positive(5), 0.01),
    lambda: (f4(3, 3), f4(3, 3, seed=1), positive(3), 0.1),
)
def n_body_step(pos, vel, mass, dt):
    delta = pos[None, :, :] - pos[:, None, :]
    d2 = (delta**2).sum(axis=-1) + 0.01
    np.fill_diagonal(d2, 1)
    acc = (delta * (mass[None, :] / d2**1.5)[..., None]).sum(axis=1)
    vel += acc * dt
    pos += vel * dt
    return 0.5 * (mass * (vel**2).sum(axis=1)).sum()


@program(lambda: (b1(8, 8), 2), lambda: (b1(6, 9, seed=2), 5))
def game_of_life(board, generations):
    for _ in range(generations):
        n = sum(
            np.roll(board.astype(int), (i, j), (0, 1))
            for i in (-1, 0, 1)
            for j in (-1, 0, 1)
            if (i, j) != (0, 0)
        )
        board = (n == 3) | (board & (n == 2))
    return board


@program(lambda: (8, 6, 12), lambda: (5, 9, 30))
def mandelbrot(w, h, limit):
    y, x = np.ogrid[-1.2 : 1.2 : h * 1j, -2 : 0.6 : w * 1j]
    c = x + 1j * y
    z = np.zeros_like(c)
    count = np.zeros(c.shape, int)
    for _ in range(limit):
        alive = abs(z) <= 2
        z[alive] = z[alive] ** 2 + c[alive]
        count += alive
    return count, z


@program(lambda: (f8(8),), lambda: (c16(16),), lambda: (f8(6),))
def fft_by_hand(x):
    n = len(x)
    if n == 1:
        return x.astype(complex)
    if n % 2:
        raise ValueError("the length is not a power of two", n)
    even, odd = fft_by_hand(x[::2]), fft_by_hand(x[1::2])
    t = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate([even + t, even - t])


@program(lambda: (f8(10, 4), 20), lambda: (f8(6, 3), 5))
def pca_power_iteration(x, rounds):
    x = x - x.mean(axis=0)
    c = x.T @ x / (len(x) - 1)
    v = np.ones(c.shape[0])
    for _ in range(rounds):
        v = c @ v
        v /= np.linalg.norm(v)
    return v, v @ c @ v


@program(lambda: (f8(4, 4), f8(4), 4), lambda: (f8(3, 3), f8(3), 25))
def gauss_seidel(a, b, rounds):
    a = a + np.eye(len(a)) * 10
    x = np.zeros(len(b))
    for _ in range(rounds):
        for i in range(len(b)):
            x[i] = (b[i] - a[i, :i] @ x[:i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


@program(
    lambda: (f8(12, 3), b1(12), np.zeros(3), 5), lambda: (f4(12, 3), b1(12), np.zeros(3, "f4"), 2)
)
def logistic_regression(x, y, w, steps):
    losses = []
    for _ in range(steps):
        p = 1 / (1 + np.exp(-(x @ w)))
        losses.append(float(-np.where(y, np.log(p), np.log(1 - p)).mean()))
        w = w - 0.1 * (x.T @ (p - y)) / len(y)
    return w, losses


@program(lambda: (f8(8),), lambda: (f8(30),))
def kalman_filter(measured):
    x, p = np.zeros(2), np.eye(2)
    f = np.array([[1, 1], [0, 1.0]])
    q, r = np.eye(2) * 0.01, 0.5
    out = []
    for z in measured:
        x = f @ x
        p = f @ p @ f.T + q
        k = p[:, 0] / (p[0, 0] + r)
        x = x + k * (z - x[0])
        p = p - np.outer(k, p[0])
        out.append(x[0])
    return np.array(out), p


@program(lambda: (f8(6, 7), f8(3, 3)), lambda: (i8(4, 4), i8(2, 2)))
def convolution_by_loops(image, kernel):
    h, w = kernel.shape
    out = np.zeros((image.shape[0] - h + 1, image.shape[1] - w + 1))
    for i in range(h):
        for j in range(w):
            out += kernel[i, j] * image[i : i + out.shape[0], j : j + out.shape[1]]
    return out


@program(lambda: (f8(30), 5), lambda: (f8(200), 12))
def histogram_by_hand(x, bins):
    low, high = x.min(), x.max()
    which = np.minimum(((x - low) / (high - low) * bins).astype(int), bins - 1)
    counts = np.zeros(bins, int)
    np.add.at(counts, which, 1)
    return counts


@program(lambda: (50,), lambda: (2,), lambda: (500,))
def sieve(n):
    prime = np.ones(n + 1, bool)
    prime[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if prime[i]:
            prime[i * i :: i] = False
    return np.flatnonzero(prime)


@program(lambda: (positive(5, 5),), lambda: (np.where(b1(6, 6), positive(6, 6), np.inf),))
def floyd_warshall(d):
    for k in range(len(d)):
        d = np.minimum(d, d[:, k, None] + d[None, k, :])
    return d


@program(lambda: (f8(4, 4),), lambda: (np.ones((3, 3)),))
def lu_with_pivots(a):
    n = len(a)
    order = np.arange(n)
    for k in range(n - 1):
        p = k + abs(a[k:, k]).argmax()
        if a[p, k] == 0:
            raise np.linalg.LinAlgError("singular")
        if p != k:
            a[[k, p]] = a[[p, k]]
            order[[k, p]] = order[[p, k]]
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return order


@program(
    lambda: (f8(10, 3), f8(10, 3, seed=1), f8(3), 2.0), lambda: (f4(10, 3), f4(10, 3), f4(3), 3.0)
)
def ray_sphere(origin, direction, center, radius):
    d = direction / np.linalg.norm(direction, axis=1)[:, None]
    oc = origin - center
    b = (oc * d).sum(axis=1)
    c = (oc * oc).sum(axis=1) - radius**2
    disc = b * b - c
    hit = disc > 0
    t = np.full(len(b), np.inf)
    t[hit] = -b[hit] - np.sqrt(disc[hit])
    return t, hit


@program(
    lambda: (np.where(b1(6, 6), 1, -1), positive(6, 6) / 5),
    lambda: (np.where(b1(4, 4), 1, -1), positive(4, 4)),
)
def ising_sweep(spin, noise):
    for color in (0, 1):
        mask = np.indices(spin.shape).sum(axis=0) % 2 == color
        field = (
            np.roll(spin, 1, 0) + np.roll(spin, -1, 0) + np.roll(spin, 1, 1) + np.roll(spin, -1, 1)
        )
        flip = mask & (np.exp(-2 * 0.4 * spin * field) > noise)
        spin[flip] *= -1
    return spin.sum()


@program(lambda: (f8(20), 0.1), lambda: (f8(5), 1.0))
def finite_differences(u, dx):
    d = np.empty_like(u)
    d[1:-1] = (u[2:] - u[:-2]) / (2 * dx)
    d[0], d[-1] = (u[1] - u[0]) / dx, (u[-1] - u[-2]) / dx
    return d, (u[2:] - 2 * u[1:-1] + u[:-2]) / dx**2


@program(lambda: (2.0, 1e-12), lambda: (np.float32(7), 1e-3), lambda: (0.0, 1e-3))
def newton_root(a, eps):
    x = a
    for n in range(60):
        step = (x * x - a) / (2 * x)
        x = x - step
        if abs(step) < eps:
            break
    else:
        print("no convergence")
    return x, n


@program(lambda: (np.array([1, 1, 2, 2, 2, 3, 1]),), lambda: (np.array([], int),), lambda: (f8(3),))
def run_length_encoding(x):
    if len(x) == 0:
        return []
    starts = np.flatnonzero(np.r_[True, x[1:] != x[:-1]])
    lengths = np.diff(np.r_[starts, len(x)])
    return list(zip(x[starts].tolist(), lengths.tolist()))


@program(
    lambda: (np.arange(5.0), f8(5), np.array([0.5, 2.5, 9])), lambda: (np.arange(3.0), f4(3), f8(4))
)
def linear_interpolation(x, y, at):
    i = np.clip(np.searchsorted(x, at) - 1, 0, len(x) - 2)
    t = (at - x[i]) / (x[i + 1] - x[i])
    return np.where((at < x[0]) | (at > x[-1]), np.nan, y[i] * (1 - t) + y[i + 1] * t)
