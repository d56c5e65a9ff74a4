"""Modules that load when they are first used, so that `import jitcore` costs next to nothing.

CPython's lock of a module that a thread is loading stays locked in a child that is forked
meanwhile: a fork waits until nothing is being loaded within `loading()`.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from threading import RLock
from typing import Any

from jitcore import pristine

lock = RLock()


def loading() -> Any:
    """The lock, which forks take."""
    mind_forks()
    return lock


@cache
def mind_forks() -> None:
    """A fork takes the last registered lock first. Our modules ask for that of `logging` while they
    load, so it has to be registered before."""
    import_module("logging")
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release
        )


class LazyModule:
    """Stands for a module; the first attribute that is read loads it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        with loading():
            value = getattr(pristine.own(import_module(self._name)), attribute)
        setattr(self, attribute, value)
        return value
