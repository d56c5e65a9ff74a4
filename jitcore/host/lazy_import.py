"""Modules that load when they are first used, so that `import jitcore` costs next to nothing.

CPython's lock of a module that a thread is loading stays locked in a child that is forked
meanwhile: a fork waits until nothing of ours is being loaded.
"""

from __future__ import annotations

import os
from importlib import import_module
from threading import RLock
from typing import Any

from jitcore import pristine

loading = RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=loading.acquire,
        after_in_parent=loading.release,
        after_in_child=loading.release,
    )


class LazyModule:
    """Stands for a module; the first attribute that is read loads it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        with loading:
            value = getattr(pristine.own(import_module(self._name)), attribute)
        setattr(self, attribute, value)
        return value
