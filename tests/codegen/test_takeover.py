"""Results in the memory of arrays that nobody reads again: never in one that somebody has."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from codegen_harness import assert_same, build, by_numpy, groups_of
from codegen_values import tame

import jitcore
from jitcore.config import Config
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import Builder, Value
from jitcore.ir.ops import OPS
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.kernel import kernel
from jitcore.passes.window import fused

Array = np.ndarray[Any, Any]
Program = Callable[..., Any]


def taken(fn: Program, *arrays: Any) -> list[tuple[Value, Value]]:
    b, _, results = build(fn, arrays)
    return [pair for group in groups_of(fused(b.nodes, set(results))) for pair in group.taken]


def product(b: Builder, x: Value, y: Value) -> Value:
    return b.emit(OP["@"], (x, y))


def ended(b: Builder, t: Value) -> Value:
    return b.emit(OPS["tanh"], (b.emit(OP["+"], (t, 1.0)),))


def dead(b: Builder, x: Value, y: Value) -> Value:
    return ended(b, product(b, x, y))


def kept(b: Builder, x: Value, y: Value) -> list[Value]:
    t = product(b, x, y)
    return [t, ended(b, t)]


def viewed(b: Builder, x: Value, y: Value) -> list[Value]:
    t = product(b, x, y)
    return [b.emit(OPS["transpose"], (t,)), ended(b, t)]


def read_twice(b: Builder, x: Value, y: Value) -> list[Value]:
    """The second loop must wait for the first one's sum."""
    t = product(b, x, y)
    total = b.emit(OPS["sum"], (b.emit(OP["*"], (t, t)),))
    return [b.emit(OPS["exp"], (b.emit(OP["-"], (t, total)),)), ended(b, product(b, t, t))]


def other_type(b: Builder, x: Value, y: Value) -> Value:
    t = product(b, x, y)
    return b.emit(OP["<"], (b.emit(OP["+"], (t, 1.0)), 2.0))


def of_an_input(b: Builder, x: Value, y: Value) -> Value:
    return ended(b, b.emit(OP["*"], (x, y)))


def made_by_a_kernel(b: Builder, x: Value, y: Value) -> Value:
    e = b.emit(OPS["exp"], (b.emit(OP["-"], (x, y)),))
    return ended(b, b.emit(OP["/"], (e, b.emit(OPS["sum"], (e,)))))


def in_another_order(b: Builder, x: Value, y: Value) -> Value:
    """What is read backwards is not at the place that is written."""
    t = product(b, x, y)
    return b.emit(OP["*"], (b.emit(OP["+"], (t, 1.0)), b.emit(OPS["flip"], (t,))))


X = tame("d", (40, 40), 1) / 40


@pytest.mark.parametrize(
    ("fn", "count"),
    [
        (dead, 1),
        (kept, 0),
        (viewed, 0),
        (other_type, 0),
        (of_an_input, 0),
        (made_by_a_kernel, 1),
        (read_twice, 1),
        (in_another_order, 0),
    ],
)
def test_what_is_taken(fn: Program, count: int) -> None:
    assert len(taken(fn, X, X)) == count


def last_group(fn: Program, *arrays: Any) -> tuple[FusionGroup, dict[Value, Any], dict[Value, Any]]:
    b, inputs, results = build(fn, arrays)
    env = dict(zip(inputs, arrays, strict=True))
    group = groups_of(fused(b.nodes, set(results)))[-1]
    return group, env, by_numpy(b.nodes, env)


@pytest.mark.parametrize("fn", [dead, made_by_a_kernel])
def test_an_array_that_others_have_is_copied(fn: Program, config: Config) -> None:
    group, _, known = last_group(fn, X, X)
    run = kernel(group, config)
    assert run is not None
    operands = [known[value] for value in group.inputs]
    before = [one.copy() for one in operands]
    ((out, of),) = group.taken
    found = run(*operands)
    assert found is not None
    result = found[group.outputs.index(out)]
    assert result is not known[of] and not np.shares_memory(result, known[of])
    for one, was in zip(operands, before, strict=True):
        assert_same(one, was, "operand")
    assert_same(result, known[out], "result")


def test_a_refused_launch_leaves_what_others_have(config: Config) -> None:
    group, *_ = last_group(dead, X, X)
    run = kernel(group, config)
    assert run is not None
    t = np.full((40, 40), 1.0)
    t[39, 39] = np.inf
    with np.errstate(all="raise"):
        assert run(t) is not None
        assert (t.ravel()[:-1] == 1).all()


def layer(x: Array, w: Array, b: Array) -> Array:
    return np.tanh(x @ w + b)


def attended(q: Array, k: Array) -> Array:
    s = q @ k.T
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def seen_before(x: Array, w: Array, seen: Any) -> Array:
    t = x @ w
    seen.append(t)
    part = t[1:]
    seen.append(part)
    return np.tanh(t + 1) * 2


def stored_meanwhile(x: Array, w: Array, y: Array) -> Any:
    t = x @ w
    y[...] = t + 1
    u = t * y + 1
    y += u * t
    return u


@pytest.mark.parametrize("size", [(3, 4), (70, 30), (600, 500)])
def test_programs(size: tuple[int, int]) -> None:
    rows, columns = size
    x, w = tame("d", (rows, columns), 1) - 1, tame("d", (columns, columns), 2) - 1
    whole = jitcore.compile(layer)
    rows_of = jitcore.compile(attended)
    seeing = jitcore.compile(seen_before)
    storing = jitcore.compile(stored_meanwhile)
    for _ in range(20):
        assert_same(whole(x, w, w[0]), layer(x, w, w[0]), "layer")
        assert_same(rows_of(x, w), attended(x, w), "attended")
        got, want = [], []  # type: ignore[var-annotated]
        assert_same(seeing(x, w, got), seen_before(x, w, want), "seen")
        for one, other in zip(got, want, strict=True):
            assert np.array_equal(one, other)
        a, b = np.zeros((rows, columns)), np.zeros((rows, columns))
        assert_same(storing(x, w, a), stored_meanwhile(x, w, b), "stored")
        assert_same(a, b, "target")


def test_the_result_is_the_callers_alone() -> None:
    """As NumPy's would be: no reference stays behind, and results differ from one another."""
    x = tame("d", (300, 300), 1) - 1
    whole = jitcore.compile(layer)
    results = [whole(x, x, x[0]) for _ in range(12)]
    assert len({one.ctypes.data for one in results}) == 12
    for one in results:
        assert one.flags.owndata and one.flags.writeable and one.base is None
    plain = [layer(x, x, x[0]) for _ in range(12)]
    counts = [{sys.getrefcount(made[k]) for k in range(11)} for made in (results, plain)]
    assert counts[0] == counts[1]


def test_warnings_and_errors_on_the_way() -> None:
    x, w = tame("d", (30, 30), 1), tame("d", (30, 30), 2)
    whole = jitcore.compile(lambda x, w: np.log(x @ w - 90.0) * 2)
    for _ in range(12):
        with np.errstate(all="ignore"):
            assert_same(whole(x, w), np.log(x @ w - 90.0) * 2, "ignored")
        with pytest.warns(RuntimeWarning, match="invalid value"):
            assert_same(whole(x, w), by_hand(x, w), "warned")
        with np.errstate(all="raise"), pytest.raises(FloatingPointError):
            whole(x, w)


def by_hand(x: Array, w: Array) -> Array:
    with np.errstate(all="ignore"):
        found: Array = np.log(x @ w - 90.0) * 2
    return found


def test_peak_memory_is_told() -> None:
    jitcore.reset()
    x = np.ones((100, 100))
    assert "peak memory 78.12 KiB instead of 156.2 KiB" in str(jitcore.explain(layer)(x, x, x[0]))
    y = np.ones((200, 200))
    assert "peak memory 312.5 KiB instead of 625 KiB" in str(jitcore.explain(layer)(y, y, y[0]))
