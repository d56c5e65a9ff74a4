"""Functions called with arrays of many sizes, eager and compiled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.same import same

from jitcore.attach import attach
from jitcore.config import environment
from jitcore.runtime.records import records

KEPT = replace(environment(), keep_all=True)  # what pays is not the question here
Function = Callable[..., Any]


def attached(fn: Function) -> Function:
    made: Function = attach(fn, KEPT)  # type: ignore[arg-type]
    return made


def regions(fn: Function) -> list[Any]:
    record = records.find(fn.__code__)
    assert record is not None
    return [region for region in record.regions if region.entry is not None]


def assert_same(found: Any, expected: Any) -> None:
    assert same(expected, found) is None


def hits(fn: Function, text: str = " of extents ") -> int:
    return sum(r.entry.hits for r in regions(fn) if any(text in guard for guard in r.guards))


def data(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(shape).normal(size=shape)


def twin(arg: Any) -> Any:
    """With strides, and a base, like its own."""
    if not isinstance(arg, np.ndarray) or arg.base is None:
        return arg.copy(order="K") if isinstance(arg, np.ndarray) else arg
    base = arg.base.copy(order="K")
    assert base.strides == arg.base.strides
    offset = arg.ctypes.data - arg.base.ctypes.data
    memory = base.reshape(-1, order="A").view(np.uint8)[offset:]
    return np.ndarray(arg.shape, arg.dtype, memory, 0, arg.strides)


def agree(fn: Function, calls: list[tuple[Any, ...]]) -> None:
    """Eager and compiled, call by call, on arguments of their own."""
    compiled = attached(fn)
    for args in calls:
        ours = [*map(twin, args)]
        try:
            expected = fn(*args)
        except Exception as error:
            with pytest.raises(type(error)) as raised:
                compiled(*ours)
            assert str(raised.value) == str(error)
        else:
            assert_same(compiled(*ours), expected)
        assert_same(ours, list(args))
