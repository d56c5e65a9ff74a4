"""`with jitcore.config(name=value):` → what functions that are decorated in the block, or first met
in it, are compiled with, on this thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from jitcore.config import COMPILING, Config, environment
from jitcore.host.fast_dataclass import replace


class ThreadConfig(threading.local):
    settings: Mapping[str, Any] = MappingProxyType({})


here = ThreadConfig()

# Setting → what it may be, in words and as a test.
SETTINGS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "backend": ("a name", lambda value: isinstance(value, str)),
    "fullgraph": ("True or False", lambda value: type(value) is bool),
    "dynamic": ("True, False or None", lambda value: value is None or type(value) is bool),
    "cache_limit": ("a number from 1 on", lambda value: type(value) is int and value > 0),
    "compiling": (" or ".join(COMPILING), lambda value: value in COMPILING),
}


def current() -> Config:
    """The process's configuration, as this thread has changed it."""
    return changed(environment())


def changed(config: Config) -> Config:
    return replace(config, **here.settings) if here.settings else config


class Settings:
    """A context manager; it may be entered again, one block inside another, and by other
    threads."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = settings
        self._before = threading.local()

    def __enter__(self) -> None:
        self._before.__dict__.setdefault("rows", []).append(here.settings)
        here.settings = {**here.settings, **self._settings}

    def __exit__(self, *exc: object) -> None:
        here.settings = self._before.rows.pop()


def config(**settings: Any) -> Settings:
    """Change settings in a block: `with jitcore.config(dynamic=True, cache_limit=32): ...`.

    backend      the back end of functions for which `jitcore.compile` was told none
    fullgraph    True: a break is an error
    dynamic      True, False or None, as of `jitcore.compile`
    cache_limit  versions of one place, 8 at first; then no other ones are compiled
    compiling    "eager": a call waits for its kernels · "background": NumPy serves until then

    They hold on this thread, for functions that are decorated in the block, or met in it for the
    first time, by code that is compiled; those keep them. What `jitcore.compile` was told goes
    first. Functions that have been met keep what they had: decorate them anew in the block.

    TypeError for another name, ValueError for a value that a setting cannot have.
    """
    for name, value in settings.items():
        if name not in SETTINGS:
            raise TypeError(f"jitcore.config: {name!r} is none of {', '.join(SETTINGS)}")
        words, allows = SETTINGS[name]
        if not allows(value):
            raise ValueError(f"jitcore.config: {name}={value!r}: it may be {words}")
    return Settings(settings)
