"""Where a value came from: the path by which a guard finds it again, printed as the user would
write it."""

from __future__ import annotations

from typing import Any

from jitcore.host.fast_dataclass import dataclass


def shown(value: Any) -> str:
    """Short: the repr of an int may be refused, that of a str endless."""
    if type(value) is int and value.bit_length() > 64:
        return f"an int of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


@dataclass(frozen=True, slots=True)
class Local:
    index: int
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class CellContent:
    """What the cell in a slot of the frame holds."""

    index: int
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Stack:
    slot: int

    def __str__(self) -> str:
        return f"(intermediate value {self.slot})"


@dataclass(frozen=True, slots=True)
class FrameGlobals:
    """The dict of the frame's global names."""

    def __str__(self) -> str:
        return "globals()"


@dataclass(frozen=True, slots=True)
class FrameBuiltins:
    """The dict in which the frame finds what is not a global name."""

    def __str__(self) -> str:
        return "__builtins__"


@dataclass(frozen=True, slots=True)
class Global:
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Builtin:
    name: str

    def __str__(self) -> str:
        return self.name


class Const:
    """An object that the compiler found by other guards: a method of a class, say. Compares by
    identity."""

    __slots__ = ("obj",)

    def __init__(self, obj: Any) -> None:
        self.obj = obj

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and (type(self), id(self.obj)) == (
            type(other),
            id(other.obj),
        )

    def __hash__(self) -> int:
        return hash(("Const", id(self.obj)))

    def __str__(self) -> str:
        return str(getattr(self.obj, "__qualname__", type(self.obj).__name__))


class Kept(Const):
    """An array or a number that an entry holds, as nobody else need have it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Attr:
    """In the instance dict."""

    base: Source
    name: str

    def __str__(self) -> str:
        return f"{self.base}.{self.name}"


@dataclass(frozen=True, slots=True)
class Slot:
    """Through a member descriptor: __slots__."""

    base: Source
    name: str
    owner: type

    def __str__(self) -> str:
        return f"{self.base}.{self.name}"


@dataclass(frozen=True, slots=True)
class ModuleAttr:
    base: Source
    name: str

    def __str__(self) -> str:
        return f"{self.base}.{self.name}"


@dataclass(frozen=True, slots=True)
class FunctionPart:
    """code, globals, builtins, defaults, kwdefaults or closure of a Python function."""

    base: Source
    part: str

    def __str__(self) -> str:
        return f"{self.base}.__{self.part}__"


@dataclass(frozen=True, slots=True)
class ClosureContent:
    """What a cell in a function's closure holds."""

    base: Source
    index: int

    def __str__(self) -> str:
        return f"{self.base}.__closure__[{self.index}].cell_contents"


@dataclass(frozen=True, slots=True)
class MethodFunc:
    base: Source

    def __str__(self) -> str:
        return f"{self.base}.__func__"


@dataclass(frozen=True, slots=True)
class MethodSelf:
    base: Source

    def __str__(self) -> str:
        return f"{self.base}.__self__"


@dataclass(frozen=True, slots=True)
class PartialPart:
    """func, args or keywords of a functools.partial."""

    base: Source
    part: str

    def __str__(self) -> str:
        return f"{self.base}.{self.part}"


@dataclass(frozen=True, slots=True)
class CompiledPart:
    """The function that jitcore.compile was given, _original, or what with, _options."""

    base: Source
    part: str

    def __str__(self) -> str:
        options = self.part == "_options"
        return f"what {self.base} is compiled with" if options else f"{self.base}.__wrapped__"


@dataclass(frozen=True, slots=True)
class IteratorPart:
    """Of what is left of an iterator. Over a range: start, stop, step, and how many items: count.
    Of others: what it is over, and the next item's index; or the iterator that a zip() has at a
    place, its `part`."""

    base: Source
    part: str | int

    def __str__(self) -> str:
        return f"{self.base}.{self.part}" if type(self.part) is str else f"{self.base}[{self.part}]"


@dataclass(frozen=True, slots=True)
class Extent:
    """Of an array along an axis."""

    base: Source
    axis: int

    def __str__(self) -> str:
        return f"{self.base}.shape[{self.axis}]"


@dataclass(frozen=True, slots=True)
class Item:
    """Of a list or tuple."""

    base: Source
    index: int

    def __str__(self) -> str:
        return f"{self.base}[{self.index}]"


@dataclass(frozen=True, slots=True)
class Key:
    """Of a dict. The key's class counts: 1, 1.0 and True are three sources."""

    base: Source
    key: Any
    cls: type

    def __str__(self) -> str:
        return f"{self.base}[{shown(self.key)}]"


Source = (
    Local
    | CellContent
    | Stack
    | FrameGlobals
    | FrameBuiltins
    | Global
    | Builtin
    | Const
    | Kept
    | Attr
    | Slot
    | ModuleAttr
    | FunctionPart
    | ClosureContent
    | MethodFunc
    | MethodSelf
    | PartialPart
    | CompiledPart
    | IteratorPart
    | Extent
    | Item
    | Key
)
ROOTS = (Local, CellContent, Stack, FrameGlobals, FrameBuiltins, Global, Builtin, Const, Kept)
