"""Running sums and products in the loop that makes their operand: one by one, as NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from codegen_harness import build, check, groups_of
from codegen_values import LAYOUTS, wild
from test_folds import ODD, alike, scattered

from jitcore.config import Config
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import OPS, Builder, Value, row_of
from jitcore.kernels.iteration_space import nest_of
from jitcore.kernels.kernel import kernel
from jitcore.kernels.parallel_split import NOWHERE, cut
from jitcore.passes.window import fused

pytestmark = pytest.mark.by_turns

ROWS = {name: OPS[name] for name in ("cumsum", "cumprod", "ndarray.cumsum", "ndarray.cumprod")}
ROWS |= {f"{name}.accumulate": row_of(getattr(np, name).accumulate) for name in ("add", "multiply")}


def running(name: str, **more: Any) -> Any:
    """What is summed is made in the same loop, and so is what reads the sums."""

    def fn(b: Builder, x: Value) -> list[Value]:
        sums = b.emit(ROWS[name], (b.emit(OP["*"], (x, x)),), more)
        return [sums, b.emit(OP["+"], (sums, x))]

    return fn


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("dtype", "bBhHiIlLqQfd")
def test_types(name: str, dtype: str, config: Config) -> None:
    for n in (2, 7, 8, 9, 64, 130, 4097):
        alike(running(name), [scattered(dtype, (n,), n)], config)
    alike(running(name, axis=-1), [scattered(dtype, (30, 41), 1)], config)


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_bools(name: str, config: Config) -> None:
    for x in (np.arange(300) % 3 == 0, np.arange(300) > 7):
        assert check(lambda b, x: b.emit(OPS[name], (x,)), [x], config)


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("dtype", "fd")
def test_special_values(name: str, dtype: str, config: Config) -> None:
    for n in (1, 2, 5, 100):
        for value in ODD:
            for place in (slice(None), slice(0, 1), slice(n // 2, None)):
                x = scattered("d", (n,), 3)
                x[place] = value
                with np.errstate(all="ignore"):
                    x = x.astype(dtype)
                alike(lambda b, x: b.emit(OPS[name], (x,)), [x], config)
        alike(running(name), [wild(dtype, (n,), n)], config)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("axis", [0, 1])
def test_layouts(layout: str, axis: int, config: Config) -> None:
    x = LAYOUTS[layout](scattered("d", (37, 90), 3))
    if x.ndim == 2:
        with np.errstate(all="ignore"):
            check(running("cumsum", axis=axis), [x], config, groups=0)


@pytest.mark.parametrize("seed", range(30))
def test_axes(seed: int, config: Config) -> None:
    rng = np.random.default_rng(seed)
    ndim = int(rng.integers(1, 5))
    shape = tuple(int(n) for n in rng.choice([1, 2, 3, 8, 17], ndim))
    order = rng.permutation(ndim)
    x = scattered("fdi"[seed % 3], tuple(np.array(shape)[order]), seed)
    x = x.transpose(np.argsort(order))
    axis = int(np.argmin([s if e > 1 else 10**9 for s, e in zip(x.strides, x.shape, strict=True)]))
    with np.errstate(all="ignore"):
        check(running("cumsum", axis=axis), [x], config, groups=0)


def test_rows_are_scanned_beside_sums_of_all(config: Config) -> None:
    def fn(b: Builder, x: Value) -> list[Value]:
        square = b.emit(OP["*"], (x, x))
        sums = [b.emit(OPS["sum"], (square,), {"axis": axis}) for axis in (None, 0, 1)]
        return [*sums, b.emit(OPS["cumsum"], (square,), {"axis": 1}), b.emit(OPS["exp"], (x,))]

    for shape in ((3, 5), (40, 130), (2, 5000)):
        alike(fn, [scattered("d", shape, 1) % 3], config)


def test_what_stays_numpys() -> None:
    square = np.ones((4, 5))
    for x, more in (
        (square, {"axis": 0}),
        (square, {}),
        (np.ones(5, "e"), {}),
        (np.ones(5, "D"), {}),
    ):
        b, _, results = build(lambda b, x, m=more: b.emit(OPS["cumsum"], (x,), m), [x])
        assert not groups_of(fused(b.nodes, set(results)))


def test_flags_of_the_sum_refuse(config: Config) -> None:
    b, _, results = build(lambda b, x: b.emit(OPS["cumsum"], (x,)), [np.ones(10)])
    (group,) = groups_of(fused(b.nodes, set(results)))
    run = kernel(group, config)
    assert run is not None
    with np.errstate(all="ignore", over="raise"):
        assert run(np.full(10, 1.7e308)) is None
        assert run(np.full(10, 1.7e307)) is not None


def test_a_row_is_not_cut_for_threads() -> None:
    """Beside a sum, whose tree could be."""

    def fn(b: Builder, x: Value) -> list[Value]:
        double = b.emit(OP["+"], (x, x))
        return [b.emit(OPS[name], (double,)) for name in ("sum", "cumsum", "exp")]

    b, _, results = build(fn, [np.ones(1_000_000)])
    (group,) = groups_of(fused(b.nodes, set(results)))
    assert cut(group.program, nest_of(group.program, group.shape)) == NOWHERE
