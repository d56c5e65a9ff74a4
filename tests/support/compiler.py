"""Which compile the tests test: `JITCORE_TEST_COMPILE`.

unset                 jitcore.compile, backends "c" and "numpy"
identity              nothing is compiled: the harness and the programs test themselves
module:function       another one, e.g. one that is broken on purpose
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

Compile = Callable[..., Any]
CHOICE = os.environ.get("JITCORE_TEST_COMPILE", "jitcore:compile")
BACKENDS = ("c",) if CHOICE == "identity" else ("c", "numpy")
REAL = CHOICE == "jitcore:compile"


def identity(fn: Any = None, **options: Any) -> Any:
    return fn if fn is not None else lambda f: f


def find(choice: str = CHOICE) -> Compile:
    if choice == "identity":
        return identity
    module, _, name = choice.partition(":")
    found: Compile = getattr(importlib.import_module(module), name)
    return found


def forget(choice: str = CHOICE) -> None:
    """Drop what was compiled, so that programs do not add up."""
    if choice == "jitcore:compile":
        importlib.import_module("jitcore").reset()
