"""Arrays of one number: constants of the loops that read them, and of nobody else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from codegen_harness import build, check
from codegen_values import DTYPES, wild

from jitcore.config import Config
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import OPS, Builder, Value
from jitcore.passes.window import fused

pytestmark = pytest.mark.by_turns

FILLS: dict[str, Callable[[Builder, Value, Any], Value]] = {
    "zeros": lambda b, x, _: b.emit(OPS["zeros"], (x.type.shape,), {"dtype": x.type.dtype}),
    "ones": lambda b, x, _: b.emit(OPS["ones"], (x.type.shape,)),
    "zeros_like": lambda b, x, _: b.emit(OPS["zeros_like"], (x,)),
    "ones_like": lambda b, x, _: b.emit(OPS["ones_like"], (x,)),
    "full": lambda b, x, number: b.emit(OPS["full"], (x.type.shape, number)),
    "full_like": lambda b, x, number: b.emit(OPS["full_like"], (x, number)),
}
NUMBERS = (0, 3, 2.5, -0.0, float("nan"), float("inf"), True, 1e300)


def calculated(fill: str, number: Any = 0) -> Callable[..., Any]:
    def fn(b: Builder, x: Value, y: Value) -> list[Value]:
        one = FILLS[fill](b, x, number)
        found = [b.emit(OPS[name], (one, y)) for name in ("add", "multiply", "less", "maximum")]
        return [*found, b.emit(OPS["where"], (b.emit(OP["<"], (x, y)), y, one))]

    return fn


def left(fn: Callable[..., Any], *arrays: Any) -> list[str]:
    """The calls that are left."""
    b, _, results = build(fn, arrays)
    return [step.op.name for step in fused(b.nodes, set(results)) if hasattr(step, "op")]


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_types(fill: str, dtype: str, config: Config) -> None:
    for other in "?iqfdD":
        arrays = [wild(dtype, (70,), 1), wild(other, (70,), 2)]
        with np.errstate(all="ignore"):
            assert check(calculated(fill, 1), arrays, config, groups=0)


@pytest.mark.parametrize("number", NUMBERS)
def test_numbers(number: Any, config: Config) -> None:
    arrays = [wild("d", (5, 30), 1), np.asfortranarray(wild("d", (5, 30), 2))]
    with np.errstate(all="ignore"):
        for fill in "full", "full_like":
            assert check(calculated(fill, number), arrays, config)
            assert check(calculated(fill, number), [arrays[1], arrays[1]], config)
            assert check(calculated(fill, number), [arrays[1], arrays[1][:1]], config)


def summed(b: Builder, x: Value, y: Value) -> Value:
    total = b.emit(OPS["zeros"], (x.type.shape,))
    for one in x, y, x:
        total = b.emit(OP["+"], (total, b.emit(OP["*"], (one, 2.0))))
    return total


def wanted(b: Builder, x: Value, y: Value) -> list[Value]:
    zeros = b.emit(OPS["zeros_like"], (x,))
    return [zeros, b.emit(OP["+"], (zeros, b.emit(OP["*"], (x, y))))]


def powers(b: Builder, x: Value, y: Value) -> list[Value]:
    """One exponent is a square, or a root; many are powers."""
    twos, halves = (b.emit(OPS["full"], (x.type.shape, n)) for n in (2.0, 0.5))
    size = b.emit(OPS["absolute"], (x,))
    return [b.emit(OP["**"], (size, twos)), b.emit(OPS["power"], (size, halves))]


def spread(b: Builder, x: Value, y: Value) -> Value:
    """The number has no shape."""
    return b.emit(OP["+"], (b.emit(OPS["ones"], ((7, *x.type.shape),)), b.emit(OP["*"], (x, y))))


def test_what_is_left() -> None:
    x = wild("d", (40,), 1)
    assert left(summed, x, x) == []
    assert left(wanted, x, x) == ["zeros_like"]
    assert left(spread, x, x)[0] == "ones"


@pytest.mark.parametrize("fn", [summed, wanted, powers, spread])
def test_programs(fn: Callable[..., Any], config: Config) -> None:
    for dtype in "df":
        with np.errstate(all="ignore"):
            assert check(fn, [wild(dtype, (300,), 1), wild(dtype, (300,), 2)], config, groups=0)
