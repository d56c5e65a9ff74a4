"""Guard → Reason: what must hold, in words, kept by an entry without the user's objects.

    Reason, and what its guard looked at when it failed ─▶ Change: `self.w.shape[1]: 64 → 128`

Nothing here runs code of the user's: a class is asked as `type` answers, a value is shown if it is
a builtin constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from jitcore import _C
from jitcore.guards import guard as g
from jitcore.guards.guard import Guard, name_of
from jitcore.guards.source import Source, shown
from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.errstate import modes
from jitcore.ir.types import ArrayType, Shape

CONSTANTS = (bool, int, float, complex, str, bytes, type(None), type(...))
MOST_KEYS = 8  # of a dict, that are shown
MOST_CHANGES = 3  # of a recompile
MOST_CHARACTERS = 20  # of a value: it is the user's
AS_IT_WAS = "as it was"
Row = tuple[str, str, str]  # source, before, after


@dataclass(frozen=True, slots=True)
class Change:
    """One expression that is not what it was when the entry was made."""

    guard: str  # in words
    source: str  # the expression, as the user would write it
    before: str
    after: str
    use: str = ""  # how a number became a constant, and at which line

    def __str__(self) -> str:
        use = f" ({self.use})" if self.use else ""
        return f"{self.source}: {self.before} → {self.after}{use}"

    @property
    def told(self) -> str:
        """In a sentence."""
        use = f" ({self.use})" if self.use else ""
        if self.before == AS_IT_WAS:
            return f"{self.source} is not as it was: {self.after}{use}"
        return f"{self.source} was {self.before}, now {self.after}{use}"


def summed(changes: Sequence[Change], told: Callable[[Change], str] = str) -> str:
    """The first of them, and how many more there are."""
    texts = [told(one) for one in changes[:MOST_CHANGES]]
    more = len(changes) - MOST_CHANGES
    return "; ".join(texts) + (f"; and {more} more" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class Reason:
    """`kind`: the class of the guard; None: a load, and there was nothing to load."""

    text: str
    kind: type | None
    source: str
    before: Any = "there"
    use: str = ""

    def __str__(self) -> str:
        return self.text


def reason_of(guard: Guard, use: str = "") -> Reason:
    source, before = BEFORE[type(guard)](guard)
    return Reason(str(guard), type(guard), source, before, use)


def missing(source: Source) -> Reason:
    return Reason(f"{source} is missing", None, str(source))


def changes(reason: Reason, seen: tuple[Any, ...]) -> tuple[Change, ...]:
    """`seen`: the objects that the guard looked at when it failed, in the order of its operands."""
    rows = [*ROWS[reason.kind](reason.source, reason.before, *seen)]
    rows = rows or [(reason.source, AS_IT_WAS, "not so")]
    return tuple(Change(reason.text, *row, reason.use) for row in rows)


# ---- what a guard was made of ------------------------------------------------------------------


def class_name(cls: type) -> str:
    return str(type.__dict__["__name__"].__get__(cls))


def listed(keys: tuple[Any, ...]) -> str:
    texts = [value_text(key) for key in keys[:MOST_KEYS]]
    return f"[{', '.join(texts)}{', ...' * (len(keys) > MOST_KEYS)}]"


def value_text(obj: Any) -> str:
    if type(obj) in (str, bytes) and len(obj) > MOST_CHARACTERS:
        cut = repr(obj[:MOST_CHARACTERS])
        return f"{cut[:-1]}…{cut[-1]}"
    if type(obj) in CONSTANTS:
        return shown(obj)
    name = class_name(type(obj))
    return f"an {name}" if name[0].lower() in "aeiou" else f"a {name}"


BEFORE: Mapping[type, Callable[[Any], tuple[str, Any]]] = {
    g.HasType: lambda x: (f"type({x.source})", class_name(x.cls)),
    g.IsObject: lambda x: (str(x.source), name_of(x.obj)),
    g.TypeVersion: lambda x: (f"class {class_name(x.cls)}", None),
    g.IsArray: lambda x: (str(x.source), x.type),
    g.IsSized: lambda x: (str(x.source), (x.type, x.least, x.most, x.order)),
    g.SameExtent: lambda x: (str(x), (x.axis, x.other_axis)),
    g.Remainder: lambda x: (str(x).partition(" == ")[0], (x.axis, x.divisor, x.rest)),
    g.Equals: lambda x: (str(x.source), value_text(x.value)),
    g.Length: lambda x: (f"len({x.source})", str(x.count)),
    g.Keys: lambda x: (f"list({x.source})", listed(x.keys)),
    g.Absent: lambda x: (str(x.source), None),
    g.SameObject: lambda x: (f"{x.a} is {x.b}", x.same),
    g.Apart: lambda x: (f"the dicts of {x.a} and {x.b}", "two"),
    g.ErrState: lambda x: ("np.geterr()", x.code),
}


# ---- what it is now -----------------------------------------------------------------------------


def has_type(source: str, before: str, obj: Any) -> Iterator[Row]:
    name = class_name(type(obj))
    yield source, before, name if name != before else f"another class {name}"


def is_object(source: str, before: str, obj: Any) -> Iterator[Row]:
    after = value_text(obj) if type(obj) in CONSTANTS else name_of(obj)
    yield source, before, after if after != before else f"another {after}"


def equals(source: str, before: str, obj: Any) -> Iterator[Row]:
    after = value_text(obj)
    yield source, before, after if after != before else f"another {after}"


def is_array(source: str, before: ArrayType, obj: Any) -> Iterator[Row]:
    if type(obj) is not np.ndarray:
        yield from has_type(f"type({source})", "ndarray", obj)
        return
    yield from kind_rows(source, before, obj)
    if before.ndim == obj.ndim:
        yield from axis_rows(source, before.shape, before.shape, obj.shape)
    same = before.shape == obj.shape and before.dtype.itemsize == obj.itemsize
    if same and before.strides != obj.strides:
        yield f"{source}.strides", str(before.strides), str(obj.strides)


def is_sized(source: str, before: tuple[ArrayType, Shape, Shape, str], obj: Any) -> Iterator[Row]:
    t, least, most, order = before
    if type(obj) is not np.ndarray:
        yield from has_type(f"type({source})", "ndarray", obj)
        return
    rows = [*kind_rows(source, t, obj)]
    if t.ndim == obj.ndim:
        rows += axis_rows(source, least, most, obj.shape)
    if not rows and _C.static_axes.get(id(obj), 0) >> 8:
        rows.append((f"{source}.shape", "of any size", f"{obj.shape}, which is marked static"))
    if not rows:
        in_order = f"in {order} order" if order in "CF" else str(t.strides)
        rows.append((f"{source}.strides", in_order, str(obj.strides)))
    yield from rows


def kind_rows(source: str, before: ArrayType, obj: np.ndarray[Any, Any]) -> Iterator[Row]:
    if before.dtype != obj.dtype:
        yield f"{source}.dtype", str(before.dtype), str(obj.dtype)
    if before.ndim != obj.ndim:
        yield f"{source}.ndim", str(before.ndim), str(obj.ndim)
    for name in ("aligned", "writeable"):
        was, now = getattr(before, name), getattr(obj.flags, name)
        if was != now:
            yield f"{source}.flags.{name}", str(was), str(now)


def axis_rows(source: str, least: Shape, most: Shape, now: Shape) -> Iterator[Row]:
    for axis, (a, b, n) in enumerate(zip(least, most, now, strict=True)):
        if not a <= n <= b:
            yield f"{source}.shape[{axis}]", str(a) if a == b else f"{a} to {b}", str(n)


def same_extent(source: str, axes: tuple[int, int], *arrays: Any) -> Iterator[Row]:
    a, b = (str(one.shape[axis]) for one, axis in zip(arrays, axes, strict=True))
    yield source, "True", f"{a} and {b}"


def remainder(source: str, before: tuple[int, int, int], array: Any) -> Iterator[Row]:
    axis, divisor, rest = before
    yield source, str(rest), str(array.shape[axis] % divisor)


def length(source: str, before: str, obj: Any) -> Iterator[Row]:
    if issubclass(type(obj), tuple):  # whose class may count in its own way
        yield source, before, str(tuple.__len__(obj))
    else:
        yield source, before, str(len(obj)) if type(obj) in (list, dict) else value_text(obj)


def keys(source: str, before: str, obj: Any) -> Iterator[Row]:
    after = listed(tuple(obj)) if type(obj) is dict else value_text(obj)
    yield source, before, after if after != before else f"others, of which the first are {after}"


def errstate(source: str, before: int) -> Iterator[Row]:
    was, now = modes(before), modes(_C.errstate_code())
    for name in was:
        if was[name] != now[name]:
            yield f"{source}[{name!r}]", was[name], now[name]
    if was == now:
        yield "np.getbufsize()", AS_IT_WAS, str(np.getbufsize())


ROWS: Mapping[type | None, Callable[..., Iterator[Row]]] = {
    None: lambda source, before, *seen: iter([(source, before, "missing")]),
    g.HasType: has_type,
    g.IsObject: is_object,
    g.TypeVersion: lambda source, before: iter([(source, AS_IT_WAS, "changed")]),
    g.IsArray: is_array,
    g.IsSized: is_sized,
    g.SameExtent: same_extent,
    g.Remainder: remainder,
    g.Equals: equals,
    g.Length: length,
    g.Keys: keys,
    g.Absent: lambda source, before, *seen: iter([(source, "absent", "there")]),
    g.SameObject: lambda source, before, *seen: iter([(source, str(before), str(not before))]),
    g.Apart: lambda source, before, *seen: iter([(source, before, "one")]),
    g.ErrState: errstate,
}
