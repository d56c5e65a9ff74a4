"""A call under an error state and warning filters → all that it showed, for eager and compiled.

states    what np.errstate does with one flag: ignore, warn, raise, call, print, log
filters   what Python does with the warning: always, default, once, error, ignore, a showwarning
"""

from __future__ import annotations

import io
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

import numpy as np

STATES = ("ignore", "warn", "raise", "call", "print", "log")
FILTERS = ("always", "default", "once", "error", "ignore", "module")

Event = tuple[Any, ...]


class Log:
    def __init__(self, events: list[Event]) -> None:
        self.events = events

    def write(self, text: str) -> None:
        self.events.append(("log", text))


def portrait(value: Any) -> Any:
    """All of a result but the payloads of its NaNs."""
    if isinstance(value, tuple | list):
        return type(value).__name__, tuple(map(portrait, value))
    if not isinstance(value, np.ndarray | np.generic):
        return type(value).__name__, repr(value)
    array = np.array(value)
    with np.errstate(all="ignore"):
        if array.dtype.kind in "fc":
            array[np.isnan(array)] = np.nan
    layout = value.strides, value.flags.num if isinstance(value, np.ndarray) else 0
    return type(value).__name__, array.dtype.char, array.shape, layout, array.tobytes()


@contextmanager
def listening(rule: str, namespace: dict[str, Any], events: list[Event]) -> Iterator[None]:
    """Warnings under one filter, each that is shown an event; places forget what they showed."""

    def show(
        message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        events.append(("warning", category.__name__, str(message), filename, lineno))

    namespace.pop("__warningregistry__", None)
    with warnings.catch_warnings():
        warnings.simplefilter(rule)  # type: ignore[arg-type]
        warnings.showwarning = show
        yield


def seen(fn: Callable[..., Any], args: tuple[Any, ...], events: list[Event]) -> None:
    """Appends the outcome of a call: a portrait, or the exception with its lines."""
    printed = io.StringIO()
    try:
        with redirect_stdout(printed), redirect_stderr(printed):
            result = fn(*args)
    except Exception as error:
        lines = [entry.lineno for entry in traceback.extract_tb(error.__traceback__)[1:]]
        events.append(("raised", type(error).__name__, str(error), lines))
    else:
        events.append(("returned", portrait(result)))
    if printed.getvalue():
        events.append(("printed", printed.getvalue()))
    events.append(("state", tuple(np.geterr().items()), np.geterrcall() is None))
    assert sys.exc_info() == (None, None, None)


@contextmanager
def heard(state: str, events: list[Event]) -> Iterator[None]:
    """An errcall that fits the state."""

    def call(kind: str, flag: int) -> None:
        events.append(("call", kind, flag))

    old = np.seterrcall(Log(events) if state == "log" else call)
    try:
        yield
    finally:
        np.seterrcall(old)
