"""How a call ends: its result or its exception, its warnings, and its arguments, as bits."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def ends(fn: Callable[..., Any], args: Sequence[Any]) -> tuple[Any, ...]:
    """Warnings and exceptions with their lines."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            result = fn(*args)
        except Exception as error:
            result = repr(error), error.__traceback__.tb_next.tb_lineno
    said = [(str(one.message), one.lineno) for one in given]
    return observed(result), said, [observed(arg) for arg in args]


def observed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, tuple):
        return [observed(one) for one in value]
    return type(value), repr(value)
