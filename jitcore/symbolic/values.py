"""What the symbolic interpreter knows of an object: a closed sum.

    Lazy ── first use, guards ──▶ Known      the very object, decided while compiling
                                  Run        a graph value: known by type only
                                  Tuple List Dict Slice …   structure known, parts symbolic

`origin` is where an object that exists in the frame came from; None means made inside the region.
Objects with an origin keep their identity: what happens to them is logged and replayed on the real
object at the exits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field, fields
from types import CodeType, FunctionType
from typing import Any

from jitcore.dataclass import dataclass
from jitcore.fallback.breaks import RAISE, BreakKind
from jitcore.guards.source import Source
from jitcore.ir.graph import Value

NOTHING: Any = object()


@dataclass(eq=False, slots=True)
class Lazy:
    """A live object that nobody has looked at: no guard yet."""

    origin: Source
    obj: Any


@dataclass(eq=False, slots=True)
class Null:
    """CPython's NULL."""


NULL = Null()


@dataclass(eq=False, slots=True)
class Known:
    obj: Any
    origin: Source | None = None


@dataclass(eq=False, slots=True)
class Run:
    """A value of the graph. `hint` is what it is now; it holds as long as the `deps` are equal to
    what they were."""

    value: Value
    origin: Source | None = None
    hint: Any = NOTHING
    deps: frozenset[Source] = frozenset()


@dataclass(eq=False, slots=True)
class Masked:
    """`array[mask]`, or what an operation made of it, see lanes.py. `fn` of `parts` makes it,
    unless there were more loud steps than `stores`; `made_at` is where the outermost frame was."""

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
    cls: type = tuple  # a namedtuple class, otherwise


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
class Compiled:
    """What jitcore.compile has returned: see compiled.py."""

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
    size: int = 0  # of the dict at the start, for a View: it must not change meanwhile
    passing: bool = False  # of a class of its own, which exits do not rebuild
    backward: bool = False  # reversed(), of a range or an array
    private: bool = False  # made for a loop: nobody else has it


@dataclass(eq=False, slots=True)
class Range:
    """A range with bounds that only run time knows; `settled` once they had to become facts."""

    start: Var
    stop: Var
    step: Var
    settled: Known | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Stride:
    """The items of a range: graph values or ints. `count`: how many, None for those not counted."""

    start: Any
    stop: Any
    step: Any
    count: Any = None
    origin: Source | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Elements:
    """Those of an array with one axis, from an index on, or backward from there."""

    array: Run
    first: Any
    step: int = 1
    origin: Source | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Members:
    """Those of a list, tuple, str, bytes or bytearray that exists, from an index on."""

    over: Var
    first: Any
    origin: Source | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Numbered:
    """What enumerate() gives."""

    first: Any
    over: Items
    origin: Source | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Abreast:
    """What zip() gives."""

    parts: tuple[Items, ...]
    origin: Source | None = None


Items = Stride | Elements | Members | Numbered | Abreast


@dataclass(eq=False, slots=True)
class Counted:
    """An iterator whose rounds are counted: graph values or ints. `taken` items are gone since it
    was made, or since the region began, if what it goes over has an origin."""

    over: Items
    count: Any = None  # None: not yet asked for
    taken: Any = 0
    sure: bool = False  # there is at least one more


@dataclass(eq=False, slots=True)
class Either:
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
    made_at: int = -1  # in the outermost frame: the instruction that made it, that raised it
    raised_at: int = -1
    kind: BreakKind = RAISE  # the break that it would be there
    detail: str = ""
    frames: set[int] = field(default_factory=set)  # by id, those that its traceback names


@dataclass(eq=False, slots=True)
class Hidden:
    """What CPython has here belongs to an exception being handled: a traceback, or what was
    handled before."""


@dataclass(eq=False, slots=True)
class Token:
    """What an errstate whose block is open keeps of the state before (models/errstate.py). An exit
    meanwhile sets NumPy's state, which gives the real one."""

    words: dict[str, Any]  # what np.errstate takes
    before: int  # the state's code
    spent: bool = False


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


Var = (
    Lazy
    | Null
    | Known
    | Run
    | Masked
    | Tuple
    | List
    | Dict
    | Set
    | View
    | Slice
    | Cell
    | Func
    | Compiled
    | Method
    | Object
    | Iter
    | Range
    | Counted
    | Either
    | Zip
    | Enumerate
    | Map
    | Filter
    | Generator
    | Super
    | Exc
    | Hidden
    | Token
    | Partial
    | Bound
)

Model = Callable[..., Var]


USERS = ("obj", "globals", "cls", "code", "origin", "deps", "value")  # fields that hold no values


def inside(var: object) -> Iterable[object]:
    """Never what belongs to the user."""
    if isinstance(var, dict):
        return var.values()
    if isinstance(var, list | tuple):
        return var
    if type(var).__module__ == __name__ and not isinstance(var, Lazy | Known):
        names = [one.name for one in fields(var)]  # type: ignore[arg-type]
        return [getattr(var, name) for name in names if name not in USERS]
    return ()
