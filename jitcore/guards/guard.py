"""What must hold for an entry to be right: facts about sources, each printed as a user would say
it."""

from __future__ import annotations

from enum import Enum
from types import ModuleType
from typing import Any

from jitcore import _C
from jitcore.guards.source import Global, Source, shown
from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.errstate import modes
from jitcore.ir.types import ArrayType, Shape


@dataclass(frozen=True, slots=True)
class HasType:
    source: Source
    cls: type

    def __str__(self) -> str:
        return f"type({self.source}) is {self.cls.__name__}"


class IsObject:
    """Identity. The entry does not keep a user's object alive: it holds it weakly where it can."""

    __slots__ = ("obj", "source")

    def __init__(self, source: Source, obj: Any) -> None:
        self.source, self.obj = source, obj

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IsObject) and (self.source, id(self.obj)) == (
            other.source,
            id(other.obj),
        )

    def __hash__(self) -> int:
        return hash((self.source, id(self.obj)))

    def __str__(self) -> str:
        return f"{self.source} is {name_of(self.obj)}"


def name_of(obj: Any) -> str:
    """Without asking the object where its class, or module, may answer with code of its own."""
    cls = type(obj)
    if issubclass(cls, type):
        return str(type.__dict__["__qualname__"].__get__(obj))
    if issubclass(cls, ModuleType):
        return str(object.__getattribute__(obj, "__dict__").get("__name__"))
    if issubclass(cls, Enum):
        return f"{cls.__name__}.{object.__getattribute__(obj, '__dict__').get('_name_')}"
    if cls.__flags__ & HEAP_TYPE:
        return cls.__name__
    found = getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None)
    return str(found or cls.__name__)


HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: its attributes may be Python code


class TypeVersion:
    """Nothing was changed in a class or its bases since the guard was made."""

    __slots__ = ("cls", "version")

    def __init__(self, cls: type) -> None:
        self.cls, self.version = cls, _C.type_version(cls)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypeVersion) and (
            self.cls is other.cls and self.version == other.version
        )

    def __hash__(self) -> int:
        return hash((id(self.cls), self.version))

    def __str__(self) -> str:
        return f"class {self.cls.__qualname__} is unchanged"


@dataclass(frozen=True, slots=True)
class IsArray:
    source: Source
    type: ArrayType

    def __str__(self) -> str:
        return f"{self.source} is an array {self.type}"


@dataclass(frozen=True, slots=True)
class IsSized:
    """An array of the dtype, flags and number of axes of `type`, each extent between two. `order`:
    C or F, as its strides are; A: they are those of `type`."""

    source: Source
    type: ArrayType
    least: Shape
    most: Shape
    order: str

    def __str__(self) -> str:
        both = zip(self.least, self.most, strict=True)
        dims = ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in both)
        return f"{self.source} is an array {self.type.dtype} of extents {dims}, order {self.order}"


@dataclass(frozen=True, slots=True)
class SameExtent:
    """Or one that follows from the other."""

    a: Source
    axis: int
    b: Source
    other_axis: int
    times: int = 1  # that of b is so many times that of a, plus so many
    plus: int = 0

    def __str__(self) -> str:
        a, b = f"{self.a}.shape[{self.axis}]", f"{self.b}.shape[{self.other_axis}]"
        made = f"{self.times} * {a}" if self.times != 1 else a
        made += f" + {self.plus}" if self.plus else ""
        return f"{made} == {b}"


@dataclass(frozen=True, slots=True)
class Remainder:
    """What is left over where the extent of an array is divided."""

    source: Source
    axis: int
    divisor: int
    rest: int

    def __str__(self) -> str:
        return f"{self.source}.shape[{self.axis}] % {self.divisor} == {self.rest}"


def identity(value: Any) -> Any:
    """Of a constant: int and str by value, the others by what they print, which keeps -0.0 and nan
    apart."""
    return value if type(value) in (int, str, bytes, bool) else repr(value)


class Equals:
    """An exact builtin constant: same class, same value, floats by their bits."""

    __slots__ = ("key", "source", "value")

    def __init__(self, source: Source, value: Any) -> None:
        self.source, self.value = source, value
        self.key = (source, type(value), identity(value))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equals) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        return f"{self.source} == {shown(self.value)}"


@dataclass(frozen=True, slots=True)
class Length:
    source: Source
    count: int

    def __str__(self) -> str:
        return f"len({self.source}) == {self.count}"


class Keys:
    """A dict has these keys, in this order."""

    __slots__ = ("key", "keys", "source")

    def __init__(self, source: Source, keys: tuple[Any, ...]) -> None:
        self.source, self.keys = source, keys
        self.key = (source, tuple((type(k), k) for k in keys))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Keys) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        return f"list({self.source}) == [{', '.join(map(shown, self.keys))}]"


@dataclass(frozen=True, slots=True)
class Absent:
    """A global or an instance attribute does not exist, a local is unbound, a stack slot is
    NULL."""

    source: Source

    def __str__(self) -> str:
        kind = "global " if isinstance(self.source, Global) else ""
        return f"there is no {kind}{self.source}"


@dataclass(frozen=True, slots=True)
class SameObject:
    a: Source
    b: Source
    same: bool

    def __str__(self) -> str:
        return f"{self.a} is {'' if self.same else 'not '}{self.b}"


@dataclass(frozen=True, slots=True)
class Apart:
    """What is stored into one, a dict or what has attributes, is not seen through the other."""

    a: Source
    b: Source

    def __str__(self) -> str:
        return f"{self.a} and {self.b} have no dict in common"


@dataclass(frozen=True, slots=True)
class ErrState:
    """np.geterr(), as NumPy keeps it: three bits for each kind of error."""

    code: int

    def __str__(self) -> str:
        named: dict[str, list[str]] = {}
        for error, mode in modes(self.code).items():
            named.setdefault(mode, []).append(error)
        state = "; ".join(f"{', '.join(errors)}: {mode}" for mode, errors in named.items())
        return f"np.errstate is {state}"


Guard = (
    HasType
    | IsObject
    | TypeVersion
    | IsArray
    | IsSized
    | SameExtent
    | Remainder
    | Equals
    | Length
    | Keys
    | Absent
    | SameObject
    | Apart
    | ErrState
)
