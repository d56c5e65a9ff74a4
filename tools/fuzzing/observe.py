"""A program's text → all that a user could see of its calls: values by their bits, exceptions,
warnings, output, and what became of the arguments and the globals.

A program defines `f`, the table `CALLS` of functions that make fresh arguments, and may set
`FILTER` (how warnings are treated). Whoever compiles it passes `wrap`, from `f` to what is called
instead.
"""

from __future__ import annotations

import contextlib
import io
import struct
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

FILENAME = "program.py"
# CPython 3.11 runs STORE_FAST and LOAD_FAST as one instruction once they are warm, and then reports
# an unbound local at the store's line.
PAIRED = sys.version_info < (3, 12)
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


def observe(text: str, wrap: Wrap | None = None) -> list[Seen]:
    """The calls of a program, in order."""
    space: dict[str, Any] = {"__name__": "program", "__file__": FILENAME}
    exec(compile(text, FILENAME, "exec", dont_inherit=True), space)
    called = space["f"] if wrap is None else wrap(space["f"])
    makers = space["CALLS"]
    with warnings.catch_warnings():
        warnings.resetwarnings()
        warnings.simplefilter(space.get("FILTER", "always"))
        return [one(called, makers[at % len(makers)], space) for at in ORDER]


def one(called: Any, maker: Any, space: dict[str, Any]) -> Seen:
    arguments = maker()
    output = io.StringIO()
    result = error = None
    told: list[Any] = []
    with shown(told), contextlib.redirect_stdout(output):
        try:
            result = called(*arguments)
        except Exception as raised:
            error = raised
    names = Names()
    values = names.of(result)
    return Seen(
        values,
        None if error is None else described(error),
        names.of(list(arguments)),
        names.of({k: v for k, v in sorted(space.items()) if visible(k, v)}),
        told,
        output.getvalue(),
    )


@contextlib.contextmanager
def shown(told: list[Any]) -> Iterator[None]:
    """Warnings that the filters let through, as they come."""

    def show(
        message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        where = lineno if filename == FILENAME else -1
        told.append((category.__name__, str(message), where))

    before = warnings.showwarning
    warnings.showwarning = show
    try:
        yield
    finally:
        warnings.showwarning = before


def visible(name: str, value: Any) -> bool:
    return not name.startswith("_") and not isinstance(
        value, FunctionType | ModuleType | type
    ) and name != "CALLS"  # fmt: skip


def described(error: BaseException | None) -> Any:
    """An exception, where it was raised, and the one it replaced."""
    if error is None:
        return None
    frames = traceback.extract_tb(error.__traceback__)
    lines = [
        (frame.name, frame.lineno, frame.colno) for frame in frames if frame.filename == FILENAME
    ]
    if PAIRED and isinstance(error, UnboundLocalError):
        lines = []
    context = described(error.__cause__ or error.__context__)
    return type(error).__name__, str(error), lines, context


class Names:
    """Values → comparable trees; what is met again is named, so that aliases show."""

    def __init__(self) -> None:
        self.met: dict[int, int] = {}
        self.arrays: list[Any] = []
        self.kept: list[Any] = []

    def of(self, obj: Any) -> Any:
        if isinstance(obj, np.ndarray | list | dict) or hasattr(obj, "__dict__"):
            if id(obj) in self.met:
                return "again", self.met[id(obj)]
            self.met[id(obj)] = len(self.met)
            self.kept.append(obj)
        match obj:
            case np.ndarray():
                return self.array(obj)
            case np.generic():
                return type(obj).__name__, bits(np.asarray(obj))
            case float():
                return "float", "nan" if obj != obj else struct.pack("d", obj)
            case complex():
                return "complex", self.of(obj.real), self.of(obj.imag)
            case tuple() | list():
                return type(obj).__name__, tuple(self.of(item) for item in obj)
            case Mapping():
                return type(obj).__name__, tuple((k, self.of(v)) for k, v in obj.items())
            case FunctionType():
                return "function", obj.__qualname__, self.of(cells(obj)), self.of(obj.__defaults__)
            case CodeType() | ModuleType() | type():
                return type(obj).__name__, getattr(obj, "__name__", "")
        if "__dict__" in dir(obj) and not callable(obj):
            return type(obj).__name__, self.of(vars(obj))
        text = repr(obj)
        return type(obj).__name__, text if " at 0x" not in text else ""

    def array(self, obj: Any) -> Any:
        strides = tuple(s for s, n in zip(obj.strides, obj.shape, strict=True) if n > 1)
        flags = (obj.flags.c_contiguous, obj.flags.f_contiguous, obj.flags.writeable)
        shares = tuple(i for i, other in enumerate(self.arrays) if np.may_share_memory(obj, other))
        self.arrays.append(obj)
        kind = type(obj).__name__, obj.dtype.str, obj.shape
        return (*kind, strides if obj.size > 1 else (), flags, shares, bits(obj))


def cells(fn: FunctionType) -> Any:
    found = []
    for cell in fn.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:
            found.append("empty")
    return found


def bits(array: Any) -> Any:
    """The bytes in index order; every NaN is the same one."""
    if array.dtype.kind == "O":
        return repr(array.tolist())
    if array.dtype.kind not in "fc":
        return array.tobytes()
    nan = np.isnan(array)
    if not nan.any():
        return array.tobytes()
    if array.dtype.kind == "c":
        return bits(array.real), bits(array.imag)
    return np.where(nan, array.dtype.type(0), array).tobytes(), nan.tobytes()
