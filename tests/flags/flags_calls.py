"""Expressions of x and y that raise a known flag somewhere, by name: `flag expression`.

Each becomes a function of several calls, so that a kernel is made of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

FLOATS = """
divide  x / y                      1 2 3 4 | 1 0 2 5
divide  1.0 / y                    1 1 1 1 | 3 0 2 5
divide  np.log(y)                  1 1 1 1 | 3 0 2 5
divide  np.log2(y)                 1 1 1 1 | 3 0 2 5
divide  np.log10(y)                1 1 1 1 | 3 0 2 5
divide  np.log1p(-x)               .5 1 .2 .1 | 1 1 1 1
divide  np.reciprocal(y)           1 1 1 1 | 3 0 2 5
divide  y ** -1.5                  1 1 1 1 | 3 0 2 5
divide  np.arctanh(x)              .5 1 .2 .1 | 1 1 1 1
divide  x // y                     1 2 3 4 | 1 0 2 5
over    x + y                      1e308 1 2 3 | 1.7e308 1 2 3
over    x * y                      1e300 1 2 3 | 1e300 1 2 3
over    x - y                      1e308 1 2 3 | -1.7e308 1 2 3
over    x / y                      1e300 1 2 3 | 1e-300 1 2 3
over    np.exp(x)                  1000 1 2 3 | 1 1 1 1
over    np.exp2(x)                 2000 1 2 3 | 1 1 1 1
over    np.expm1(x)                1000 1 2 3 | 1 1 1 1
over    np.cosh(x)                 1000 1 2 3 | 1 1 1 1
over    np.sinh(x)                 1000 1 2 3 | 1 1 1 1
over    np.square(x)               1e200 1 2 3 | 1 1 1 1
over    x ** 2                     1e200 1 2 3 | 1 1 1 1
over    x ** 3                     1e200 1 2 3 | 1 1 1 1
over    np.power(x, y)             1e200 1 2 3 | 5 1 1 1
over    np.hypot(x, y)             1.7e308 1 2 3 | 1.7e308 1 1 1
over    np.ldexp(x, y.astype(int)) 1 1 2 3 | 2000 1 1 1
over    x.astype("f4")             1e300 1 2 3 | 1 1 1 1
over    np.float_power(x, y)       1e200 1 2 3 | 5 1 1 1
under   x * y                      1e-300 1 2 3 | 1e-300 1 2 3
under   x / y                      1e-300 1 2 3 | 1e300 1 2 3
under   np.exp(-x)                 800 1 2 3 | 1 1 1 1
under   np.exp2(-x)                2000 1 2 3 | 1 1 1 1
under   np.square(x)               1e-200 1 2 3 | 1 1 1 1
under   np.power(x, y)             1e-200 1 2 3 | 5 1 1 1
under   x.astype("f4")             1e-300 1 2 3 | 1 1 1 1
under   np.ldexp(x, y.astype(int)) 1 1 2 3 | -2000 1 1 1
invalid np.sqrt(x)                 -1 1 2 3 | 1 1 1 1
invalid np.log(x)                  -1 1 2 3 | 1 1 1 1
invalid np.log1p(x)                -2 1 2 3 | 1 1 1 1
invalid x - y                      inf 1 2 3 | inf 1 1 1
invalid x + y                      inf 1 2 3 | -inf 1 1 1
invalid x * y                      inf 1 2 3 | 0 1 1 1
invalid x / y                      0 1 2 3 | 0 1 1 1
invalid x % y                      1 1 2 3 | 0 1 1 1
invalid np.fmod(x, y)              1 1 2 3 | 0 1 1 1
invalid x // y                     inf 1 2 3 | 1 1 1 1
invalid np.arccos(x)               2 1 .2 .3 | 1 1 1 1
invalid np.arcsin(x)               2 1 .2 .3 | 1 1 1 1
invalid np.arccosh(x)              .5 1 2 3 | 1 1 1 1
invalid np.arctanh(x)              2 .1 .2 .3 | 1 1 1 1
invalid np.sin(x)                  inf 1 2 3 | 1 1 1 1
invalid np.cos(x)                  inf 1 2 3 | 1 1 1 1
invalid np.tan(x)                  inf 1 2 3 | 1 1 1 1
invalid np.power(x, y)             -2 1 2 3 | .5 1 1 1
invalid x.astype("i4")             nan 1 2 3 | 1 1 1 1
invalid x.astype("i8")             1e300 1 2 3 | 1 1 1 1
none    (x < y) | (x != y)         nan 1 5 3 | 1 nan 2 1
none    np.maximum(x, y)           nan 1 5 3 | 1 nan 2 1
none    np.where(x > y, x, y)      nan 1 5 3 | 1 nan 2 1
none    np.isnan(x) | (y > 0)      nan 1 5 3 | 1 nan 2 1
none    np.sign(x) + np.abs(y)     nan 1 5 3 | 1 nan 2 1
"""
INTS = """
divide  x // y                     1 2 3 4 | 1 0 2 5
divide  x % y                      1 2 3 4 | 1 0 2 5
divide  x / y                      1 2 3 4 | 1 0 2 5
divide  np.fmod(x, y)              1 2 3 4 | 1 0 2 5
divide  np.divmod(x, y)[0]         1 2 3 4 | 1 0 2 5
divide  np.log(y)                  1 2 3 4 | 1 0 2 5
over    np.exp(x)                  1000 2 3 4 | 1 1 2 5
invalid np.sqrt(x)                 -1 2 3 4 | 1 1 2 5
none    x + y * 2                  9223372036854775807 2 3 4 | 1 1 2 5
none    np.abs(x) - y              -9223372036854775808 2 3 4 | 1 1 2 5
"""
NARROW = """
over    x * y                      1e30 1 2 3 | 1e30 1 2 3
over    np.exp(x)                  100 1 2 3 | 1 1 1 1
under   x * y                      1e-30 1 2 3 | 1e-30 1 2 3
divide  x / y                      1 1 2 3 | 0 1 2 3
invalid np.log(x)                  -1 1 2 3 | 1 1 1 1
over    x ** 2                     1e30 1 2 3 | 1 1 1 1
"""

TEXT = """
def f(x, y):
    before = x + 0
    a = {call}
    b = a + 1
    c = b * 2 - a
    return a, c
"""


@dataclass(frozen=True)
class Sample:
    """A function of arrays, the flag that it raises, and the values that do so among tame ones."""

    name: str
    flag: str
    fn: Callable[[Array, Array], Any]
    x: Array
    y: Array

    def operands(self, count: int) -> tuple[Array, Array]:
        made = tuple(np.full(count, one[2]) for one in (self.x, self.y))
        for whole, few in zip(made, (self.x, self.y), strict=True):
            whole[count - 5 : count - 1] = few
        return made  # type: ignore[return-value]

    def tame(self, count: int) -> tuple[Array, Array]:
        return np.full(count, self.x[2]), np.full(count, self.y[2])

    def __str__(self) -> str:
        return self.name


def samples() -> list[Sample]:
    tables = ((FLOATS, "d"), (INTS, "l"), (NARROW, "f"))
    return [sample(line, char) for table, char in tables for line in table.strip().splitlines()]


def sample(line: str, char: str) -> Sample:
    flag, call, numbers = line[:8].strip(), line[8:35].strip(), line[35:]
    kind: Any = int if char == "l" else float
    x, y = (np.array([kind(one) for one in part.split()], char) for part in numbers.split("|"))
    return Sample(f"{flag} {call} {char}", flag, function(TEXT.format(call=call)), x, y)


def function(text: str) -> Callable[..., Any]:
    """The function f that this text defines, in a namespace of its own."""
    namespace: dict[str, Any] = {"np": np, "__name__": "flags_of"}
    exec(compile(text, "<flags>", "exec"), namespace)
    fn: Callable[..., Any] = namespace["f"]
    return fn
