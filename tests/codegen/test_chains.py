"""Kernels that feed one another by shifted views: in bands and panels, with NumPy's bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from codegen_harness import assert_same, build, by_numpy, compare, groups_of, run
from codegen_values import tame, wild

import jitcore
from jitcore.config import Config
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import Builder, Node, Value
from jitcore.ir.ops.array import GETITEM
from jitcore.kernels.chains import chain_c, stencil
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.kernel import kernel, source_of
from jitcore.kernels.view_offsets import placed
from jitcore.passes.chain import chained
from jitcore.passes.window import fused

pytestmark = pytest.mark.by_turns

Array = np.ndarray[Any, Any]


def diffusion(f: Array, w: Array) -> Array:
    lap = 4 * f[1:-1, 1:-1] - (f[2:, 1:-1] + f[:-2, 1:-1] + f[1:-1, 2:] + f[1:-1, :-2])
    along = lap[1:, 1:-1] - lap[:-1, 1:-1]
    along = np.where(along * (f[2:-1, 2:-2] - f[1:-2, 2:-2]) > 0, 0, along)
    across = lap[1:-1, 1:] - lap[1:-1, :-1]
    across = np.where(across * (f[2:-2, 2:-1] - f[2:-2, 1:-2]) > 0, 0, across)
    return f[2:-2, 2:-2] - w[2:-2, 2:-2] * (along[1:] - along[:-1] + across[:, 1:] - across[:, :-1])


def edges_that_nobody_reads(f: Array, w: Array) -> Array:
    """Their flags are raised all the same."""
    inverse = w / f - 1
    return inverse[3:-2, 1:-4] + inverse[3:-2, 2:-3] * 2


def functions(f: Array, w: Array) -> Array:
    g = np.exp(np.abs(f) * 0.01) + w
    h = np.sqrt(np.abs(g[1:] - g[:-1]))
    return np.tanh(h[:, 1:] * h[:, :-1]) + h[:, 2:-1].sum()


def several_results(f: Array, w: Array) -> tuple[Array, Array, Array]:
    a, b = f * f + w, f - w
    c = a[1:] - a[:-1]
    return c[:, 2:] + c[:, :-2], b[:, 1:] * b[:, :-1], (a[:, 2:] + b[:, :-2])[1:-1] * 2


def a_result_between(f: Array, w: Array) -> tuple[Array, Array]:
    """It is an array that the caller gets."""
    a = f * 2 + w
    b = a[1:] * a[:-1]
    return a, b[:, 1:] - b[:, :-1]


def steps(f: Array, w: Array) -> Array:
    for _ in range(5):
        f = f[1:-1, 1:-1] * 2 - f[2:, 1:-1] + f[:-2, 1:-1] * w[0, 0]
    return f


def casts(f: Array, w: Array) -> Array:
    a = (f + w > 1) * 3
    return a[1:, 1:] + a[:-1, :-1] + f[1:, :-1]


def repeated(f: Array, w: Array) -> Array:
    a = f + w[0]
    b = a[1:] + a[:-1] * w[:1]
    return b[1:] - b[:-1] + w[:1, :1]


def far(f: Array, w: Array) -> Array:
    """Half of the array lies between what is read."""
    a = f * w + 1
    half = a.shape[0] // 2
    return a[half : 2 * half, 1:] - a[:half, :-1]


def other_steps(f: Array, w: Array) -> Array:
    a = f * w + 1
    b = a[::-1] + a[:, ::-1] * 2
    return b[::2] - w[::2] * 3


def of_a_product(f: Array, w: Array) -> Array:
    """A stage whose result would take the product's memory, and change some of it."""
    a = f.T @ w if f.ndim == 2 else f
    b = np.where(a > 1, a * 2 + 1, a)
    return b[1:] * b[:-1] - b[1:]


def two_chains(f: Array, w: Array) -> tuple[Array, Array]:
    a, b = f * 2 + 1, np.abs(w[:, 1:] - 1) * w[:, 1:]
    return a[1:, 1:] - a[:-1, :-1] * 2, b[2:] * b[:-2] - b[1:-1]


def one_operation(f: Array, w: Array) -> Array:
    """Which alone would be NumPy's."""
    a = f * w
    return a[1:] - a[:-1] + w[1:]


def one_that_others_read(f: Array, w: Array) -> tuple[Any, Array]:
    a = f * w
    return np.sort(a[0].ravel()), a[1:] - a[:-1] + w[1:]


PROGRAMS: list[Callable[..., Any]] = [
    *(diffusion, edges_that_nobody_reads, functions, several_results, a_result_between, steps),
    *(casts, repeated, far, other_steps, of_a_product, two_chains),
    *(one_operation, one_that_others_read),
]
SHAPES = ((12, 12), (17, 40), (61, 13), (33, 35, 3), (14, 21, 1), (12, 13, 2, 3))
LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "C": lambda a: a,
    "F": lambda a: a.copy(order="F"),
    "spread": lambda a: np.repeat(a, 3, axis=-1)[..., ::3],
    "backward": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "swapped": lambda a: a.swapaxes(0, 1).copy().swapaxes(0, 1),
}


@pytest.fixture(params=[(1 << 19, 4), (1, 1), (3000, 3), (20000, 2)], autouse=True)
def tiles(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[int, int]]:
    """As they are, and so small that there are many, on several threads."""
    budget, band = request.param
    monkeypatch.setattr(stencil, "BUDGET", budget)
    monkeypatch.setattr(stencil, "BAND", band)
    monkeypatch.setattr(stencil, "NARROW", 4)
    if budget < 1 << 19:
        monkeypatch.setattr(chain_c, "LEAST", 1.0)
    threads = jitcore.get_num_threads()
    jitcore.set_num_threads(3)
    yield request.param
    jitcore.set_num_threads(threads)


@pytest.mark.parametrize("fn", PROGRAMS)
@pytest.mark.parametrize("dtype", "fdliD")
def test_as_numpy(fn: Any, dtype: str) -> None:
    fast = jitcore.compile(fn)
    for seed, shape in enumerate(SHAPES):
        for make in (tame, wild):
            args = make(dtype, shape, seed), make(dtype, shape, seed + 9)
            for state in ("ignore", "warn", "raise"):
                want = run(fn, args, state)
                for _ in range(2):
                    got = run(fast, args, state)
                    assert got[1] == want[1], (shape, make.__name__, state)
                    compare(got[0], want[0], f"{shape} {make.__name__} {state}")


@pytest.mark.parametrize("fn", PROGRAMS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(fn: Any, layout: str) -> None:
    fast = jitcore.compile(fn)
    for shape in SHAPES:
        args = tuple(LAYOUTS[layout](wild("d", shape, seed)) for seed in (1, 2))
        compare(run(fast, args, "ignore")[0], run(fn, args, "ignore")[0], f"{shape}")


@pytest.mark.parametrize("fn", PROGRAMS[:3])
def test_each_flag(fn: Any) -> None:
    """One special element, wherever it is, warns as it does in NumPy."""
    fast = jitcore.compile(fn)
    for row in (0, 1, 5, 17, 18):
        for column in (0, 2, 11, 14):
            for value in (0.0, np.nan, np.inf, 1e308, 1e-308):
                f, w = tame("d", (19, 15), 1), tame("d", (19, 15), 2)
                f[row, column] = value
                want, got = run(fn, (f, w), "warn"), run(fast, (f, w), "warn")
                assert got[1] == want[1], (row, column, value)
                compare(got[0], want[0], f"{row} {column} {value}")


def stored(f: Array, w: Array) -> None:
    a = f[1:] - f[:-1]
    w[1:-2, :-1] = a[1:-1, 1:] / a[1:-1, :-1]


def stored_over_what_is_read(f: Array, w: Array) -> None:
    a = f[1:] - f[:-1]
    f[1:-1, 1:] = a[1:, 1:] * a[:-1, :-1]


def stored_where_a_stage_reads(f: Array, w: Array) -> None:
    a = f[1:] - f[:-1] * 2
    b = a[1:] * a[:-1] + 1
    f[1:-1] = b[:, ::-1] * 2 - b


def stored_of_casts(f: Array, w: Array) -> None:
    """What has no defined conversion is NumPy's."""
    a = (f * 1000 + 1).astype(np.int64)
    w[1:] = (a[1:] - a[:-1]) * 0.5


def stored_beside_what_reads_it(f: Array, w: Array) -> Any:
    a = f[1:] - f[:-1]
    total = w[1:-2] * 2
    w[1:-2, :-1] = a[1:-1, 1:] / a[1:-1, :-1]
    return total


STORES = (
    *(stored, stored_over_what_is_read, stored_where_a_stage_reads, stored_of_casts),
    stored_beside_what_reads_it,
)


@pytest.mark.parametrize("fn", STORES)
@pytest.mark.parametrize("size", [20, 300])
def test_stores(fn: Any, size: int) -> None:
    """Whole, or not at all, whatever is raised on the way."""
    fast = jitcore.compile(fn)
    for make in (tame, wild):
        for state in ("ignore", "warn", "raise"):
            for seed in range(3):
                want, got = (
                    tuple(make("d", (size, size), k + seed) for k in (0, 5)) for _ in range(2)
                )
                told, made = run(fn, want, state), run(fast, got, state)
                assert made[1] == told[1], (make.__name__, state)
                compare(made[0], told[0], "result")
                compare(got, want, f"{make.__name__} {state}")


def test_arrays_that_overlap_at_run_time() -> None:
    fast = jitcore.compile(stored)
    for shift in (0, 1, 50, 21):
        want, got = (np.arange(3000.0) ** 2 % 77 for _ in range(2))
        for fn, memory in ((stored, want), (fast, got)):
            with np.errstate(all="ignore"):
                fn(memory[:400].reshape(20, 20), memory[shift : shift + 400].reshape(20, 20))
        assert np.array_equal(got, want, equal_nan=True)


def slopes(b: Builder, x: Value) -> list[Value]:
    """x[1:] - x[:-1], of the same again."""
    for _ in range(2):
        first = b.emit(GETITEM, (x, (slice(1, None),)))
        x = b.emit(OP["-"], (first, b.emit(GETITEM, (x, (slice(None, -1),)))))
    return [x]


def edged(b: Builder, x: Value) -> list[Value]:
    """1 / x - 1, of which neither the edges nor the corners are read."""
    y = b.emit(OP["-"], (b.emit(OP["/"], (1.0, x)), 1.0))
    views = (b.emit(GETITEM, (y, (slice(3, -2), slice(k, k - 5)))) for k in (1, 2))
    return [b.emit(OP["+"], tuple(views))]


def steps_of(
    x: Array, fn: Any = slopes
) -> tuple[list[Node | FusionGroup], Builder, list[Value], list[Value]]:
    b, inputs, results = build(fn, [x])
    views = placed(b.nodes, {})
    return chained(fused(b.nodes, set(results)), results, views.keys(), views), b, inputs, results


def test_one_text_for_all_sizes(config: Config) -> None:
    texts = set()
    for shape in ((30, 40), (50, 60), (9, 90)):
        x = wild("d", shape, 1)
        steps, b, inputs, results = steps_of(x)
        (group,) = groups_of(steps)
        texts.add(source_of(group))
        one = kernel(group, config)
        assert group.chain is not None and one is not None
        with np.errstate(all="ignore"):
            made = one(x)
            assert made is not None
            want = by_numpy(b.nodes, {inputs[0]: x})
        assert_same(made[0], want[results[0]], f"{shape}")
    assert len(texts) == 1


def test_flags_of_every_element(config: Config) -> None:
    x = tame("d", (19, 15), 1)
    (group,) = groups_of(steps_of(x, edged)[0])
    one = kernel(group, config)
    assert group.chain is not None and one is not None
    with np.errstate(all="warn"):
        assert one(x) is not None
        for place in np.ndindex(x.shape):
            wrong = x.copy()
            wrong[place] = 0.0
            assert one(wrong) is None, place
        assert one(x) is not None


def test_its_nodes_are_numpys_calls() -> None:
    """What runs where there is no compiler."""
    x = tame("d", (30, 40), 1)
    steps, b, inputs, results = steps_of(x)
    calls = [
        node for one in steps for node in (one.nodes if isinstance(one, FusionGroup) else [one])
    ]
    env = {inputs[0]: x}
    made, want = by_numpy(calls, env), by_numpy(b.nodes, env)
    assert_same(made[results[0]], want[results[0]], "calls")


@pytest.mark.parametrize("fn", PROGRAMS[:4])
def test_one_kernel(fn: Any) -> None:
    """Which the others need not be."""
    told = str(jitcore.explain(fn)(tame("d", (40, 40), 1), tame("d", (40, 40), 2)))
    assert " 1 kernel " in told or fn is functions, told


OPERATIONS = (
    "{0} * 2 - {1}",
    "{0} + {1} * {1}",
    "{0} / {1} + 1",
    "np.where({0} > {1}, {0}, {1} * 3)",
)
MORE = (
    "np.sqrt(np.abs({0})) + {1}",
    "np.maximum({0}, {1}) - {0}",
    "np.exp({0} * 0.01) * {1}",
    "{0} * {1}",
)


def random_program(rng: np.random.Generator, shape: tuple[int, ...]) -> str:
    """Stages that read the ones before from random rows and columns on."""
    known = {"f": shape, "w": shape}
    lines = []
    for stage in range(int(rng.integers(2, 7))):
        one, other = rng.choice([*known], 2)
        cut = [int(rng.integers(0, 3)) for _ in shape[:2]]
        ends = [min(known[one][k], known[other][k]) - cut[k] for k in (0, 1)]
        reads = []
        for name in (one, other):
            starts = [int(rng.integers(0, known[name][k] - ends[k] + 1)) for k in (0, 1)]
            reads.append(
                f"{name}[{starts[0]}:{starts[0] + ends[0]}, {starts[1]}:{starts[1] + ends[1]}]"
            )
        lines.append(f"    v{stage} = {rng.choice((*OPERATIONS, *MORE)).format(*reads)}")
        known[f"v{stage}"] = (*ends, *shape[2:])
    results = [f"v{k}" for k in range(len(lines)) if k == len(lines) - 1 or rng.random() < 0.15]
    return "\n".join(("def fn(f, w):", *lines, f"    return {', '.join(results)},"))


@pytest.mark.parametrize("seed", range(12))
def test_random_stages(seed: int, tiles: tuple[int, int]) -> None:
    rng = np.random.default_rng([seed, *tiles])
    shape = tuple(int(n) for n in rng.integers(16, 40, 2)) + ((), (3,))[seed % 2]
    text = random_program(rng, shape)
    space: dict[str, Any] = {"np": np}
    exec(compile(text, f"<stages {seed}>", "exec"), space)
    fast = jitcore.compile(space["fn"])
    for make in (tame, wild):
        args = make("fd"[seed % 3 == 0], shape, seed), make("d", shape, seed + 1)
        for state in ("ignore", "warn"):
            want = run(space["fn"], args, state)
            for _ in range(2):
                got = run(fast, args, state)
                assert got[1] == want[1], text
                compare(got[0], want[0], text)
