"""A plan for rows that trail one another (loop_nest.py) → C.

    for (t = 0; t < columns + lag * (rows - 1); t++)
        for (r = first row under way; r < last row under way; r++)
            column t - lag * r of row r

A column is the text that it is in the loop itself. What would leave the routine there, and what has
raised a flag when all is done, has been done out of order: then what the rows wrote is put back,
and they go one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import combinations, product

from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Body, Value
from jitcore.loops.address import index, layout
from jitcore.loops.arrays.stores import box, distinct
from jitcore.loops.c_types import c_name
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.transform.loop_nest import Carried, WavefrontPlan, parts_of, plan_of, read_by
from jitcore.loops.transform.skew import INNER, OUTER, STILL, ShiftedAccess, ShiftedIndex
from jitcore.loops.transform.versioning import Head, Stretch, apart_from_ways, stretch, try_again

ROWS = 16  # at once
FEWEST = 2
LEAST, MOST = 8, 1 << 15  # columns
MOST_AT_ONCE = 1 << 17  # columns of all rows: nobody looks at signals meanwhile
MOST_KEPT = 1 << 22  # bytes of an array


@dataclass(slots=True)
class Rows:
    """Variables in C: the first row, how many columns, a row's number, and its column."""

    w: LoopEmitter
    plan: WavefrontPlan
    made: Stretch
    first: str
    columns: str
    row: str
    column: str

    @property
    def index(self) -> str:
        return self.made.head.index


def begin(w: LoopEmitter, body: Body, at: str, end: str) -> Callable[[], None]:
    """Before the loop: what writes the head of its rounds."""
    plan = plan_of(body)
    return partial(rows, w, body, plan, Head(at, end, try_again(w)))


def rows(w: LoopEmitter, body: Body, plan: WavefrontPlan, head: Head) -> None:
    with stretch(w, head, FEWEST) as made, apart_from_ways(w, made):
        column = w.name(plan.inner.bodies[0].params[0])
        of = Rows(w, plan, made, w.scratch("i64"), w.scratch("i64"), w.fresh("r"), column)
        before(of)
        look(of)
        kept = [keep(of, found) for found in plan.written.values()]
        made.undo = w.fresh("undo")
        made.undoing = [f"{head.index} = {of.first};", *kept, "rt_clear();"]
        w.instead = f"goto {made.undo};"
        fill(of)
        if w.mask:
            w.line(f"if (rt_flags() & {w.mask}) goto {made.undo};")
        w.depth -= 1
        w.assign_all(body.params[1:], body.results)
        w.depth += 1
        w.line(f"{head.index} = {of.first};")
        w.line(f"rounds += {made.count} * {of.columns};")


def before(of: Rows) -> None:
    """How many rows and columns; that arrays share nothing."""
    w, plan, made = of.w, of.plan, of.made
    w.line(f"i64 {made.count} = {made.head.left} < {ROWS} ? {made.head.left} : {ROWS};")
    w.line(f"{of.first} = {of.index};")
    with w.block(), again(w, plan):
        w.nodes(plan.repeated)
    w.line(f"{of.columns} = {w.text(plan.inner.args[0])};")
    tests = [f"{of.columns} < {LEAST} || {of.columns} > {MOST}"]
    tests += [f"rt_flags() & {w.mask}"] if w.mask else []
    tests += [f"!{distinct(layout(w, array))}" for array in plan.written]
    pairs = [*combinations(plan.written, 2), *product(plan.written, plan.read)]
    tests += [f"!rt_lie_apart({box(layout(w, x))}, {box(layout(w, y))})" for x, y in pairs]
    w.line(f"if ({' || '.join(tests)}) goto {made.alone};")
    fit = f"{MOST_AT_ONCE} / {of.columns}"
    w.line(f"{made.count} = {made.count} < {fit} ? {made.count} : {fit};")


@contextmanager
def again(w: LoopEmitter, plan: WavefrontPlan) -> Iterator[None]:
    """The text of nodes that will be written again. Flags are looked at when all is done; an index
    from the end is not what the plan has compared."""
    mask, calls, user_lines = w.mask, len(w.calls), len(w.user_lines)
    near, done = len(w.near), len(w.done)
    w.mask, w.deferred = 0, mask
    found = [one for accesses in plan.written.values() for one in accesses]
    w.unwrapped = {p for one in found for p in parts_of(one.node.args[1]) if type(p) is Value}
    try:
        yield
        if len(w.calls) > calls:
            raise CannotLower("it calls a function of NumPy, which may look at the order")
    except CannotLower:
        del w.calls[calls:], w.near[near:], w.done[done:], w.user_lines[user_lines:]
        raise
    finally:
        w.mask, w.deferred, w.unwrapped, w.inside = mask, 0, frozenset(), {}


def look(of: Rows) -> None:
    """Are all elements there that each column reads or writes?"""
    shifts: dict[tuple[str, ShiftedIndex], list[int]] = {}
    for one in of.plan.bounded.values():
        for place, extent in zip(one.places, layout(of.w, one.array).extents, strict=True):
            if place.moved != STILL:
                shifts.setdefault((extent, replace(place, shift=0)), []).append(place.shift)
    for (extent, place), found in shifts.items():
        for end in both_ends(of, place, found):
            of.w.line(f"if ((u64){end} >= (u64){extent}) goto {of.made.alone};")


# ---- columns -------------------------------------------------------------------------------------


def fill(of: Rows) -> None:
    w, t, to = of.w, of.w.fresh("at"), of.w.fresh("to")
    many, columns, lag, r = of.made.count, of.columns, of.plan.lag, of.row
    w.line(f"for (i64 {t} = 0; {t} < {columns} + {lag} * ({many} - 1); {t}++) {{")
    w.line(f"    i64 {to} = {t} / {lag} < {many} ? {t} / {lag} + 1 : {many};")
    start = f"{t} < {columns} ? 0 : ({t} - {columns}) / {lag} + 1"
    w.line(f"    for (i64 {r} = {start}; {r} < {to}; {r}++) {{")
    w.depth += 2
    w.line(f"{of.index} = {of.first} + {r}, {of.column} = {t} - {lag} * {r};")
    with w.block(), again(w, of.plan):
        column_text(of)
    w.depth -= 2
    w.line("    }")
    w.line("}")


def column_text(of: Rows) -> None:
    w, plan = of.w, of.plan
    for value, place in plan.indices.items():
        at = of.index if place.moved == OUTER else of.column
        if w.name(value) != at:
            w.line(f"{w.name(value)} = {position(w, place, at, place.shift)};")
    known = plan.indices.keys()
    w.inside = {node: known & {*parts_of(node.args[1])} for node in plan.bounded}
    w.nodes([node for node in plan.repeated if known.isdisjoint(node.outputs)])
    states = own(of)
    w.nodes([node for node in plan.body if known.isdisjoint(node.outputs)])
    for one, state in states.items():
        w.line(f"{state}[{of.row}] = {w.text(one.result)};")
    if not plan.tail and not plan.carried:
        return
    w.line(f"if ({of.column} == {of.columns} - 1) {{")
    with w.block():
        w.depth += 1
        for one in plan.carried:
            w.line(f"{w.name(one.last)} = {w.text(one.result)};")
        w.nodes(plan.tail)
        w.depth -= 1
    w.line("}")


def own(of: Rows) -> dict[Carried, str]:
    """What a row has for itself, computed or read before its first column, in arrays of C: of what
    it carries, the variables are given back."""
    w, plan, r = of.w, of.plan, of.row
    states = {
        one: w.scratch(c_name(one.param), ROWS) for one in plan.carried if one.first is not None
    }
    later = {*read_by((*plan.body, *plan.tail)), *(one.result for one in plan.carried)}
    values = [out for node in plan.once for out in node.outputs if out in later]
    kept = {value: w.scratch(c_name(value), ROWS) for value in values}
    if not states and not plan.once:
        return states
    w.line(f"if ({of.column} == 0) {{")
    with w.block():
        w.depth += 1
        w.nodes(plan.once)
        for value, place in kept.items():
            w.line(f"{place}[{r}] = {w.name(value)};")
        for one in states:
            w.line(f"{w.name(one.param)} = {w.text(one.first)};")
        w.depth -= 1
    w.line("} else {")
    for value, place in (*kept.items(), *((one.param, state) for one, state in states.items())):
        w.line(f"    {w.name(value)} = {place}[{r}];")
    w.line("}")
    return states


# ---- what rows write -----------------------------------------------------------------------------


def keep(of: Rows, found: Sequence[ShiftedAccess]) -> str:
    """A copy of all that the rows may write of an array; what puts it back."""
    w = of.w
    stores = [one for one in found if one.stores]
    layout_ = layout(w, stores[0].array)
    first, boxes = layout_.pointer, {OUTER: ("1", "0"), INNER: ("1", "0")}
    for axis, (extent, step) in enumerate(zip(layout_.extents, layout_.steps, strict=True)):
        places = [one.places[axis] for one in stores]
        moved = max(one.moved for one in places)
        if all(one == places[0] for one in places) and moved == STILL:
            first += f" + {index(w, stores[0].node, places[0].start, extent)} * {step}"
            continue
        low, items = "0", extent
        if moved != STILL and all(one.is_beside(places[0]) for one in places):
            low, items = reach(of, places, extent)
        first += f" + {low} * {step}"
        if moved == STILL or boxes[moved][1] != "0":
            raise CannotLower("rows of one array are in several planes of it")
        boxes[moved] = items, step
    size = layout_.dtype.itemsize
    (height, row), (width, column) = boxes[OUTER], boxes[INNER]
    first = w.kept("char *", first)
    w.line(f"if ({height} * {width} * {size} > {MOST_KEPT}) goto {of.made.alone};")
    room = w.room(of.plan.inner, f"({height} * {width} * {size})")
    part = f"{first}, {height}, {row}, {width}, {column}, {size}, {room}"
    w.line(f"rt_keep({part}, 0);")
    return f"rt_keep({part}, 1);"


def reach(of: Rows, places: Sequence[ShiftedIndex], extent: str) -> tuple[str, str]:
    """The first item along an axis, and how many."""
    low = of.w.scratch("i64")
    ends = both_ends(of, places[0], [one.shift for one in places])
    return low, of.w.kept("i64", f"rt_within({', '.join(ends)}, {extent}, &{low})")


def both_ends(of: Rows, place: ShiftedIndex, shifts: Sequence[int]) -> tuple[str, str]:
    """Where the first row or column gets, and the last."""
    at, many = (of.first, of.made.count) if place.moved == OUTER else ("0", of.columns)
    last = f"{at} + {many} - 1"
    return position(of.w, place, at, min(shifts)), position(of.w, place, last, max(shifts))


def position(w: LoopEmitter, place: ShiftedIndex, at: str, shift: int) -> str:
    start, sign = w.text(place.start), "+" if place.step > 0 else "-"
    return f"(i64)((u64){start} {sign} (u64)({at} + {shift}))"
