"""Calls that NumPy writes in Python, in steps: its bits, in loops that share what they read."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from codegen_harness import build, by_kernels, by_numpy, check, groups_of
from codegen_values import LAYOUTS, tame, wild
from test_folds import alike, scattered

from jitcore.config import Config
from jitcore.ir import OPS, Builder, Value
from jitcore.ir.ops.opaque import ufunc_method
from jitcore.passes.decompose import expanded
from jitcore.passes.window import fused

pytestmark = pytest.mark.by_turns

NAMES = ("var", "std", "ndarray.var", "ndarray.std")
FREEDOMS = (0, 1, -2, 0.5, 1.9)


def spread(name: str, *words: Any, **more: Any) -> Any:
    return lambda b, x: b.emit(OPS[name], (x, *words), more)


def steps_of(fn: Any, array: Any) -> list[str]:
    b, _, _ = build(fn, [array])
    return [node.op.name for node in expanded(b.nodes)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", "bBhiQfd")
def test_forms_of_call(name: str, dtype: str, config: Config) -> None:
    x = scattered(dtype, (30, 41), 1)
    for more in (
        {}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": (0, 1)}, {"keepdims": True},
        *({"ddof": ddof, "axis": 1} for ddof in FREEDOMS), {"axis": (1, -2), "ddof": 2},
        {"dtype": "d" if dtype != "f" else "f"}, {"dtype": None, "axis": 1},
    ):  # fmt: skip
        alike(spread(name, **more), [x], config)
    alike(spread(name, 1), [x], config)


@pytest.mark.parametrize("name", NAMES[:2])
@pytest.mark.parametrize("dtype", "fd")
def test_lengths(name: str, dtype: str, config: Config) -> None:
    for n in (2, 7, 8, 9, 15, 16, 17, 127, 128, 129, 1000, 1023, 1024, 1025, 8193):
        alike(spread(name), [scattered(dtype, (n,), n)], config)
        alike(spread(name, ddof=1), [wild(dtype, (n,), n)], config)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_layouts(layout: str, axis: Any, config: Config) -> None:
    x = LAYOUTS[layout](scattered("d", (37, 90), 3))
    axis = axis if x.ndim == 2 else None
    for keepdims in (False, True):
        check(spread("std", axis=axis, keepdims=keepdims), [x], config, groups=0)


@pytest.mark.parametrize("seed", range(40))
def test_axes(seed: int, config: Config) -> None:
    rng = np.random.default_rng(seed)
    ndim = int(rng.integers(1, 5))
    shape = tuple(int(n) for n in rng.choice([1, 2, 3, 8, 9, 17], ndim))
    order = rng.permutation(ndim)
    x = scattered("fd"[seed % 2], tuple(np.array(shape)[order]), seed)
    x = x.transpose(np.argsort(order))
    axes = tuple(int(axis) for axis in rng.permutation(ndim)[: rng.integers(1, ndim + 1)])
    with np.errstate(all="ignore"):
        check(spread(NAMES[seed % 4], axis=axes, keepdims=seed % 3 == 0), [x], config, groups=0)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.0, 5e-324, 1e200])
def test_special_values(value: float, config: Config) -> None:
    for place in (slice(None), slice(0, 1), slice(60, None)):
        x = scattered("d", (100, 3), 1)
        x[place] = value
        for axis in (None, 0, 1):
            alike(spread("std", axis=axis), [x], config)


def test_what_a_call_becomes() -> None:
    x = np.ones((4, 5))
    steps = ["ndarray.mean", "subtract", "square"]
    assert steps_of(spread("var", axis=0), x) == [*steps, "variance"]
    assert steps_of(spread("ndarray.std", 1, ddof=1), x) == [*steps, "deviation"]


@pytest.mark.parametrize(
    ("dtype", "more"),
    [
        ("e", {}),
        ("?", {}),
        ("D", {}),
        ("d", {"dtype": "f"}),
        ("i", {"dtype": "f"}),
        ("d", {"correction": 1}),
        ("d", {"ddof": 10**30}),
    ],
)
def test_other_forms_stay_one_call(dtype: str, more: dict[str, Any]) -> None:
    assert steps_of(spread("std", **more), np.ones((4, 5), dtype)) == ["std"]


def test_no_elements_stay_one_call() -> None:
    assert steps_of(spread("var", axis=1), np.ones((4, 0))) == ["var"]


def test_steps_without_a_kernel_are_numpys(config: Config) -> None:
    """What no loop takes is called, step by step, with NumPy's result."""
    for x in (np.array([3.5]), np.array([[1.5, 2.5]]), np.arange(12.0)[::3]):
        for fn in (spread("std"), spread("var", axis=0), spread("std", axis=-1, keepdims=True)):
            b, inputs, results = build(fn, [x])
            steps = expanded(b.nodes)
            env = by_numpy(steps, {inputs[0]: x})
            want = by_numpy(b.nodes, {inputs[0]: x})
            (value,) = results
            assert type(env[value]) is type(want[value])
            assert env[value].tobytes() == want[value].tobytes()
            got = by_kernels(fused(b.nodes, set(results)), {inputs[0]: x}, config)
            assert got is not None and got[value].tobytes() == want[value].tobytes()


def z_scores(b: Builder, x: Value) -> Value:
    centred = b.emit(OPS["subtract"], (x, b.emit(OPS["mean"], (x,), {"axis": 0})))
    return b.emit(OPS["divide"], (centred, b.emit(OPS["ndarray.std"], (x,), {"axis": 0})))


def test_z_scores(config: Config) -> None:
    x = scattered("d", (70, 40), 3)
    alike(z_scores, [x], config)
    b, _, results = build(z_scores, [x])
    groups = groups_of(fused(b.nodes, set(results)))
    assert any(node.op.name == "deviation" for group in groups for node in group.nodes)


@pytest.mark.parametrize("dtype", "bBhiQfd")
def test_ptp(dtype: str, config: Config) -> None:
    for x in (scattered(dtype, (30, 41), 1), wild(dtype, (4, 300), 2)):
        for more in ({}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": (0, 1)}):
            with np.errstate(all="ignore"):
                check(spread("ptp", **more), [x], config)
    assert steps_of(spread("ptp", axis=0), np.ones((4, 5))) == [
        "ndarray.max", "ndarray.min", "subtract",
    ]  # fmt: skip


NORMS: tuple[dict[str, Any], ...] = (
    {"axis": 0}, {"axis": -1, "keepdims": True}, {"ord": 2, "axis": 1}, {"axis": (0,)},
    {"axis": (0, 1)}, {"axis": (1, 0), "ord": "fro"}, {"ord": None, "axis": -2},
)  # fmt: skip


def norm(**more: Any) -> Any:
    return lambda b, x: b.emit(OPS["linalg.norm"], (x,), more)


def average(**more: Any) -> Any:
    return lambda b, x, w: b.emit(OPS["average"], (x,), {"weights": w, **more})


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("words", NORMS)
def test_norms(dtype: str, words: dict[str, Any], config: Config) -> None:
    for layout in ("C", "F"):
        x = np.asarray(scattered(dtype, (30, 41), 1), order=layout)  # type: ignore[call-overload]
        alike(norm(**words), [x], config)
    for n in (1, 2, 3, 8, 9, 130, 300):
        x = wild(dtype, (n, 7), n)
        with np.errstate(all="ignore"):
            check(norm(**words), [x], config, groups=0)
            check(norm(**words), [x.T.copy()], config, groups=0)


@pytest.mark.parametrize("dtype", "fd")
def test_norms_of_all_elements(dtype: str, config: Config) -> None:
    for x in (scattered(dtype, (300,), 1), scattered(dtype, (20, 30), 2)):
        for more in ({}, {"ord": 2} if x.ndim == 1 else {"ord": None}):
            assert steps_of(norm(**more), x)[-2:] == ["ndarray.dot", "sqrt"]
            assert check(norm(**more), [x], config, groups=0)
        alike(norm(axis=0), [x], config)
        alike(norm(axis=-1, keepdims=True), [x], config)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_norms_and_averages_of_layouts(layout: str, axis: Any, config: Config) -> None:
    x = LAYOUTS[layout](scattered("d", (37, 90), 3))
    axis = axis if x.ndim == 2 else None
    w = np.abs(scattered("d", x.shape, 4)) + 1
    check(norm(axis=axis), [x], config, groups=0)
    check(average(axis=axis), [x, w], config, groups=0)
    check(average(axis=axis), [w, LAYOUTS["F"](w) if x.ndim == 2 else w], config, groups=0)


@pytest.mark.parametrize(
    ("dtype", "more"),
    [
        ("e", {"axis": 0}),
        ("D", {"axis": 0}),
        ("d", {"ord": 1, "axis": 0}),
        ("d", {"ord": 2}),
        ("d", {"ord": np.inf, "axis": 1}),
        ("d", {"ord": "fro"}),
        ("d", {"keepdims": True}),
        ("d", {"axis": (0, 1), "keepdims": True}),
    ],
)
def test_other_norms_stay_one_call(dtype: str, more: dict[str, Any]) -> None:
    assert steps_of(norm(**more), np.ones((30, 41), dtype)) == ["linalg.norm"]


@pytest.mark.parametrize("types", ["dd", "ff", "id", "?d", "Bd"])
def test_averages(types: str, config: Config) -> None:
    one, two = types
    for shape in ((30, 41), (7, 9), (2, 300), (300, 2)):
        x, w = scattered(one, shape, 1), np.abs(scattered(two, shape, 2))
        for more in ({}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"keepdims": True}):
            alike(average(**more), [x, w], config)
        for axis in (0, 1, -1):
            row = np.abs(scattered(two, (shape[axis],), 3))
            alike(average(axis=axis), [x, row], config)
    for n in (1, 2, 7, 8, 9, 130, 300, 1000):
        x, w = wild(one, (n,), n), np.abs(scattered(two, (n,), n))
        with np.errstate(all="ignore"):
            check(average(), [x, w], config, groups=0)
            check(average(axis=0), [x, w], config, groups=0)


def test_weights_that_sum_to_zero_are_numpys(config: Config) -> None:
    w = np.ones((30, 3))
    w[:, 1] = np.resize([1.0, -1.0], 30)
    for array, words in ((w, {"axis": 0}), (w[:, 1].copy(), {}), (-0.0 * w, {"axis": 1})):
        b, inputs, results = build(average(**words), [np.ones(array.shape), array])
        steps = fused(b.nodes, set(results))
        env = dict(zip(inputs, (np.ones(array.shape), array), strict=True))
        try:
            assert by_kernels(steps, env, config) is None
        except ZeroDivisionError:
            assert not words


@pytest.mark.parametrize(
    ("x", "w", "more"),
    [
        ((3, 4), (4,), {}),  # a TypeError
        ((3, 4), (3,), {"axis": 1}),  # a ValueError
        ((3, 4, 5), (3, 4), {"axis": (0, 1)}),
        ((3, 4), (3, 4), {"returned": True}),
    ],
)
def test_other_averages_stay_one_call(x: Any, w: Any, more: dict[str, Any]) -> None:
    b, _, _ = build(average(**more), [np.ones(x), np.ones(w)])
    assert [node.op.name for node in expanded(b.nodes)] == ["average"]


# ---- np.add.outer and its like ------------------------------------------------------------------

OUTER = ("add", "subtract", "multiply", "divide", "minimum", "maximum", "less", "hypot", "power")


def outer(name: str) -> Any:
    method = ufunc_method(getattr(np, name), "outer")
    return lambda b, x, y: b.emit(method, (x, y))


def alike_in_pairs(name: str, x: Any, y: Any, config: Config, groups: int) -> None:
    """Where nothing refuses, the bits; else, that NumPy would warn."""
    with np.errstate(all="ignore"):
        assert check(outer(name), [x, y], config, groups=groups)
    with np.errstate(all="warn"), warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        getattr(np, name).outer(x, y)
    with np.errstate(all="warn"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert check(outer(name), [x, y], config, groups=groups) or found


@pytest.mark.parametrize("name", OUTER)
@pytest.mark.parametrize("dtype", "?bBiQfdD")
def test_pairs(name: str, dtype: str, config: Config) -> None:
    row = getattr(np, name)
    for make in (tame, wild):
        for shapes in (((3,), (5,)), ((70,), (65,)), ((4, 3), (5,)), ((3,), (2, 9)), ((1,), (7,))):
            x, y = (make(dtype, shape, seed) for seed, shape in enumerate(shapes))
            try:
                with np.errstate(all="ignore"):
                    row.outer(x, y)
            except (TypeError, ValueError):
                continue
            alike_in_pairs(name, x, y, config, groups=0)


@pytest.mark.parametrize("one", LAYOUTS)
@pytest.mark.parametrize("other", LAYOUTS)
def test_layouts_of_pairs(one: str, other: str, config: Config) -> None:
    x, y = LAYOUTS[one](tame("d", (5, 9), 1)), LAYOUTS[other](wild("d", (4, 6), 2))
    alike_in_pairs("add", x, y, config, groups=int(x.ndim > 0 and y.ndim > 0))


def test_pairs_are_steps_of_their_loop() -> None:
    def fn(b: Builder, x: Value, y: Value) -> Value:
        return b.emit(OPS["minimum"], (outer("add")(b, x, y), outer("multiply")(b, x, y)))

    b, _, results = build(fn, [np.ones(5), np.ones(6)])
    (group,) = groups_of(fused(b.nodes, set(results)))
    assert [node.op.name for node in group.nodes] == ["add", "multiply", "minimum"]
