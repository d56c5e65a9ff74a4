"""A call whose only effect is the store of its last kernel runs without a frame: whole, or CPython
makes it; never both."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from compare import KEEP_ALL

import jitcore
from jitcore.attach import attach
from jitcore.config import environment

CALLS = 12


def slice_of(x: Any) -> None:
    x[1:-1] = x[1:-1] * 0.5 + 1.0


def added(x: Any) -> Any:
    x += x * 2.0
    return x


def added_to_a_view(x: Any) -> Any:
    x[::2] += np.sqrt(x[1::2] * x[1::2])
    return 3, x


def into(x: Any) -> Any:
    return np.multiply(x + 1.0, x, out=x)


def masked(x: Any) -> None:
    x[x > 0.5] = 0.25


def silenced(x: Any) -> Any:
    with np.errstate(all="ignore"):
        x[...] = 1 / (x - x) + x
    return x


PROGRAMS = [slice_of, added, added_to_a_view, into, masked, silenced]


def array() -> Any:
    return np.linspace(0.0, 1.0, 10)


def compiled(fn: Any, **options: Any) -> Any:
    return attach(fn, dataclasses.replace(KEEP_ALL, **options))


def bits(obj: Any) -> Any:
    return tuple(map(bits, obj)) if isinstance(obj, tuple) else np.asarray(obj).tobytes()


def same(jit: Any, fn: Callable[..., Any], calls: int) -> None:
    """Each call changes what the one before left: one that were made twice would show."""
    x, y = array(), array()
    with np.errstate(all="ignore"):
        for _ in range(calls):
            found, wanted = jit(x), fn(y)
            assert bits(x) == bits(y)
            assert bits(found) == bits(wanted)
            assert (found is x) == (wanted is y)


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_no_frame_is_made(fn: Callable[..., Any]) -> None:
    jit = compiled(fn)
    same(jit, fn, CALLS)
    assert jit._hits == CALLS - 1


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_while_it_is_tried_each_call_stores_once(fn: Callable[..., Any]) -> None:
    """Its baseline, NumPy's calls one by one, needs a frame."""
    jitcore.reset()
    jit = attach(fn, dataclasses.replace(environment(), keep_all=False))
    same(jit, fn, CALLS)


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_while_its_kernel_is_compiled_each_call_stores_once(fn: Callable[..., Any]) -> None:
    jit = compiled(fn, compiling="background")
    same(jit, fn, CALLS)
    assert jitcore.wait(60)
    same(jit, fn, CALLS)
    assert jit._hits > 1


def inverse(x: Any, y: Any) -> Any:
    y[1:] = 1.0 / x[1:] + x[1:]
    return y


def ready() -> Any:
    jitcore.reset()
    jit = compiled(inverse)
    for _ in range(2):
        jit(array(), array())
    assert jit._hits == 1
    return jit


def test_a_launch_that_is_refused_is_undone_and_made_by_cpython() -> None:
    jit = ready()
    for _ in range(3):
        found, wanted, x = array(), array(), array() * 0
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            jit(x, found)
        with np.errstate(all="ignore"):
            inverse(x, wanted)
        assert bits(found) == bits(wanted)
        assert [(one.category, one.lineno) for one in told] == [
            (RuntimeWarning, inverse.__code__.co_firstlineno + 1)
        ]
    assert jit._hits == 1


def test_where_the_warning_is_an_error_nothing_is_stored() -> None:
    jit = ready()
    y = array()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning):
            jit(array() * 0, y)
    assert bits(y) == bits(array())


def test_arrays_that_overlap_or_are_read_only_are_cpythons() -> None:
    jit = ready()
    found, wanted = np.linspace(1, 2, 15), np.linspace(1, 2, 15)
    jit(found[:10], found[5:])
    inverse(wanted[:10], wanted[5:])
    assert bits(found) == bits(wanted)
    y = array()
    y.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        jit(array() + 1, y)
    assert jit._hits == 1


def two_stores(x: Any) -> None:
    x[1:] = x[1:] * 2.0 + 1
    x[:-1] = x[:-1] * 3.0 + 1


def work_after_the_store(x: Any) -> Any:
    x[1:] = x[1:] * 2.0 + 1
    return x * 3.0 + 1


def cast(x: Any) -> None:
    x[:] = np.arange(10, dtype="c16") * 1j + 1


@pytest.mark.parametrize("fn", [two_stores, work_after_the_store, cast])
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_what_cannot_be_undone_as_a_whole_has_a_frame(fn: Callable[..., Any]) -> None:
    jit = compiled(fn)
    same(jit, fn, CALLS)
    assert jit._hits == 0


def test_large_arrays_have_a_frame() -> None:
    """It is asked whether what stands there must be kept."""
    jit = compiled(slice_of)
    for _ in range(3):
        jit(np.ones(1 << 16))
    assert jit._hits == 0
