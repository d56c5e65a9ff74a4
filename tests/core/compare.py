"""Run a program eager and compiled, and describe what happened so that the two can be compared
bit for bit."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import struct
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jitcore.attach import attach
from jitcore.config import environment

KEEP_ALL = dataclasses.replace(environment(), keep_all=True)


def compiled(fn: Any, backend: str = "c") -> Any:
    return attach(fn, dataclasses.replace(KEEP_ALL, backend=backend))


def run(fn: Callable[..., Any], makers: Sequence[Callable[[], Any]], filename: str) -> Any:
    """Result or exception, state of the arguments, warnings, output."""
    args = [make() for make in makers]
    out = io.StringIO()
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(out):
        warnings.simplefilter("always")
        try:
            result = described(fn(*args))
        except Exception as error:
            result = ("raised", type(error).__name__, str(error), lines(error, filename))
    told = [(w.category.__name__, str(w.message), w.lineno) for w in caught]
    return result, [described(arg) for arg in args], told, out.getvalue()


def lines(error: Exception, filename: str) -> list[tuple[str, int | None]]:
    """The traceback within the program's own file."""
    frames = traceback.extract_tb(error.__traceback__)
    return [(frame.name, frame.lineno) for frame in frames if frame.filename == filename]


def described(obj: Any) -> Any:
    """A value by its bits; a NaN is a NaN."""
    match obj:
        case np.ndarray():
            flags = obj.flags
            strides = obj.strides if obj.size > 1 else ()
            bits = described(obj.tolist()) if has_nan(obj) else obj.tobytes()
            order = (flags.c_contiguous, flags.f_contiguous, flags.writeable)
            return type(obj).__name__, obj.dtype.str, obj.shape, strides, order, bits
        case np.generic():
            return type(obj).__name__, "nan" if obj != obj else obj.tobytes()
        case float():
            return "float", "nan" if obj != obj else struct.pack("d", obj)
        case complex():
            return "complex", described(obj.real), described(obj.imag)
        case tuple() | list():
            return type(obj).__name__, [described(item) for item in obj]
        case dict():
            return [(key, described(value)) for key, value in obj.items()]
    if hasattr(obj, "__dict__") and not callable(obj):
        return type(obj).__name__, described(vars(obj))
    return type(obj).__name__, repr(obj)


def has_nan(array: np.ndarray[Any, Any]) -> bool:
    return array.dtype.kind in "fc" and bool(np.isnan(array).any())


def agree(fn: Any, makers: Sequence[Callable[[], Any]], calls: int, backend: str) -> None:
    """Eager once, compiled several times: the same every time."""
    filename = fn.__code__.co_filename
    wanted = run(fn, makers, filename)
    jit = compiled(fn, backend)
    for call in range(calls):
        got = run(jit, makers, filename)
        assert got == wanted, f"call {call + 1} of {fn.__name__} differs"
