"""Kernels read views of an array where they lie: one operand is checked, nothing is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from codegen_harness import assert_same, build, by_numpy, call, groups_of

from jitcore.config import Config
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import METHODS, OPS, Builder, Value
from jitcore.ir.ops.array import ATTRIBUTES, GETITEM
from jitcore.kernels.kernel import kernel
from jitcore.kernels.view_offsets import placed
from jitcore.passes.window import fused

X = np.arange(1.0, 61.0).reshape(3, 4, 5)
Z = X[0] + 1j * X[1]
View = Callable[[Builder, Value], Value]


def item(*index: Any) -> View:
    return lambda b, x: b.emit(GETITEM, (x, index))


def method(name: str, *args: Any, **kwargs: Any) -> View:
    return lambda b, x: b.emit(METHODS[name], (x, *args), kwargs)


def function(name: str, *args: Any) -> View:
    return lambda b, x: b.emit(OPS[name], (x, *args))


def attribute(name: str) -> View:
    row = ATTRIBUTES[name].row
    assert row is not None
    return lambda b, x: b.emit(row, (x,))


def chain(*views: View) -> View:
    def fn(b: Builder, x: Value) -> Value:
        for view in views:
            x = view(b, x)
        return x

    return fn


VIEWS: dict[str, tuple[Any, View]] = {
    "slices": (X, item(slice(1, None), slice(None, -1), slice(1, 5, 2))),
    "backwards": (X, item(slice(None, None, -1), ..., slice(None, None, -2))),
    "rows": (X, item(2)),
    "from the end": (X, item(-1, ..., -2)),
    "new axes": (X, item(None, slice(1, 3), None, 1)),
    "the whole": (X, item(...)),
    "without axes": (X, chain(item(1, 2, 3, ...), item(None))),
    "T": (X, attribute("T")),
    "real": (Z, attribute("real")),
    "imag": (Z, attribute("imag")),
    "transpose": (X, method("transpose", 1, 2, 0)),
    "swapaxes": (X, method("swapaxes", 0, 2)),
    "reshape": (X, method("reshape", 6, 10)),
    "reshape, Fortran": (X.T, method("reshape", (20, 3), order="F")),
    "ravel": (X, method("ravel")),
    "diagonal": (X[0], method("diagonal", 1)),
    "narrower": (X, method("view", "f4")),
    "broadcast": (X, function("broadcast_to", (2, 3, 4, 5))),
    "flip": (X, function("flip", 1)),
    "rot90": (X, function("rot90")),
    "moveaxis": (X, function("moveaxis", 0, -1)),
    "windows": (X[0, 0], function("sliding_window_view", 3)),
    "views of views": (
        X[:, ::-1],
        chain(attribute("T"), item(slice(1, 4)), method("swapaxes", 0, 1), item(..., 0, None)),
    ),
    "an element": (X, chain(item(slice(1, 3)), item(1, -1, 2))),
}


def doubled(view: View) -> Callable[[Builder, Value], Value]:
    def fn(b: Builder, x: Value) -> Value:
        seen = view(b, x)
        one = b.emit(GETITEM, (x, None))
        return b.emit(OP["*"], (b.emit(OP["+"], (seen, one if not seen.type.shape else 1)), seen))

    return fn


@pytest.mark.parametrize("name", VIEWS)
def test_views_are_read_where_they_lie(name: str, config: Config) -> None:
    array, view = VIEWS[name]
    b, (x,), (result,) = build(doubled(view), [array])
    (group,) = groups_of(fused(b.nodes, {result}))
    assert group.inputs == (x,)
    run = kernel(group, config)
    assert run is not None
    (got,) = run(array)
    assert_same(got, by_numpy(b.nodes, {x: array})[result], name)


@pytest.mark.parametrize(
    ("name", "array", "view"),
    [
        ("a copy in another order", X.T, method("reshape", 60)),
        ("a copy of what has gaps", X[:, ::2], method("ravel")),
        ("wider elements", X.astype("f4").reshape(3, 20), method("view", "f8")),
        ("a gather", X, lambda b, x: b.emit(GETITEM, (x, [1, 0]))),
        ("not numbers", X.view("M8[s]"), item(slice(1, None))),
        ("swapped bytes", X.astype(">f8"), item(slice(1, None))),
        ("no elements", X, item(slice(3, None))),
    ],
)
def test_what_has_no_place_is_made(name: str, array: Any, view: View) -> None:
    b, _, _ = build(view, [array])
    assert not placed(b.nodes, {})


def test_equal_views_are_one_operand() -> None:
    def fn(b: Builder, x: Value) -> Value:
        def left() -> Value:
            return b.emit(GETITEM, (x, (..., slice(1, None))))

        def right() -> Value:
            return b.emit(GETITEM, (x, (..., slice(None, -1))))

        return b.emit(OP["*"], (b.emit(OP["+"], (left(), right())), b.emit(OP["-"], (left(), 1))))

    b, (x,), (result,) = build(fn, [X])
    (group,) = groups_of(fused(b.nodes, {result}))
    assert group.inputs == (x,)
    assert group.reads == ((0, 8), (0, 0))


def test_a_view_of_what_a_kernel_made(config: Config) -> None:
    def fn(b: Builder, x: Value) -> list[Value]:
        made = b.emit(OP["*"], (b.emit(OP["+"], (x, 1)), x))
        view = b.emit(GETITEM, (made, slice(1, None)))
        return [view, b.emit(OP["-"], (b.emit(OP["*"], (view, 2)), view))]

    b, (x,), results = build(fn, [X])
    one, made, two = fused(b.nodes, set(results))
    env = {x: X}
    for step in one, made, two:
        if step is made:
            call(step, env)
            continue
        run = kernel(step, config)
        assert run is not None
        env.update(zip(step.outputs, run(*(env[v] for v in step.inputs)), strict=True))
    for value, want in by_numpy(b.nodes, {x: X}).items():
        if value in results:
            assert_same(env[value], want, str(value))


def test_the_array_is_checked_for_its_views(config: Config) -> None:
    b, _, (result,) = build(doubled(item(slice(1, None))), [X])
    (group,) = groups_of(fused(b.nodes, {result}))
    run = kernel(group, config)
    assert run is not None
    assert run(X) is not None
    assert run(X[:2]) is None and run(X.astype("f4")) is None and run(X[::-1]) is None
