"""What a program may change for the whole process: names of modules, settings, filters."""

from __future__ import annotations

import builtins
import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

geterr, seterr = np.geterr, np.seterr
geterrcall, seterrcall = np.geterrcall, np.seterrcall
getbufsize, setbufsize = np.getbufsize, np.setbufsize
PATCHED = {
    np: ("sin", "add", "sum", "exp", "maximum", "tanh", "prod", "hypot"),
    builtins: ("len", "abs", "print", "sum", "max", "min", "float", "range"),
}
NAMES = {module: {name: getattr(module, name) for name in PATCHED[module]} for module in PATCHED}
GONE = object()


@contextlib.contextmanager
def restored() -> Iterator[None]:
    before, handler, size = geterr(), geterrcall(), getbufsize()
    try:
        yield
    finally:
        put(NAMES)
        seterr(**before)
        seterrcall(handler)
        setbufsize(size)


@contextlib.contextmanager
def at_start() -> Iterator[None]:
    """With the names of the start, for a while: who looks uses them."""
    found = {module: {n: vars(module).get(n, GONE) for n in NAMES[module]} for module in NAMES}
    put(NAMES)
    yield
    put(found)


def put(wanted: dict[Any, dict[str, Any]]) -> None:
    for module, names in wanted.items():
        for name, value in names.items():
            now = vars(module).get(name, GONE)
            if now is not value and value is GONE:
                delattr(module, name)
            elif now is not value:
                setattr(module, name, value)


def settings() -> Any:
    """What there is, and which names are not NumPy's own."""
    filters = [
        (action, category.__name__, getattr(message, "pattern", message), line)
        for action, message, category, _, line in warnings.filters
    ]
    changed = [
        (module.__name__, name)
        for module, names in NAMES.items()
        for name, value in names.items()
        if vars(module).get(name, GONE) is not value
    ]
    return geterr(), getbufsize(), filters, changed
