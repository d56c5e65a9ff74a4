"""A program for a row of the break table: `@breaks("J204", inputs)` on the function that breaks.

The line that breaks carries the comment `# J204`. The function computes on arrays before it and,
where `after` is left True, after it.

`@way_out(that_function)` stands on the same program after its user has done what the hint says.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from support.compiler import identity
from support.program import Found, Inputs, execute, program, programs_in

import jitcore

Wrap = Callable[[Any], Any]


@dataclass(frozen=True)
class Expected:
    """What the table's test may ask of a program.

    code       the row
    after      array work after the break has a graph of its own
    graphs     it has graphs at all
    fullgraph  `fullgraph=True` raises
    raised     what it raises then, where it is no GraphBreakError
    drive      callable → what is called in its place: iterates, awaits, traces
    iterated   the call only makes a generator or coroutine: `drive` runs it, `explain` does not
    world      a context that the row needs: a fault that is put into jitcore itself
    logged     jitcore also logs an error
    options    for the compiler, where the row is about them
    """

    code: str
    after: bool = True
    graphs: bool = True
    fullgraph: bool = True
    raised: type[Exception] | None = None
    drive: Wrap = identity
    iterated: bool = False
    world: Callable[[], Any] | None = None
    logged: bool = False
    options: tuple[tuple[str, Any], ...] = ()

    def explained(self, explain: Any) -> Any:
        return explain if self.iterated else self.drive(explain)


def breaks(code: str, *inputs: Inputs, options: dict[str, Any] | None = None, **more: Any) -> Wrap:
    """Mark a function as the program of a row; `more` are fields of Expected."""

    def mark(fn: Any) -> Any:
        expected = Expected(code, options=tuple((options or {}).items()), **more)
        if fn is not None:
            program(*inputs, name=code, vary=False, replace=False)(fn)
            fn.__expected__ = expected
        return fn

    return mark


def closely(
    code: str, inputs: Inputs, inside: str = "", drive: Wrap = identity, **options: Any
) -> Wrap:
    """Mark a function as the program of a closer hint; `inside`: of the one for this library;
    `drive` and `options` as in Expected."""

    def mark(fn: Any) -> Any:
        fn.__closely__ = code, inputs, inside
        fn.__driven__ = lambda: drive(jitcore.compile(fn, **options))(*inputs())
        fn.__driven_plain__ = lambda: drive(fn)(*inputs())
        return fn

    return mark


@dataclass(frozen=True)
class Way:
    """What a program became.

    of       the one that breaks; None where this Python does not know its syntax
    inputs   where they are others than that one's
    drive    callable → what is called in its place
    others   rows of breaks that stay
    options  for the compiler
    """

    of: Any
    inputs: Inputs | None = None
    drive: Wrap = identity
    others: tuple[str, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()


def way_out(
    of: Any, inputs: Inputs | None = None, options: dict[str, Any] | None = None, **more: Any
) -> Wrap:
    """Mark what became of a program that breaks; `more` are fields of Way."""

    def mark(fn: Any) -> Any:
        way = Way(of, inputs, options=tuple((options or {}).items()), **more)
        fn.__ways__ = (*getattr(fn, "__ways__", ()), way)
        return fn

    return mark


def ways_in(path: Path) -> Iterator[tuple[str, int, str]]:
    """What is left of a program, which of its marks, the name of the program."""
    names = execute(path)
    called = {id(fn): name for name, fn in names.items() if hasattr(fn, "__dict__")}
    for name, fn in names.items():
        for number, way in enumerate(getattr(fn, "__ways__", ())):
            if way.of is not None:
                yield name, number, called[id(way.of)]


def found_in(folder: Path) -> list[tuple[Found, Expected]]:
    paths = sorted(folder.glob("j[0-9]*.py"))
    return [(found, expected_of(found)) for path in paths for found in programs_in(path)]


def expected_of(found: Found) -> Expected:
    expected: Expected = execute(found.path)[found.function].__expected__
    return expected


def of_text(text: str, since: tuple[int, int] = (3, 11)) -> FunctionType | None:
    """The function that a text defines, its lines those of the file that it stands in; None where
    this Python does not know its syntax. Without a def: the text itself as a function.

    A text of several lines starts on the line after the call's.
    """
    if sys.version_info < since:
        return None
    caller = sys._getframe(1)
    lines = "\n" * (caller.f_lineno - (text[0] != "\n"))
    code = compile(lines + text, caller.f_code.co_filename, "exec", dont_inherit=True)
    if "def " not in text:
        return FunctionType(code, caller.f_globals)
    names = dict(caller.f_globals)
    exec(code, names)
    found: FunctionType = names["f"]
    return FunctionType(found.__code__, caller.f_globals)


def marked_lines(found: Found) -> list[int]:
    """Where the comment with the row's code stands."""
    lines = found.path.read_text().splitlines()
    return [n for n, line in enumerate(lines, 1) if line.endswith(f"# {found.program.name}")]


@contextmanager
def nothing_special() -> Iterator[None]:
    yield
