"""Every program gives the same, eager and compiled, on both back ends, the first time and later."""

from __future__ import annotations

import compare
import programs
import pytest

IDS = [fn.__name__ for fn, _ in programs.PROGRAMS]


@pytest.mark.parametrize("backend", ["numpy", "c"])
@pytest.mark.parametrize(("fn", "makers"), programs.PROGRAMS, ids=IDS)
def test_same(fn, makers, backend):
    compare.agree(fn, makers, 3, backend)


def test_something_is_compiled():
    fn, makers = programs.PROGRAMS[0]
    jit = compare.compiled(fn)
    for _ in range(3):
        jit(*[make() for make in makers])
    assert jit._hits >= 2
