"""Code objects of the standard library, for what is to hold of any."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import CodeType


def library(modules: str) -> list[CodeType]:
    """Those in these modules, as far as they are installed, and in all of their functions."""
    return [code for name in modules.split() for code in codes_of_module(name)]


def codes_of_module(name: str) -> Iterator[CodeType]:
    path = Path(sysconfig.get_path("stdlib"), name + ".py")
    if path.exists():
        yield from codes_in(compile(path.read_bytes(), str(path), "exec", dont_inherit=True))


def codes_in(code: CodeType) -> Iterator[CodeType]:
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from codes_in(const)
