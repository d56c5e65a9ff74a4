"""A plan for rows that trail one another (skew.py) → C.

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
from dataclasses import replace
from functools import partial
from itertools import combinations, product
from typing import TYPE_CHECKING

from ..ir.graph import Body, Value
from .numbers import NoForm
from .places import index, layout
from .skew import INNER, OUTER, STILL, Place, Plan, parts_of, plan_of
from .span_stores import box, distinct
from .stretch import Head, Stretch, apart_from_ways, stretch, try_again

if TYPE_CHECKING:
    from .writer import Writer

ROWS = 16  # at once
FEWEST = 2
LEAST = 8  # columns
MOST_KEPT = 1 << 22  # bytes of an array


def begin(w: Writer, body: Body, at: str, end: str) -> Callable[[], None] | None:
    """Before the loop: what writes the head of its rounds."""
    plan = plan_of(body)
    return None if plan is None else partial(rows, w, body, plan, Head(at, end, try_again(w)))


def rows(w: Writer, body: Body, plan: Plan, head: Head) -> None:
    with stretch(w, head, FEWEST) as made, apart_from_ways(w, made):
        count = before(w, plan, made)
        look(w, plan, made, count)
        kept = [keep(w, body, plan, made, count, array) for array in plan.written]
        first = w.scratch("i64")
        w.line(f"{first} = {head.index};")
        made.undo = w.fresh("undo")
        made.undoing = [f"{head.index} = {first};", *kept, "rt_clear();"]
        w.instead = made.undo
        fill(w, plan, made, count, first)
        w.line(f"{head.index} = {first};")
        if w.mask:
            w.line(f"if (rt_flags() & {w.mask}) goto {made.undo};")
        w.line(f"rounds += {made.count} * {count};")


def before(w: Writer, plan: Plan, made: Stretch) -> str:
    """How many rows and columns; that arrays share nothing."""
    w.line(f"i64 {made.count} = {made.head.left} < {ROWS} ? {made.head.left} : {ROWS};")
    with w.block(), once(w, plan):
        w.nodes(plan.head)
    count = w.scratch("i64")
    w.line(f"{count} = {w.text(plan.inner.args[0])};")
    tests = [f"{count} < {LEAST}"]
    tests += [f"rt_flags() & {w.mask}"] if w.mask else []
    tests += [f"!{distinct(layout(w, array))}" for array in plan.written]
    pairs = [*combinations(plan.written, 2), *product(plan.written, plan.read)]
    tests += [f"!rt_lie_apart({box(layout(w, x))}, {box(layout(w, y))})" for x, y in pairs]
    w.line(f"if ({' || '.join(tests)}) goto {made.alone};")
    return count


def fill(w: Writer, plan: Plan, made: Stretch, count: str, first: str) -> None:
    t, r, to = (w.fresh(letter) for letter in ("t", "r", "to"))
    many, lag, column = made.count, plan.lag, w.name(plan.inner.bodies[0].params[0])
    w.line(f"for (i64 {t} = 0; {t} < {count} + {lag} * ({many} - 1); {t}++) {{")
    w.line(f"    i64 {to} = {t} / {lag} < {many} ? {t} / {lag} + 1 : {many};")
    start = f"{t} < {count} ? 0 : ({t} - {count}) / {lag} + 1"
    w.line(f"    for (i64 {r} = {start}; {r} < {to}; {r}++) {{")
    w.depth += 2
    w.line(f"{made.head.index} = {first} + {r}, {column} = {t} - {lag} * {r};")
    with w.block(), once(w, plan):
        for value, place in plan.indices.items():
            at = made.head.index if place.moved == OUTER else column
            if w.name(value) != at:
                w.line(f"{w.name(value)} = {position(w, place, at, place.shift)};")
        known = plan.indices.keys()
        w.inside = {node: known & {*parts_of(node.args[1])} for node in plan.bounded}
        w.nodes([node for node in (*plan.head, *plan.body) if not known & {*node.outputs}])
    w.depth -= 2
    w.line("    }")
    w.line("}")


@contextmanager
def once(w: Writer, plan: Plan) -> Iterator[None]:
    """The text of nodes that will be written again. Flags are looked at when all is done; an index
    from the end is not what the plan has compared."""
    mask, calls, user_lines = w.mask, len(w.calls), len(w.user_lines)
    near, done = len(w.near), len(w.done)
    w.mask = 0
    found = [one for accesses in plan.written.values() for one in accesses]
    w.unwrapped = {p for one in found for p in parts_of(one.node.args[1]) if type(p) is Value}
    try:
        yield
        if len(w.calls) > calls:
            raise NoForm("a call, row after row")
    except NoForm:
        del w.calls[calls:], w.near[near:], w.done[done:], w.user_lines[user_lines:]
        raise
    finally:
        w.mask, w.unwrapped, w.inside = mask, frozenset(), {}


def look(w: Writer, plan: Plan, made: Stretch, count: str) -> None:
    """Are all elements there that each column reads or writes?"""
    shifts: dict[tuple[str, Place], list[int]] = {}
    for one in plan.bounded.values():
        for place, extent in zip(one.places, layout(w, one.array).extents, strict=True):
            if place.moved != STILL:
                shifts.setdefault((extent, replace(place, shift=0)), []).append(place.shift)
    for (extent, place), found in shifts.items():
        at, many = (made.head.index, made.count) if place.moved == OUTER else ("0", count)
        for end in both_ends(w, place, found, at, many):
            w.line(f"if ((u64){end} >= (u64){extent}) goto {made.alone};")


# ---- what rows write -----------------------------------------------------------------------------


def keep(w: Writer, body: Body, plan: Plan, made: Stretch, count: str, array: Value) -> str:
    """A copy of all that the rows may write of an array; what puts it back."""
    found = [one for one in plan.written[array] if one.stores]
    of, any_ = layout(w, array), found[0]
    first, boxes = of.pointer, {OUTER: ("1", "0"), INNER: ("1", "0")}
    for axis, (place, extent, step) in enumerate(
        zip(any_.places, of.extents, of.steps, strict=True)
    ):
        if place.moved == STILL:
            if any(one.places[axis] != place for one in found):
                raise NoForm("several planes of an array")
            first += f" + {index(w, any_.node, place.start, extent)} * {step}"
            continue
        at, many = (made.head.index, made.count) if place.moved == OUTER else ("0", count)
        low, items = reach(w, [one.places[axis] for one in found], at, many, extent)
        first += f" + {low} * {step}"
        boxes[place.moved] = (items, step)
    size = of.dtype.itemsize
    (height, row), (width, column) = boxes[OUTER], boxes[INNER]
    first = w.kept("char *", first)
    w.line(f"if ({height} * {width} * {size} > {MOST_KEPT}) goto {made.alone};")
    room = w.room(plan.inner, f"({height} * {width} * {size})")
    part = f"{first}, {height}, {row}, {width}, {column}, {size}, {room}"
    w.line(f"rt_keep({part}, 0);")
    return f"rt_keep({part}, 1);"


def reach(w: Writer, places: Sequence[Place], at: str, many: str, extent: str) -> tuple[str, str]:
    """The first item along an axis, and how many."""
    ends, low = both_ends(w, places[0], [one.shift for one in places], at, many), w.scratch("i64")
    return low, w.kept("i64", f"rt_within({', '.join(ends)}, {extent}, &{low})")


def both_ends(
    w: Writer, place: Place, shifts: Sequence[int], at: str, many: str
) -> tuple[str, str]:
    """Where the first of so many rounds gets, and the last."""
    last = f"{at} + {many} - 1"
    return position(w, place, at, min(shifts)), position(w, place, last, max(shifts))


def position(w: Writer, place: Place, at: str, shift: int) -> str:
    start, sign = w.text(place.start), "+" if place.step > 0 else "-"
    return f"(i64)((u64){start} {sign} (u64)({at} + {shift}))"
