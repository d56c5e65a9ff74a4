"""A program's text → all that a user could see of its calls: values by their bits, exceptions,
warnings, output, and what became of the arguments and the globals.

A program defines `f`, the table `CALLS` of functions that make fresh arguments, and may set
`FILTER` (how warnings are treated). Whoever compiles it passes `wrap`, from `f` to what is called
instead.

A program whose world changes has STEPS, too: (where, which of CALLS, statement). Each is one call,
and the statement runs before it, or, where `where` is not 0, in a `tick(where)` of it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from types import CodeType, FunctionType, ModuleType, TracebackType
from typing import Any

import numpy as np

from fuzzing import process
from fuzzing.names import Names
from fuzzing.world import World

FILENAME = "program.py"
# CPython 3.11 runs STORE_FAST and LOAD_FAST as one instruction once they are warm, and then reports
# an unbound local at the store's line.
PAIRED = sys.version_info < (3, 12)
HIDDEN = set(
    """AGAIN CALLS REAL STEPS builtins collections copy dataclasses enum functools gc numpy real_np
    types typing warnings""".split()
)
MAKES_CODE = ("lambda", "def ", "class ", "AGAIN")
WORLD_EVERY = 10  # steps: to look at all of it takes longer than they do
ORDER = (0, 0, 1, 0)  # two calls, one with other shapes or dtypes, the first again
Wrap = Callable[[Any], Any]


@dataclass(frozen=True)
class Seen:
    """One call."""

    result: Any
    error: Any
    arguments: Any
    globals: Any
    warnings: Any
    output: str
    change: Any = None  # how the statement before it ended
    settings: Any = None


def observe(text: str, wrap: Wrap | None = None) -> list[Seen]:
    """The calls of a program, in order."""
    space: dict[str, Any] = {"__name__": "program", "__file__": FILENAME}
    exec(compile(text, FILENAME, "exec", dont_inherit=True), space)
    called = space["f"] if wrap is None else wrap(space["f"])
    makers = space["CALLS"]
    with warnings.catch_warnings():
        warnings.resetwarnings()
        warnings.simplefilter(space.get("FILTER", "always"))
        if "STEPS" in space:
            with process.restored():
                steps = enumerate(space["STEPS"], 1)
                return [stepped(called, space, n % WORLD_EVERY == 0, *step) for n, step in steps]
        return [one(called, makers[at % len(makers)], space, Names(), space) for at in ORDER]


def stepped(
    called: Any, space: dict[str, Any], whole: bool, where: int, which: int, text: str
) -> Seen:
    change = None
    makers = space["CALLS"]
    if where:
        space["PENDING"][where] = text
    else:
        change = ran(text, space)
    seen = one(called, makers[which], space, World(), space if whole else {})
    return dataclasses.replace(seen, change=change, settings=process.settings())


def ran(text: str, space: dict[str, Any]) -> Any:
    """What a statement raised: many cannot be done twice."""
    try:
        exec(statement(text), space)
    except Exception as error:
        return type(error).__name__, str(error)
    return None


def statement(text: str) -> str | CodeType:
    """Compiled once, unless it makes functions: those of two worlds are not to be one."""
    return text if any(word in text for word in MAKES_CODE) else compiled(text)


@cache
def compiled(text: str) -> CodeType:
    return compile(text, "<string>", "exec", dont_inherit=True)


def one(
    called: Any, maker: Any, space: dict[str, Any], names: Names, looked_at: dict[str, Any]
) -> Seen:
    arguments = maker()
    output = io.StringIO()
    result = error = None
    told: list[Any] = []
    with shown(told, space), contextlib.redirect_stdout(output):
        try:
            result = called(*arguments)
        except Exception as raised:
            error = raised
    with process.at_start():
        deep = isinstance(names, World)
        return Seen(
            names.of(result),
            None if error is None else described(error),
            names.of(list(arguments)),
            names.of({k: v for k, v in sorted(looked_at.items()) if visible(k, v, deep)}),
            told,
            output.getvalue(),
        )


@contextlib.contextmanager
def shown(told: list[Any], space: dict[str, Any]) -> Iterator[None]:
    """Warnings that the filters let through, as they come. ON_WARNING: what the program then
    does."""

    def show(
        message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        where = lineno if filename == FILENAME else -1
        told.append((category.__name__, str(message), where))
        exec(space.get("ON_WARNING", ""), space)

    before = warnings.showwarning
    warnings.showwarning = show
    try:
        yield
    finally:
        warnings.showwarning = before


def places(trace: TracebackType | None) -> Iterator[tuple[str, int | None, int | None]]:
    """Function, line and column of the program's frames."""
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == FILENAME:
            positions = next(islice(code.co_positions(), trace.tb_lasti // 2, None))
            yield code.co_name, trace.tb_lineno, positions[2]
        trace = trace.tb_next


def visible(name: str, value: Any, deep: bool) -> bool:
    if deep:
        return not name.startswith("__") and name not in HIDDEN and value is not np
    return not name.startswith("_") and not isinstance(
        value, FunctionType | ModuleType | type
    ) and name != "CALLS"  # fmt: skip


def described(error: BaseException | None) -> Any:
    """An exception, where it was raised, and the one it replaced."""
    if error is None:
        return None
    lines = list(places(error.__traceback__))
    if PAIRED and isinstance(error, UnboundLocalError):
        lines = []
    context = described(error.__cause__ or error.__context__)
    return type(error).__name__, str(error), lines, context
