"""What a compiled function is given dies when CPython would let it die: no cycle of the compiler's
keeps it until the garbage collector comes by. Each function here is called for the first time."""

from __future__ import annotations

import contextlib
import gc
import weakref
from collections.abc import Iterator

import numpy as np
import pytest

import jitcore


class Box:
    """A local of which there are weak references."""

    def __init__(self, a: np.ndarray) -> None:
        self.a = a


def returns(a):
    box = Box(a * 2.0 + 1.0)
    return box.a.sum()


def breaks(a):
    box = Box(a * 2.0)
    print(end="")
    return float((box.a + 1.0)[0])


def raises(a):
    box = Box(a * 2.0 + 1.0)
    raise ValueError(len(box.a))


def raises_in_numpy(a):
    b = a * 2.0
    return np.sum(b, axis=3)


def raises_for_lack_of_elements(a):
    b = a[:0] * 2.0
    return np.max(b)


def catches(a):
    b = a * 2.0
    try:
        return {}["b"]
    except KeyError:
        return float((b + a)[0])


def loops(a):
    total = 0.0
    for i in range(len(a)):
        total += a[i] * 2.0
    return total


def loops_over_what_is_not_known(a):
    total = 0.0
    for key in {"x", "y"}:
        for i in range(len(a)):
            total += a[i] * len(key)
    return total


def carries_an_object_on(a):
    mine = a
    total = 0.0
    for i in range(len(a)):
        total += a[i]
        mine = Box(a) if i == 2 else mine
    return total


def hands_a_generator_on(a):
    b = a * 2.0
    found = (x for x in [b, a])
    print(end="")
    return float((next(found) + a)[0])


def inner(a):
    yield a + 1.0
    yield a * 2.0


def hands_on_what_a_function_yields(a):
    found = inner(a)
    print(end="")
    return float(sum(found)[0])


@pytest.fixture(autouse=True)
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


FUNCTIONS = (
    *(returns, breaks, raises, raises_in_numpy, raises_for_lack_of_elements, catches, loops),
    *(
        loops_over_what_is_not_known,
        carries_an_object_on,
        hands_a_generator_on,
        hands_on_what_a_function_yields,
    ),
)


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_arguments_die_with_the_caller(fn):
    compiled = jitcore.compile(fn)
    for _ in range(3):
        a = np.arange(100.0)
        argument, caller = weakref.ref(a), weakref.ref(box := Box(a))
        with contextlib.suppress(ValueError, np.exceptions.AxisError):
            compiled(a)
        del a, box
        assert argument() is None
        assert caller() is None


def test_what_a_frame_made_dies_with_it():
    """Locals, too: what a frame made that broke is gone with the frame."""
    died = []

    @jitcore.compile
    def step(a):
        box = Box(a * 2.0)
        weakref.finalize(box, died.append, "box")
        return float((box.a + a)[0])

    for count in range(1, 4):
        step(np.arange(100.0))
        assert len(died) == count
