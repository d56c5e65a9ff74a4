"""Code object → is it CPython's? One table for what JITCORE=1 leaves alone, and the user's words.

    leave             called from compiled code: the user's words, what library_scope.py says, and
                      rows that are `called`
    leave_everywhere  found by JITCORE=1: all rows below

A word is a module ("pkg.mod", with what is in it), a path (it has a "/"), or a glob of either.
JITCORE_INCLUDE goes before JITCORE_EXCLUDE and before the rows, but not before library_scope.py.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from types import CodeType

from jitcore.config import Config, environment
from jitcore.host.fast_dataclass import dataclass
from jitcore.runtime.library_scope import (
    is_module,
    is_packages_module,
    leaves_alone,
    leaves_module,
    leaves_under_stress,
)


@dataclass(frozen=True, slots=True)
class Exclusion:
    modules: str  # between blanks
    why: str
    called: bool = True  # left alone, too, where compiled code calls it


ROWS = (
    Exclusion("scipy sklearn.utils sklearn.externals", "wrappers of compiled code", False),
    Exclusion("numba llvmlite torch jax jaxlib tensorflow numexpr cupy", "compilers of their own"),
    Exclusion("pytest _pytest pluggy hypothesis nose2", "test runners, which look at frames"),
    Exclusion("coverage pdb debugpy pydevd IPython ipykernel", "debuggers and coverage tools"),
    Exclusion("pip setuptools wheel pkg_resources _distutils_hack", "installers"),
    Exclusion("cffi pycparser Cython pythran", "build tools"),
    Exclusion("matplotlib PIL tkinter", "drawing: many small calls of NumPy"),
)


real = lru_cache(os.path.realpath)


def is_of(path: str, word: str) -> bool:
    """Is this file of that module, or at that path?"""
    if "/" in word:
        return path.startswith(word) or fnmatchcase(path, word)
    found = getattr(sys.modules.get(word), "__file__", None)
    if found is not None and real(found) == path:
        return True
    part = word.replace(".", "/")
    return fnmatchcase(path, f"*/{part}.py") or fnmatchcase(path, f"*/{part}/*")


class Rules:
    def __init__(self, config: Config | None = None) -> None:
        self._config = config
        self._ignored: list[str] = []

    @cached_property
    def config(self) -> Config:
        return self._config or environment()

    def ignore(self, word: str) -> None:
        self._ignored.append(word)

    def leave(self, code: CodeType) -> bool:
        path = os.path.realpath(code.co_filename)
        return leaves_alone(code) or self._unwanted(path) or self._is_called(path)

    def leave_everywhere(self, code: CodeType) -> bool:
        path = os.path.realpath(code.co_filename)
        if self.config.hot_seconds <= 0:
            return leaves_under_stress(code) or self._unwanted(path)
        if is_packages_module(code) and not any_of(path, self.config.include):
            return True
        alone = leaves_module(code) if is_module(code) else leaves_alone(code)
        if alone or self._unwanted(path):
            return True
        if any_of(path, self.config.include):
            return False
        return bool(self.config.include) or any(any_of(path, r.modules.split()) for r in ROWS)

    def _is_called(self, path: str) -> bool:
        rows = (row.modules.split() for row in ROWS if row.called)
        return not any_of(path, self.config.include) and any(any_of(path, row) for row in rows)

    def _unwanted(self, path: str) -> bool:
        if any_of(path, self._ignored):
            return True
        return not any_of(path, self.config.include) and any_of(path, self.config.exclude)


def any_of(path: str, words: Iterable[str]) -> bool:
    return any(is_of(path, word) for word in words)


rules = Rules()
