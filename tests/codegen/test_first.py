"""argmax, argmin folded into the loop that makes what is searched: the first place, as NumPy's."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from codegen_harness import build, check, groups_of
from codegen_values import LAYOUTS, wild

from jitcore.config import Config
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import Builder, Value
from jitcore.ir.ops import OPS
from jitcore.kernels.kernel import kernel
from jitcore.passes.window import fused

pytestmark = pytest.mark.by_turns

NAMES = ("argmax", "argmin", "ndarray.argmax", "ndarray.argmin")
TYPES = "?bBhHiIlLqQfd"
LENGTHS = (*range(2, 70), 127, 128, 129, 300, 2047, 2048, 2049, 2080, 4097)

Array = np.ndarray[Any, Any]
Program = Callable[..., Any]


def few(dtype: str, shape: tuple[int, ...], seed: int) -> Array:
    """Of few values, so that most are there several times, the special ones among them."""
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind != "f":
        return rng.integers(0, 3, shape).astype(dtype)
    values = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-45)
    some = rng.choice(values, int(rng.integers(1, 5)), replace=False)
    return np.asarray(rng.choice(some, shape), dtype)


def made(name: str, *words: Any, **more: Any) -> Program:
    """What is searched is made in the same loop."""

    def fn(b: Builder, x: Value, y: Value) -> Value:
        return b.emit(OPS[name], (b.emit(OP["*"], (x, y)), *words), more)

    return fn


def lone(name: str, **more: Any) -> Program:
    return lambda b, x: b.emit(OPS[name], (x,), more)


def alike(fn: Program, arrays: list[Array], config: Config, groups: int = 1) -> None:
    with np.errstate(all="ignore"):
        assert check(fn, arrays, config, groups)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", TYPES)
def test_types_and_axes(name: str, dtype: str, config: Config) -> None:
    shapes = [(2,), (7,), (300,), (5000,), (4, 33), (33, 4), (3, 40, 5), (9, 140), (3, 17, 20)]
    for seed, shape in enumerate(shapes):
        most = min(shape) > 5 or len(shape) == 1
        for kind in (few, wild):
            x, one = kind(dtype, shape, seed), np.ones(shape, dtype)
            for axis in (None, *range(-1, len(shape))):
                alike(made(name, axis), [x, one], config, groups=most)
            alike(made(name, axis=-1, keepdims=True), [x, one], config, groups=most)
            alike(made(name, axis=0, keepdims=True), [x, one], config, groups=most)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", "fdi?")
def test_lengths(name: str, dtype: str, config: Config) -> None:
    """Each place of a short run, and of one that ends within a row of lanes."""
    for n in LENGTHS:
        for x in (few(dtype, (n,), n), wild(dtype, (n,), n), np.arange(n).astype(dtype)):
            for y in (x, x[::-1].copy()):
                alike(made(name), [y, np.ones(n, dtype)], config)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", "fd")
def test_the_first_of_several(name: str, dtype: str, config: Config) -> None:
    """Infinities, NaNs of both signs and zeros of both signs, at two places."""
    for n in (5, 31, 32, 33, 100, 3000):
        for value in (np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0):
            for other in (0.0, -0.0, 1.0, value):
                x = np.full(n, other, dtype)
                x[[n // 3, n - 1]] = value, -value
                alike(lone(name), [x], config, groups=n < 500)
                wide = np.stack([x, x[::-1]] * 10, axis=1)
                alike(lone(name, axis=0), [wide], config)
                alike(lone(name, axis=1), [wide.T.copy()], config, groups=0)
                alike(made(name, axis=1), [wide.T.copy(), wide.T.copy()], config, groups=0)


@pytest.mark.parametrize("seed", range(60))
def test_shapes(seed: int, config: Config) -> None:
    """Up to four dimensions, every order of them in memory, any axis."""
    rng = np.random.default_rng(seed)
    ndim = int(rng.integers(1, 5))
    shape = rng.choice([1, 2, 3, 5, 8, 9, 17, 40], ndim)
    order = rng.permutation(ndim)
    dtype = str(rng.choice(list("ddffiB?")))
    x, y = (few(dtype, tuple(shape[order]), seed + k).transpose(np.argsort(order)) for k in (0, 9))
    for axis in (None, *range(ndim)):
        words = {"axis": axis, "keepdims": bool(seed % 2)}
        alike(made(("argmax", "argmin")[seed % 2], **words), [x, y], config, groups=0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_layouts(layout: str, name: str, config: Config) -> None:
    for dtype in "fdl?":
        x = LAYOUTS[layout](few(dtype, (37, 90), 1))
        for axis in (None, *range(x.ndim)):
            alike(lone(name, axis=axis), [x], config, groups=0)
            if x.shape == (37, 90):
                one = np.ones(x.shape, dtype)
                alike(made(name, axis=axis), [x, one], config, groups=0)


def test_strided_arrays_are_searched_where_they_lie() -> None:
    whole = np.ones((40, 60))
    for x, axis in ((whole[:, ::2], 0), (whole[::2], 0), (whole[0, ::2], 0)):
        b, _, results = build(lone("argmax", axis=axis), [x])
        assert len(groups_of(fused(b.nodes, set(results)))) == 1


def several(b: Builder, x: Value, y: Value) -> list[Value]:
    product = b.emit(OP["*"], (x, y))
    found = [b.emit(OPS[n], (product,), {"axis": a}) for n in NAMES[:2] for a in (None, 0, 1)]
    return [product, *found, b.emit(OPS["max"], (product,), {"axis": 0})]


@pytest.mark.parametrize("shape", [(3, 4), (130, 19), (7, 300), (2, 5000)])
@pytest.mark.parametrize("dtype", "fd")
def test_several_in_one_loop(shape: tuple[int, ...], dtype: str, config: Config) -> None:
    x = np.abs(wild(dtype, shape, 1)) + 1
    alike(several, [x, few(dtype, shape, 2) + 2], config)


@pytest.mark.parametrize(
    ("dtype", "shape", "words"),
    [
        ("e", (40,), {}),
        ("D", (40,), {}),
        ("d", (1,), {}),
        ("d", (5, 1), {"axis": 1}),
        ("d", (300, 40), {"axis": 1}),
        ("d", (300, 4), {"axis": 0}),
        ("d", (5000,), {}),
    ],
)
def test_others_stay_numpys(dtype: str, shape: tuple[int, ...], words: dict[str, Any]) -> None:
    x = np.ones(shape, dtype)
    b, _, results = build(lone("argmax", **words), [x])
    assert not groups_of(fused(b.nodes, set(results)))


def test_all_of_an_array_in_another_order_stays_numpys() -> None:
    x = np.asfortranarray(np.ones((30, 40)))
    b, _, results = build(lone("argmax"), [x])
    assert not groups_of(fused(b.nodes, set(results)))


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_only_the_flags_of_what_is_searched_count(axis: Any, config: Config) -> None:
    x = np.full((20, 140), 2.0)
    b, _, results = build(made("argmax", axis=axis), [x, x])
    (group,) = groups_of(fused(b.nodes, set(results)))
    run = kernel(group, config)
    assert run is not None
    nans, tiny = x.copy(), x.copy()
    nans[3, 5] = np.nan
    tiny[7, 7] = 1e-300
    with np.errstate(all="raise"):
        assert run(x, x) is not None
        assert run(nans, x) is not None
        assert run(tiny, tiny) is None


def test_sums_keep_their_order_beside_extremes_of_another(config: Config) -> None:
    """The loop goes as the sum needs it, whichever was asked for last."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 50)) * 10.0 ** rng.integers(-6, 6, (40, 50))
    y = np.asfortranarray(rng.normal(size=(40, 50)))

    def fn(b: Builder, x: Value, y: Value) -> list[Value]:
        product = b.emit(OP["*"], (x, y))
        return [b.emit(OPS["sum"], (product,), {"axis": 0}), b.emit(OPS["max"], (y,))]

    alike(fn, [x, y], config)
    alike(fn, [np.asfortranarray(x), y.copy()], config)


MANY = """
import numpy as np, jitcore

@jitcore.compile
def many(x):
    with np.errstate(all="ignore"):
        return [np.sign(x), np.maximum(x, np.nan), np.fmin(x, 0), x ** .5, x ** 2, x ** -1,
                x ** 3, np.float_power(x, 2), np.logaddexp(x, 1), np.expm1(x), np.log1p(x),
                np.rint(x), np.trunc(x), x // 0.3, x % -0.3, np.fmod(x, .3), np.copysign(1., x),
                np.nextafter(x, 0), np.isnan(x), np.signbit(x), np.heaviside(x, .5),
                np.spacing(x), np.cbrt(x), np.arctan2(x, -0.), np.hypot(x, x), np.ldexp(x, 3),
                *np.modf(x), *np.frexp(x), x.argmin()]

x = np.random.default_rng(0).normal(size=(5, 4)).astype("f4")
print(many(x)[-1] == x.argmin())
"""


def test_its_variable_has_the_name_of_no_type(tmp_path: Path) -> None:
    """That of operand 32 was f32, and no compiler took it."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("JITCORE")}
    env = {**kept, "JITCORE_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", MANY]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("True\n", "")
