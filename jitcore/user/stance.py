"""`with jitcore.stance(name):` → what this thread calls in the block is compiled, or is not.

eager          CPython runs everything
compile        what is called is compiled, as if a compiled function called it
fail_on_break  likewise, and a break raises jitcore.GraphBreakError
"""

from __future__ import annotations

import threading
from typing import Literal, get_args

import jitcore._C as _C

Name = Literal["eager", "compile", "fail_on_break"]


class OuterStances(threading.local):
    """What each thread comes back to: a stance may be entered by several at once."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, bool]] = []


class Stance:
    """A context manager; it may be entered again, one block inside another, and by other threads.
    A block that a generator leaves open, its caller is in, too."""

    def __init__(self, name: Name) -> None:
        self._name = name
        self._before = OuterStances()

    def __enter__(self) -> None:
        eager = self._name == "eager"
        failing = _C.swap_failing(self._name == "fail_on_break")
        self._before.rows.append((_C.swap_busy(1 if eager else 0), failing))
        if not eager:
            _C.compile_enter()

    def __exit__(self, *exc: object) -> None:
        if self._name != "eager":
            _C.compile_leave()
        busy, failing = self._before.rows.pop()
        _C.swap_busy(busy)
        _C.swap_failing(failing)


def stance(name: Name, /) -> Stance:
    """Whether what this thread calls in a block is compiled: "eager", "compile", "fail_on_break".

    ValueError for another name.
    """
    if name not in get_args(Name):
        raise ValueError(f"stance {name!r}: choose one of {', '.join(get_args(Name))}")
    return Stance(name)
