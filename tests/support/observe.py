"""A call → what could be seen of it: outcome, warnings and prints in order, state afterwards."""

from __future__ import annotations

import io
import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from support.portrait import Object, Painter, without_address


@dataclass(frozen=True)
class Seen:
    """Portraits of one call. `outcome` is ("returned", …) or ("raised", …)."""

    arguments: Any
    outcome: Any
    events: tuple[tuple[Any, ...], ...]
    settings: Any


class Printed(io.TextIOBase):
    """A standard output that puts each text into the list of events."""

    def __init__(self, events: list[tuple[Any, ...]]) -> None:
        self.events = events

    def write(self, text: str) -> int:
        kind, *rest = self.events[-1] if self.events else ("", "")
        if kind == "print":
            self.events[-1] = ("print", rest[0] + without_address(text))
        else:
            self.events.append(("print", without_address(text)))
        return len(text)


@contextmanager
def listening(events: list[tuple[Any, ...]]) -> Iterator[None]:
    """Every print and every warning becomes an event, in the order in which they come."""

    def show(
        message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        events.append(("warning", category.__name__, str(message), Path(filename).name, lineno))

    stdout = sys.stdout
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        sys.stdout = Printed(events)
        try:
            yield
        finally:
            sys.stdout = stdout


def observe(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    kept: list[Any],
    errstate: dict[str, Any] | None = None,
) -> Seen:
    """Call once and look. The result is put into `kept`, to be looked at again at the end."""
    events: list[tuple[Any, ...]] = []
    painter = Painter()
    with listening(events), np.errstate(**(errstate or {})):
        try:
            result = fn(*args, **kwargs)
            how = "returned"
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt | SystemExit) and not error.args:
                raise
            result = error
            how = "raised"
        arguments = tuple(painter.paint(arg) for arg in (*args, *kwargs.values()))
        outcome = (how, painter.paint(result))
        settings = (tuple(np.geterr().items()), np.getbufsize(), sys.gettrace() is None)
    kept.append(result if how == "returned" else None)
    return Seen(arguments, outcome, tuple(events), settings)


def globals_portrait(namespace: dict[str, Any], painter: Painter) -> Object:
    """Of a program's module: its own variables, and what its classes hold."""
    module = namespace["__name__"]
    own: list[tuple[str, Any]] = []
    for name, value in namespace.items():
        if name.startswith("__") or name == "annotations":
            continue
        if isinstance(value, type) and value.__module__ == module:
            own.append((name, Object("class", painter.fields(class_state(value)))))
        elif not callable(value) and type(value).__name__ not in ("module", "Program"):
            own.append((name, painter.paint(value)))
    return Object("globals", tuple(own))


def class_state(cls: type) -> dict[str, Any]:
    return {
        name: value
        for name, value in vars(cls).items()
        if not name.startswith("_") and not callable(value) and not hasattr(value, "__get__")
    }


class InternalErrors(logging.Handler):
    """Collects what jitcore logs as errors of its own."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(logging.Formatter().format(record))


@contextmanager
def internal_errors() -> Iterator[list[str]]:
    handler = InternalErrors()
    log = logging.getLogger("jitcore")
    log.addHandler(handler)
    propagate, log.propagate = log.propagate, False
    try:
        yield handler.texts
    finally:
        log.removeHandler(handler)
        log.propagate = propagate
