"""Ten tiny programs, eager against compiled: seconds, for every commit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from core.compare import agree, compiled


def ramp() -> Any:
    return np.linspace(-2.0, 3.0, 12).reshape(3, 4)


def chain(x):
    return np.sqrt(x * x + 1.0) * np.exp(-x) + x


def mixed_dtypes(x):
    return x.astype(np.float32) * 2 + x.astype(np.int16), x > 0


def reduced(x):
    return x.sum(), x.mean(axis=0), x.max(axis=1, keepdims=True)


def stored(x):
    x[1:] += x[:-1]
    x[0, ::2] = -0.0
    return x


def viewed(x):
    return x.T, x[::-1, 1:], x.reshape(-1)[2:5]


def looped(x):
    total = np.zeros_like(x)
    for k in range(3):
        total = total + x * k
    return total


def branched(x):
    if x.sum() > 0:
        return np.log1p(np.abs(x))
    return -x


def printed(x):
    y = x * 2
    print("largest", y.max())
    return y + 1


def warned(x):
    return np.log(x) / (x - x)


def raised(x):
    return x @ x


PROGRAMS = [
    chain, mixed_dtypes, reduced, stored, viewed, looped, branched, printed, warned, raised
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_tiny(program: Callable[..., Any]) -> None:
    agree(program, [ramp], calls=3, backend="c")


def test_tiny_programs_are_compiled() -> None:
    jit = compiled(chain)
    for _ in range(3):
        jit(ramp())
    assert jit._hits >= 2
