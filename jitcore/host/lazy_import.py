"""Modules that load when they are first used, so that `import jitcore` costs next to nothing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from jitcore import pristine


class LazyModule:
    """Stands for a module; the first attribute that is read loads it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(pristine.own(import_module(self._name)), attribute)
        setattr(self, attribute, value)
        return value
