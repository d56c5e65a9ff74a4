"""Guards → flat program: loads shared, each object checked before anything is loaded through it.

words    int32: number of an instruction of csrc/guards/ops.h, its operands
         registers from 0; constants by index
order    guards on roots first, cheap kinds first, then what hangs below
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from jitcore import _C
from jitcore.errors import InternalError
from jitcore.guards import guard as g
from jitcore.guards import source as s
from jitcore.guards.guard import Guard
from jitcore.guards.reason import Reason, missing, reason_of
from jitcore.guards.source import Source
from jitcore.host.fast_dataclass import dataclass

IMMUTABLE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE
ITERATOR_PARTS = {"start": 0, "stop": 1, "step": 2, "count": 3, "over": 4, "index": 5}
PARTS = {"code": 0, "globals": 1, "defaults": 2, "kwdefaults": 3, "closure": 4, "builtins": 5}

NO_USES: Mapping[Source, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class GuardProgram:
    words: array[int]
    consts: tuple[Any, ...]
    registers: dict[Source, int]
    reasons: tuple[Reason, ...]


class GuardCompiler:
    """The program while it is written."""

    def __init__(self, guards: Sequence[Guard], uses: Mapping[Source, str]) -> None:
        self.classes = {x.source: x.cls for x in guards if isinstance(x, g.HasType)}
        self.versioned = {x.cls for x in guards if isinstance(x, g.TypeVersion)}
        self.keyed = {guard.source for guard in guards if isinstance(guard, g.Keys)}
        self.words = array("i")
        self.consts: list[Any] = []
        self.specs: dict[Any, int] = {}
        self.registers: dict[Source, int] = {}
        self.reasons: list[Reason] = []
        self.uses = uses

    def const(self, obj: Any) -> int:
        self.consts.append(obj)
        return len(self.consts) - 1

    def spec(self, dtype: Any, *demands: Any) -> int:
        """One for all arrays of a kind: what lies close together is looked at fast."""
        key = id(dtype), *demands
        if key not in self.specs:
            self.specs[key] = self.const(_C.ArraySpec(dtype, *demands))
        return self.specs[key]

    def check(self, name: str, *operands: int, guard: Guard) -> None:
        use = self.uses.get(guard.source, "") if isinstance(guard, g.Equals) else ""
        self.op(name, *operands, why=reason_of(guard, use))

    def op(self, name: str, *operands: int, why: Reason) -> None:
        """One instruction; its last operand is the reason that a miss at it reports."""
        self.reasons.append(why)
        self.words.extend((_C.GUARD_OPS[name][0], *operands, len(self.reasons) - 1))

    def key(self, source: s.Key) -> str:
        """Any key of a dict whose keys are all guarded; else a name in a dict of names, so that no
        `__eq__` runs."""
        if source.base not in self.keyed and source.cls is not str:
            raise InternalError(f"{source}: the keys of {source.base} are not guarded")
        return "KEY" if source.base in self.keyed else "NAME"

    def settles(self, source: s.Attr) -> bool:
        """The guards on the object's class say that no data descriptor has this name. (A class
        that was made in Python may become one later.)"""
        cls = self.classes.get(source.base)
        if cls not in self.versioned:
            return False
        raw = next(
            (vars(base)[source.name] for base in cls.__mro__ if source.name in vars(base)), None
        )
        return bool(type(raw).__flags__ & IMMUTABLE) and not hasattr(type(raw), "__set__")

    def load(self, source: Source) -> int:
        found = self.registers.get(source)
        if found is None:
            name, *operands = LOADS[type(source)](self, source)
            found = self.registers[source] = len(self.registers)
            self.op(name, found, *operands, why=missing(source))
        return found


def compile_guards(
    guards: Iterable[Guard], wanted: Iterable[Source], uses: Mapping[Source, str] = NO_USES
) -> GuardProgram:
    """`uses`: of numbers that are constants, what made them so."""
    ordered = sorted(guards, key=rank)
    compiler = GuardCompiler(ordered, uses)
    for guard in ordered:
        CHECKS[type(guard)](compiler, guard)
    for source in wanted:
        compiler.load(source)
    return GuardProgram(
        compiler.words, tuple(compiler.consts), compiler.registers, tuple(compiler.reasons)
    )


def depth(source: Source) -> int:
    return 0 if isinstance(source, s.ROOTS) else 1 + depth(source.base)


COST: tuple[type, ...] = (
    g.TypeVersion, g.HasType, g.IsObject, g.Equals, g.Length, g.Keys, g.IsArray, g.IsSized,
    g.SameExtent, g.Remainder, g.Absent, g.SameObject, g.Apart, g.ErrState,
)  # fmt: skip


def rank(guard: Guard) -> tuple[int, int]:
    """What hangs below an object comes after the checks of the object itself."""
    match guard:
        case g.TypeVersion() | g.ErrState():
            level = -1
        case g.Absent(source):
            level = depth(source)
        case g.SameObject(a, b) | g.Apart(a, b) | g.SameExtent(a, _, b, _, _, _):
            level = max(depth(a), depth(b))
        case _:
            level = depth(guard.source)
    return level, COST.index(type(guard))


def slot(c: GuardCompiler, source: s.Slot) -> Load:
    offset = _C.slot_offset(source.owner.__dict__[source.name])
    return "LOAD_SLOT", c.load(source.base), c.const(_C.hold(source.owner)), offset


def attribute(c: GuardCompiler, source: s.Attr) -> Load:
    operands = c.load(source.base), c.const(source.name)
    return ("LOAD_OWN", *operands, 0) if c.settles(source) else ("LOAD_ATTR", *operands)


def key(c: GuardCompiler, source: s.Key) -> Load:
    operands = c.load(source.base), c.const(source.key)
    return ("LOAD_KEY", *operands, 0) if c.key(source) == "KEY" else ("LOAD_NAME", *operands)


def iterator_part(part: str | int) -> int:
    """Those of a zip() come last."""
    return ITERATOR_PARTS[part] if isinstance(part, str) else len(ITERATOR_PARTS) + part


Load = tuple[Any, ...]
LOADS: dict[type, Callable[[GuardCompiler, Any], Load]] = {
    s.Local: lambda c, x: ("LOAD_LOCAL", x.index),
    s.CellContent: lambda c, x: ("LOAD_CELL_SLOT", x.index),
    s.Stack: lambda c, x: ("LOAD_STACK", x.slot),
    s.FrameGlobals: lambda c, x: ("LOAD_FRAME_GLOBALS",),
    s.FrameBuiltins: lambda c, x: ("LOAD_FRAME_BUILTINS",),
    s.Global: lambda c, x: ("LOAD_GLOBAL", c.const(x.name)),
    s.Builtin: lambda c, x: ("LOAD_BUILTIN", c.const(x.name)),
    s.Const: lambda c, x: ("LOAD_CONST", c.const(_C.hold(x.obj))),
    s.Kept: lambda c, x: ("LOAD_KEPT", c.const(x.obj)),
    s.Attr: attribute,
    s.Slot: slot,
    s.ModuleAttr: lambda c, x: ("LOAD_MODULE_ATTR", c.load(x.base), c.const(x.name)),
    s.FunctionPart: lambda c, x: ("LOAD_FUNCTION", c.load(x.base), PARTS[x.part]),
    s.ClosureContent: lambda c, x: ("LOAD_CLOSURE", c.load(x.base), x.index),
    s.MethodFunc: lambda c, x: ("LOAD_METHOD_FUNC", c.load(x.base)),
    s.MethodSelf: lambda c, x: ("LOAD_METHOD_SELF", c.load(x.base)),
    s.PartialPart: lambda c, x: ("LOAD_MEMBER", c.load(x.base), c.const(x.part)),
    s.CompiledPart: lambda c, x: ("LOAD_MEMBER", c.load(x.base), c.const(x.part)),
    s.IteratorPart: lambda c, x: ("LOAD_ITERATOR", c.load(x.base), iterator_part(x.part)),
    s.Extent: lambda c, x: ("LOAD_EXTENT", c.load(x.base), x.axis),
    s.Item: lambda c, x: ("LOAD_ITEM", c.load(x.base), x.index),
    s.Key: key,
}


def spec(c: GuardCompiler, guard: g.IsArray) -> int:
    t = guard.type
    return c.spec(t.dtype, t.shape, t.strides, t.aligned, t.writeable)


def sized_spec(c: GuardCompiler, guard: g.IsSized) -> int:
    t = guard.type
    flags = t.aligned, t.writeable
    return c.spec(t.dtype, guard.least, t.strides, *flags, guard.most, guard.order)


def check(
    name: str, operand: Callable[[GuardCompiler, Any], int]
) -> Callable[[GuardCompiler, Any], None]:
    def write(c: GuardCompiler, guard: Any) -> None:
        c.check(name, c.load(guard.source), operand(c, guard), guard=guard)

    return write


def absent(c: GuardCompiler, guard: g.Absent) -> None:
    source = guard.source
    match source:
        case s.Local(index, _):
            c.check("NO_LOCAL", index, guard=guard)
        case s.Stack(slot):
            c.check("NO_STACK", slot, guard=guard)
        case s.Global(name):
            c.check("NO_GLOBAL", c.const(name), guard=guard)
        case s.Attr(base, name):
            c.check("NO_ATTR", c.load(base), c.const(name), guard=guard)
        case s.Key(base, key):
            c.check(f"NO_{c.key(source)}", c.load(base), c.const(key), guard=guard)
        case _:
            raise AssertionError(guard)


def same_object(c: GuardCompiler, guard: g.SameObject) -> None:
    c.check("SAME_OBJECT", c.load(guard.a), c.load(guard.b), int(guard.same), guard=guard)


def apart(c: GuardCompiler, guard: g.Apart) -> None:
    c.check("APART", c.load(guard.a), c.load(guard.b), guard=guard)


def same_extent(c: GuardCompiler, guard: g.SameExtent) -> None:
    axes = guard.axis, guard.other_axis
    operands = c.load(guard.a), c.load(guard.b), *axes, guard.times, guard.plus
    c.check("SAME_EXTENT", *operands, guard=guard)


def remainder(c: GuardCompiler, guard: g.Remainder) -> None:
    operands = c.load(guard.source), guard.axis, guard.divisor, guard.rest
    c.check("REMAINDER", *operands, guard=guard)


def type_version(c: GuardCompiler, guard: g.TypeVersion) -> None:
    c.check("TYPE_VERSION", c.const(_C.hold(guard.cls)), c.const(guard.version), guard=guard)


def errstate(c: GuardCompiler, guard: g.ErrState) -> None:
    c.check("ERRSTATE", guard.code, np.getbufsize(), guard=guard)


CHECKS: dict[type, Callable[[GuardCompiler, Any], None]] = {
    g.HasType: check("HAS_TYPE", lambda c, x: c.const(_C.hold(x.cls))),
    g.IsObject: check("IS_OBJECT", lambda c, x: c.const(_C.hold(x.obj))),
    g.Equals: check("EQUALS", lambda c, x: c.const(x.value)),
    g.Length: check("LENGTH", lambda c, x: x.count),
    g.Keys: check("KEYS", lambda c, x: c.const(x.keys)),
    g.IsArray: check("IS_ARRAY", spec),
    g.IsSized: check("IS_ARRAY", sized_spec),
    g.SameExtent: same_extent,
    g.Remainder: remainder,
    g.Absent: absent,
    g.SameObject: same_object,
    g.Apart: apart,
    g.TypeVersion: type_version,
    g.ErrState: errstate,
}
