"""Whose code is it? jitcore's own functions are CPython's, whoever calls them, and so are methods
that were made for a class: they are too short to have graphs of their own.

is_own      a file of the package, or a method made for a class of ours
is_made_up  what dataclasses and collections.namedtuple write, in no file: also for users' classes
"""

from __future__ import annotations

import os
from functools import lru_cache
from types import CodeType
from typing import Any

FOLDER = os.path.dirname(os.path.dirname(os.path.realpath(__file__))) + os.sep
NAME = __name__.partition(".")[0]


def is_own(code: CodeType, names: dict[str, Any]) -> bool:
    """`names`: the globals of the function."""
    if is_made_up(code):
        return str(names.get("__name__")).partition(".")[0] == NAME
    return is_own_file(code.co_filename)


@lru_cache(maxsize=1024)
def is_own_file(path: str) -> bool:
    return os.path.realpath(path).startswith(FOLDER)


def is_made_up(code: CodeType) -> bool:
    if code.co_filename != "<string>":
        return False
    namedtuples = code.co_name == "<lambda>" and code.co_varnames[:1] == ("_cls",)
    return namedtuples or code.co_qualname.startswith("__create_fn__.<locals>.")
