"""Whose code is captured as frames of its own: the user's functions, not a library's.

Functions of these files may still be inlined or modelled; they get no region points when they are
merely called.
"""

from __future__ import annotations

import os
from functools import cache
from inspect import CO_NEWLOCALS, CO_OPTIMIZED
from types import CodeType

import numpy as np

from jitcore.host.lazy_import import LazyModule
from jitcore.host.own_code import is_made_up, is_own_file
from jitcore.opcodes.decode import instructions


def _folder(path: str) -> str:
    return os.path.realpath(path) + os.sep


NUMPY = _folder(os.path.dirname(np.__file__))
sysconfig = LazyModule("sysconfig")
PACKAGES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
FUNCTION = CO_OPTIMIZED | CO_NEWLOCALS


@cache
def standard_library() -> str:
    return _folder(sysconfig.get_path("stdlib"))


def leaves_under_stress(code: CodeType) -> bool:
    """What JITCORE_STRESS=1 cannot do: class bodies, and what runs while it compiles."""
    if code.co_filename.startswith("<frozen"):
        return True
    if code.co_flags & FUNCTION != FUNCTION and (not is_module(code) or leaves_module(code)):
        return True
    return is_own_file(code.co_filename)


def is_module(code: CodeType) -> bool:
    """Of a script, a module, or a notebook's cell."""
    return code.co_name == "<module>" and not code.co_flags & FUNCTION


def leaves_module(code: CodeType) -> bool:
    """What looks at its names as a dict, or has some that are declared global."""
    if not LOOKS.isdisjoint(code.co_names) or leaves_file(code):
        return True
    return any(instr.op in DECLARED for instr in instructions(code))


def is_packages_module(code: CodeType) -> bool:
    """It runs once, when it is imported."""
    return is_module(code) and any(part in code.co_filename for part in PACKAGES)


DECLARED = ("STORE_GLOBAL", "DELETE_GLOBAL")
LOOKS = frozenset(("globals", "locals", "vars", "dir", "eval", "exec", "_getframe"))


def leaves_alone(code: CodeType) -> bool:
    """Modules, class bodies, the standard library, NumPy and jitcore itself."""
    return code.co_flags & FUNCTION != FUNCTION or leaves_file(code)


def leaves_file(code: CodeType) -> bool:
    name = code.co_filename
    if name.startswith("<"):
        return name.startswith("<frozen") or is_made_up(code)
    name = os.path.realpath(name)
    if name.startswith(NUMPY) or is_own_file(name):
        return True
    return name.startswith(standard_library()) and not any(part in name for part in PACKAGES)
