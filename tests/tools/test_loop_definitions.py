"""Kernels of the loop half in benchmarks/ compute what they say: known answers and properties."""

from __future__ import annotations

import io
import itertools

import numpy as np
import pytest
from kernel_runs import run
from numpy.lib.stride_tricks import sliding_window_view

from benchmarks.kernels import (
    KERNELS,
    dynamic,
    fluids,
    grids,
    motion,
    physics,
    scalars,
    training,
    weather,
)
from benchmarks.kernels.transforms import crc16

close = np.testing.assert_allclose


def test_levenshtein() -> None:
    def codes(word: str) -> np.ndarray:
        return np.frombuffer(word.encode(), np.uint8)

    assert dynamic.levenshtein(codes("kitten"), codes("sitting")) == 3
    assert dynamic.levenshtein(codes("flaw"), codes("lawn")) == 2
    assert dynamic.levenshtein(codes(""), codes("abc")) == 3


def test_needleman_wunsch() -> None:
    one, other, match, mismatch, gap = run("needleman_wunsch").before
    score, left, right = run("needleman_wunsch").result
    assert (left.replace("-", ""), right.replace("-", "")) == (one, other)
    pairs = list(zip(left, right, strict=True))
    costs = [gap if "-" in pair else match if pair[0] == pair[1] else mismatch for pair in pairs]
    assert sum(costs) == score
    assert dynamic.needleman_wunsch("GATTACA", "GCATGCU", 1, -1, -1)[0] == 0


def test_knapsack() -> None:
    weights, values, capacity = run("knapsack").before
    chosen = (np.arange(2 ** len(weights))[:, np.newaxis] >> np.arange(len(weights))) & 1
    allowed = chosen @ weights <= capacity
    assert run("knapsack").result == (chosen @ values)[allowed].max()


def test_cavity() -> None:
    u, v, p = run("cavity_flow").after[:3]
    assert (u[-1] == 1.0).all()
    assert not u[:-1, 0].any() and not v[[0, -1]].any() and not p[-1].any()
    assert (p[0] == p[1]).all()


def test_channel() -> None:
    u, v, p, *rest = run("channel_flow").before
    v[:] = 0.0
    assert fluids.channel_flow(u, v, p, *rest) == 10
    assert not u[[0, -1]].any() and (u[1:-1] > 0.0).all()
    close(u, u[::-1], rtol=1e-9)
    close(u, np.broadcast_to(u[:, :1], u.shape), rtol=1e-9)
    close(v, 0.0, atol=1e-9)
    close(p, 1.0)
    u, v, p = run("channel_flow").after[:3]
    assert u[1:-1].std(axis=1).all() and v[1:-1].all() and p.std() > 0.0
    assert not u[[0, -1]].any() and not v[[0, -1]].any()


def test_water_stays() -> None:
    h = run("shallow_water").before[0]
    close(run("shallow_water").result, h.sum())
    assert (run("shallow_water").after[0] != h).any()


def test_mandelbrot() -> None:
    left, right, bottom, top, horizon, n, steps = run("mandelbrot_points").before
    by_points = run("mandelbrot_points").result
    for row, y in enumerate(np.linspace(bottom, top, n)):
        for column, x in enumerate(np.linspace(left, right, n)):
            z, step = 0j, 0
            while abs(z) <= horizon and step < steps:
                z, step = z * z + complex(x, y), step + 1
            assert by_points[row, column] == step
    function = KERNELS["mandelbrot_shrinking"].function
    last, escape = function(left, right, bottom, top, horizon, n, steps)
    assert (np.where(by_points == steps, escape, by_points) == escape).all()
    assert ((np.abs(last) > horizon) == (escape > 0)).all()
    function = KERNELS["mandelbrot_masked"].function
    _, escape = function(left, right, bottom, top, horizon, n, steps)
    assert (escape == np.where(by_points == steps, 0, by_points - 1)).all()


def test_julia() -> None:
    c, n, steps = run("julia").before
    axis = 3.0 * np.arange(n) / n - 1.5
    z = axis + 1j * axis[:, np.newaxis]
    escape = np.zeros(z.shape, int)
    for _ in range(steps):
        going = np.abs(z) <= 2.0
        escape += going
        z[going] = z[going] ** 2 + c
    assert (run("julia").result == escape).all()


def test_vertical_advection() -> None:
    stage, wind, vertical, now, tendency, rate = run("vadv").before
    mean = 0.125 * (vertical[1:] + vertical[:-1])
    for i, j in np.ndindex(stage.shape[:2]):
        up = np.append(mean[i, j, 1:], 0.0)
        down = -np.append(0.0, mean[i, j, 1:])
        slope = np.append(np.diff(wind[i, j]), 0.0)
        known = rate * now[i, j] + tendency[i, j] + stage[i, j] - up * slope
        known[1:] += down[1:] * slope[:-1]
        system = np.diag(rate - up - down) + np.diag(up[:-1], 1) + np.diag(down[1:], -1)
        wanted = rate * (np.linalg.solve(system, known) - now[i, j])
        close(run("vadv").after[0][i, j], wanted, rtol=1e-8)


def test_diffusion_keeps_what_is_flat() -> None:
    i, j, k = np.ogrid[:9, :8, :3]
    field = 2.0 * i - 3.0 * j + k
    out = np.zeros((5, 4, 3))
    weather.hdiff_in_place(field, out, np.ones(out.shape))
    close(out, field[2:-2, 2:-2])
    field = run("hdiff_in_place").before[0]
    assert (run("hdiff_in_place").after[1] != field[2:-2, 2:-2]).any()


def convolved(images: np.ndarray, weights: np.ndarray) -> np.ndarray:
    windows = sliding_window_view(images, weights.shape[:2], axis=(1, 2))
    return np.einsum("nijcyx,yxcf->nijf", windows, weights)


def test_convolution() -> None:
    images, weights, bias = run("conv2d").before
    close(run("conv2d").result, convolved(images, weights) + bias, rtol=1e-5)


def test_lenet() -> None:
    images, conv1, bias1, conv2, bias2, w1, b1, w2, b2, w3, b3 = run("lenet").before
    x = images
    for conv, bias in ((conv1, bias1), (conv2, bias2)):
        x = np.maximum(convolved(x, conv) + bias, 0.0)
        x = x.reshape(len(x), x.shape[1] // 2, 2, x.shape[2] // 2, 2, -1).max(axis=(2, 4))
    x = x.reshape(len(x), -1)
    x = np.maximum(np.maximum(x @ w1 + b1, 0.0) @ w2 + b2, 0.0) @ w3 + b3
    close(run("lenet").result, x, rtol=1e-4)


def test_resnet() -> None:
    def normal(x: np.ndarray) -> np.ndarray:
        return (x - x.mean(0)) / np.sqrt(x.std(0) + 1e-5)

    images, conv1, conv2, conv3 = run("resnet_block").before
    x = np.pad(convolved(images, conv1), ((0, 0), (1, 1), (1, 1), (0, 0))).astype(float)
    x = np.maximum(normal(x), 0.0)
    x = np.maximum(normal(convolved(x, conv2)), 0.0)
    wanted = np.maximum(normal(convolved(x, conv3)) + images, 0.0)
    close(run("resnet_block").result, wanted, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", ["softmax_heads", "mlp_forward"])
def test_chances(name: str) -> None:
    result = run(name).result
    assert (result >= 0.0).all()
    close(result.sum(axis=-1), 1.0, rtol=1e-5)
    if name == "softmax_heads":
        ratio = np.log(result[..., 0] / result[..., 1])
        close(ratio, run(name).before[0][..., 0] - run(name).before[0][..., 1], atol=1e-5)


def test_kmeans() -> None:
    points = run("kmeans").before[0]
    centres = run("kmeans").after[1]
    labels, rounds = run("kmeans").result
    distance = np.linalg.norm(points[:, np.newaxis] - centres, axis=2)
    assert rounds > 0 and (distance.argmin(axis=1) == labels).all()
    close(centres, [points[labels == k].mean(axis=0) for k in range(len(centres))])


def test_gradient_descent() -> None:
    x, y, _, _ = run("gradient_descent").before
    close(run("gradient_descent").result[0], np.linalg.lstsq(x, y)[0], rtol=1e-6)


def test_the_backward_pass() -> None:
    """A step of one batch goes down the slope, which the loss itself tells."""
    x, labels, *weights, _, _, _ = KERNELS["mlp_training"].arguments("small")
    trained = [w.copy() for w in weights]
    training.mlp_training(x, labels, *trained, 1.0, 1, len(x))
    for k, w in enumerate(weights):
        at = np.unravel_index(w.size // 2, w.shape)
        losses = []
        for nudge in (-1e-6, 1e-6):
            nudged = [v.copy() for v in weights]
            nudged[k][at] += nudge
            losses += list(training.mlp_training(x, labels, *nudged, 0.0, 1, len(x)))
        close((w - trained[k])[at], (losses[1] - losses[0]) / 2e-6, rtol=1e-4, atol=1e-7)


def test_stars() -> None:
    kinetic, potential = run("nbody").result
    mass, position, velocity = run("nbody").after[:3]
    close((mass * velocity).sum(axis=0), 0.0, atol=1e-9)
    pairs = [(i, j) for i in range(len(mass)) for j in range(i)]
    distances = [np.linalg.norm(position[i] - position[j]) for i, j in pairs]
    close(potential[-1], -sum(mass[0, 0] ** 2 / d for d in distances))
    close(kinetic[-1], 0.5 * (mass * velocity**2).sum())
    force = physics.acceleration(position, mass, 1.0, 0.1)
    apart = position - position[0]
    pull = mass * apart / ((apart**2).sum(axis=1, keepdims=True) + 0.01) ** 1.5
    close(force[0], pull.sum(axis=0))


def test_spins() -> None:
    spins, chances, _ = KERNELS["metropolis"].arguments("small")
    before = spins.copy()
    physics.metropolis(spins, chances, 0.0)
    assert (spins == before * (-1) ** len(chances)).all()
    up = np.ones((4, 4), int)
    assert (physics.metropolis(up, np.full((2, 4, 4), 0.5), 5.0) == 1.0).all()


def test_contour() -> None:
    slabs, points, vectors = run("contour_integral").before
    zeroth, first = 0.0, 0.0
    for z in points:
        inverse = np.linalg.inv(z * slabs[0] + slabs[1] + slabs[2] / z) @ vectors
        sign = -1.0 if abs(z) < 1.0 else 1.0
        zeroth, first = zeroth + sign * inverse, first + sign * z * inverse
    close(run("contour_integral").result[0], zeroth)
    close(run("contour_integral").result[1], first)


def test_self_energies() -> None:
    neighbours, gradient, electrons, phonons, _ = run("scattering_self_energies").before
    sigma = 0.0
    for w in range(phonons.shape[1]):
        moved = np.zeros((*electrons.shape[:2], *neighbours.shape, *electrons.shape[3:]), complex)
        moved[:, w:] = electrons[:, : electrons.shape[1] - w, neighbours]
        sides = (moved, gradient, gradient, phonons[:, w])
        sigma = sigma + np.einsum("keabmn,abino,abjop,qabij->keamp", *sides)
    close(run("scattering_self_energies").after[4], sigma)


@pytest.mark.parametrize("radix, stages", [(2, 5), (3, 3), (4, 2)])
def test_fourier(radix: int, stages: int) -> None:
    kernel = KERNELS["stockham_fft"]
    args = kernel.inputs(radix, stages, np.random.default_rng(1))
    kernel.function(*args)
    close(args[3], np.fft.fft(args[2]), atol=1e-9)


def test_crc() -> None:
    """The check value of CRC-16/X-25 is 0x906E."""
    assert crc16(np.frombuffer(b"123456789", np.uint8)) == 0x6E90


def test_rings() -> None:
    values, radius, rings = run("azimuthal_rings").before
    edges = radius.max() * np.arange(rings + 1) / rings
    inside = [(radius >= a) & (radius < b) for a, b in itertools.pairwise(edges)]
    close(run("azimuthal_rings").result, [values[m].mean() for m in inside])
    values, radius, rings = run("azimuthal_histogram").before
    edges = np.linspace(radius.min(), radius.max(), rings + 1)
    which = np.minimum(np.searchsorted(edges, radius, "right") - 1, rings - 1)
    wanted = [values[which == ring].mean() for ring in range(rings)]
    close(run("azimuthal_histogram").result, wanted)


def test_array_expressions() -> None:
    theta1, phi1, theta2, phi2 = run("arc_distance").before
    cosine = np.sin(theta1) * np.sin(theta2) + np.cos(theta1) * np.cos(theta2) * np.cos(phi1 - phi2)
    close(run("arc_distance").result, np.arccos(cosine), rtol=1e-6)
    a, b, x, y, z = run("clipped_sum").before
    assert (run("clipped_sum").result == np.minimum(np.maximum(a, 2), 10) * x + b * y + z).all()
    (a,) = run("go_fast").before
    close(run("go_fast").result, a + np.tanh(np.diag(a)).sum())


@pytest.mark.parametrize("name", ["spmv", "spmv_scalar"])
def test_sparse(name: str) -> None:
    starts, columns, values, x = run(name).before
    whole = np.zeros((len(x), len(x)))
    whole[np.repeat(np.arange(len(x)), np.diff(starts.astype(int))), columns] = values
    close(run(name).result, whole @ x)


def test_pagerank() -> None:
    sources, targets, pages, damping, _ = run("pagerank").before
    rank, steps = run("pagerank").result
    whole = np.zeros((pages, pages))
    np.add.at(whole, (targets, sources), 1.0)
    whole /= whole.sum(axis=0)
    close(damping * whole @ rank + (1.0 - damping) / pages, rank, rtol=1e-8)
    assert steps > 1


def test_life() -> None:
    cells = np.zeros((6, 6), np.int8)
    cells[[0, 1, 2, 2, 2], [1, 2, 0, 1, 2]] = 1
    assert (grids.game_of_life(cells, 4) == np.roll(cells, (1, 1), (0, 1))).all()
    assert not grids.game_of_life(np.eye(1, 36, dtype=np.int8).reshape(6, 6), 1).any()


def test_dithering() -> None:
    picture = np.full((8, 8), 0.5)
    grids.floyd_steinberg(picture)
    assert set(picture.ravel()) == {0.0, 1.0}
    assert abs(picture.mean() - 0.5) < 0.1
    one = np.array([[0.6, 0.1], [0.4, 0.3]])
    grids.floyd_steinberg(one)
    assert one.tolist() == [[1.0, 0.0], [0.0, 0.0]]


def test_components() -> None:
    cells = np.array([[1, 0, 1], [1, 0, 1], [0, 0, 1], [1, 1, 0]], bool)
    labels, count = grids.connected_cells(cells)
    assert count == 3
    assert labels.tolist() == [[1, 0, 2], [1, 0, 2], [0, 0, 2], [3, 3, 0]]


def test_numbers() -> None:
    assert scalars.prime_sieve(30).tolist() == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
    assert scalars.collatz(20) == (18, 20)
    (x,) = run("running_statistics").before
    mean, variance, least, most, where = run("running_statistics").result
    close((mean, variance), (x.mean(), x.var(ddof=1)))
    assert (least, most, where) == (x.min(), x.max(), x.argmax())
    values, wanted = run("binary_search").before
    at = np.searchsorted(values, wanted).clip(max=len(values) - 1)
    assert (run("binary_search").result == np.where(values[at] == wanted, at, -1)).all()


def test_loops_of_scalars() -> None:
    file = io.StringIO()
    assert scalars.scalar_loop_print(100, 10, file) == scalars.scalar_loop(100)
    assert file.getvalue().count("\n") == 10
    state = 1
    for _ in range(100):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
    assert scalars.scalar_loop(100)[0] == state


def test_kalman() -> None:
    """What moves at constant speed is found, the speed too."""
    _, model, seen, noise, error = run("kalman_filter").before
    speed = np.array([0.5, -0.25])
    measured = np.arange(1.0, 201.0)[:, np.newaxis] * speed
    states = motion.kalman_filter(measured, model, seen, noise, error)
    close(states[-1], [*measured[-1], *speed], atol=1e-3)


def test_runge_kutta() -> None:
    """Half the step leaves a sixteenth of the error."""
    start = np.array([1.0, 1.0, 20.0])
    ends = [motion.runge_kutta(start, 0.2 / n, n)[-1] for n in (20, 40, 640)]
    one, two = (np.abs(end - ends[2]).max() for end in ends[:2])
    assert 12.0 < one / two < 20.0

    def both(state: np.ndarray, t: float) -> np.ndarray:
        return np.array(motion.pendulum(*state))

    state, angles = np.array([2.0, 0.0]), []
    for _ in range(5):
        angles.append(state[0])
        state = motion.runge_kutta_step(both, state, 0.0, 0.01)
    close(run("runge_kutta_scalar").result, angles)
