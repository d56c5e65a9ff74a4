"""What the symbolic interpreter knows of an object: a closed sum.

    Lazy ── first use, guards ──▶ Known      the very object, decided while compiling
                                  Traced     a graph value: known by type only
                                  Tuple List Dict Slice …   structure known, parts symbolic

`origin` is where an object that exists in the frame came from; None means made inside the region.
Objects with an origin keep their identity: what happens to them is logged and replayed on the real
object at the exits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from types import CodeType, FunctionType
from typing import Any

from jitcore.fallback.breaks import RAISE, BreakKind
from jitcore.guards.source import Source
from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.graph import Value
from jitcore.symbolic.placeholders import Hidden, Null, Token

NOTHING: Any = object()


@dataclass(eq=False, slots=True)
class Lazy:
    """A live object that nobody has looked at: no guard yet."""

    origin: Source
    obj: Any


@dataclass(eq=False, slots=True)
class Known:
    obj: Any
    origin: Source | None = None


@dataclass(eq=False, slots=True)
class Traced:
    """A value of the graph. `hint` is what it is now; it holds as long as the `deps` are equal to
    what they were."""

    value: Value
    origin: Source | None = None
    hint: Any = NOTHING
    deps: frozenset[Source] = frozenset()


@dataclass(eq=False, slots=True)
class Masked:
    """`array[mask]`, or what an operation made of it, see arrays/masked_select.py. `fn` of `parts`
    makes it, unless there were more loud steps than `stores`; `made_at` is where the outermost
    frame was."""

    lanes: Value
    mask: Value
    fn: Callable[..., Any]
    parts: tuple[Var, ...]
    stores: int
    made_at: int


@dataclass(eq=False, slots=True)
class Tuple:
    items: tuple[Var, ...]
    origin: Source | None = None
    cls: type = tuple  # tuple itself or a namedtuple class


@dataclass(eq=False, slots=True)
class List:
    items: list[Var]
    origin: Source | None = None


@dataclass(eq=False, slots=True)
class Dict:
    """Keys are constants of exact builtin types."""

    items: dict[Any, Var]
    origin: Source | None = None


@dataclass(eq=False, slots=True)
class Set:
    """Elements are constants of exact builtin types."""

    items: set[Any]


@dataclass(eq=False, slots=True)
class View:
    """`d.keys()`, `d.values()`, `d.items()`: what the dict has whenever one looks."""

    owner: Dict
    name: str


@dataclass(eq=False, slots=True)
class Slice:
    parts: tuple[Var, Var, Var]


@dataclass(eq=False, slots=True)
class Cell:
    content: Var | None
    origin: Source | None = None


@dataclass(eq=False, slots=True)
class Func:
    """A Python function: one that exists (origin), or one made in the region."""

    code: CodeType
    globals: dict[str, Any]
    name: str
    qualname: str
    defaults: Var | None = None
    kwdefaults: Var | None = None
    closure: tuple[Cell, ...] = ()
    origin: Source | None = None
    obj: FunctionType | None = None
    own_globals: bool = False  # the globals are those of the frame that the region runs in


@dataclass(eq=False, slots=True)
class CompiledFunction:
    """What jitcore.compile has returned: see symbolic/objects/compiled.py."""

    obj: Any
    origin: Source


@dataclass(eq=False, slots=True)
class Method:
    func: Var
    owner: Var


@dataclass(eq=False, slots=True)
class Object:
    """An instance of a user's class; `attrs` holds what was read or stored so far.

    Without an origin it was made in the region: it has no other attributes, and no `obj`.
    """

    obj: Any
    cls: type
    origin: Source | None
    attrs: dict[str, Var | None] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Iter:
    """An iterator made in the region over a sequence: tuple, list, range, string or the first
    axis of an array."""

    over: Var
    at: int = 0
    size: int = 0  # over a View: the dict's size at the start, which must not change
    passing: bool = False  # an iterator of another class, which exits do not rebuild
    backward: bool = False  # reversed() of a range or an array
    private: bool = False  # made for a loop, unaliased


@dataclass(eq=False, slots=True)
class Range:
    """A range with bounds that only run time knows; `settled` once they had to become facts."""

    start: Var
    stop: Var
    step: Var
    settled: Known | None = None


@dataclass(frozen=True, eq=False, slots=True)
class RangeItems:
    """The items of a range: graph values or ints."""

    start: Any
    stop: Any
    step: Any
    count: Any = None  # None: not counted
    origin: Source | None = None


@dataclass(frozen=True, eq=False, slots=True)
class ArrayItems:
    """Those of an array with one axis, from an index on, or backward from there."""

    array: Traced
    first: Any
    step: int = 1
    origin: Source | None = None


@dataclass(frozen=True, eq=False, slots=True)
class SequenceItems:
    """Those of a list, tuple, str, bytes or bytearray that exists, from an index on."""

    over: Var
    first: Any
    origin: Source | None = None


@dataclass(frozen=True, eq=False, slots=True)
class EnumerateItems:
    """What enumerate() gives."""

    first: Any
    over: Items
    origin: Source | None = None


@dataclass(frozen=True, eq=False, slots=True)
class ZipItems:
    """What zip() gives."""

    parts: tuple[Items, ...]
    origin: Source | None = None


Items = RangeItems | ArrayItems | SequenceItems | EnumerateItems | ZipItems


@dataclass(eq=False, slots=True)
class Counted:
    """An iterator whose rounds are counted: graph values or ints. `taken` items are gone since it
    was made, or since the region began, if what it goes over has an origin."""

    over: Items
    count: Any = None  # None: not yet counted
    taken: Any = 0
    sure: bool = False  # there is at least one more


@dataclass(eq=False, slots=True)
class TaggedUnion:
    """A number that is of one type on some ways through a loop, and of another on others: `b` where
    `tag` is true, else `a`. Graph values or constants."""

    a: Any
    b: Any
    tag: Any


@dataclass(eq=False, slots=True)
class Zip:
    iters: tuple[Var, ...]
    strict: bool = False


@dataclass(eq=False, slots=True)
class Enumerate:
    over: Var
    count: int


@dataclass(eq=False, slots=True)
class Map:
    func: Var
    iters: tuple[Var, ...]


@dataclass(eq=False, slots=True)
class Filter:
    func: Var
    over: Var


@dataclass(eq=False, slots=True)
class Generator:
    """A generator made in the region. `resume` interprets its body up to the next yield and gives
    what is yielded; None at the end."""

    resume: Callable[[], Var | None]
    name: str
    taken: int = 0


@dataclass(eq=False, slots=True)
class Super:
    cls: type
    owner: Var


@dataclass(eq=False, slots=True)
class Exc:
    """An exception made in the region. Once raised it has a traceback, and so is not rebuilt."""

    cls: type[BaseException]
    args: tuple[Var, ...] | None  # None: not known
    attrs: dict[str, Var | None] = field(default_factory=dict)
    made_at: int = -1  # the outermost frame's instruction that made it
    raised_at: int = -1  # the outermost frame's instruction that raised it
    kind: BreakKind = RAISE  # the break if CPython raises it
    detail: str = ""
    frames: set[int] = field(default_factory=set)  # ids of frames in its traceback


@dataclass(eq=False, slots=True)
class Partial:
    func: Var
    args: tuple[Var, ...]
    kwargs: dict[str, Var]


@dataclass(eq=False, slots=True)
class Bound:
    """A method of a value that has a model: `a.sum`, `items.append`."""

    owner: Var
    name: str


Container = Tuple | List | Dict | Set | View | Slice | Cell
Called = Func | CompiledFunction | Method | Bound | Partial | Super
Iterator = Iter | Range | Counted | Zip | Enumerate | Map | Filter | Generator
Var = (
    Lazy
    | Known
    | Traced
    | Masked
    | TaggedUnion
    | Container
    | Called
    | Object
    | Iterator
    | Exc
    | Null
    | Hidden
    | Token
)

Model = Callable[..., Var]
