"""Rounds of strands (strip_mine.py) at the head of their loop: as many as fit into a log, or none.

    how many can be done?     numbers alone are computed, with no element touched
    do them                   by blocks, in several threads; what was there is kept in the log
    a flag was raised         all of it is undone: the rounds go one by one, and one leaves
    else                      what is carried on changes places with what was made

So it is between two rounds that signals are looked at, and arrays are as CPython leaves them there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from jitcore.ir.cannot_lower import CannotLower, NotCandidate
from jitcore.ir.graph import Body, Node, Value
from jitcore.ir.ops.dyn_array import dims_of
from jitcore.ir.types import ArrayType
from jitcore.loops import carried
from jitcore.loops.address import layout
from jitcore.loops.arrays.stores import box, distinct
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import Layout
from jitcore.loops.transform.strip_mine import AT, StripMinePlan, plan_of
from jitcore.loops.transform.strip_mine_function import WIDE, StripFunction, function
from jitcore.loops.transform.versioning import Head, Stretch, apart_from_ways, stretch, try_again

LEAST = 2  # rounds
LONGEST = 1 << 27  # lines of C that are run, so that signals do not wait for long
MOST = 1024  # so that a flag does not undo too much
MANY = 48  # rounds, so that most lines of cache are read once
NARROW = 64  # strands of a block that lie scattered: a line of cache for each, and each array
REST = 8  # stretches that are not tried after a flag
LINE = 8  # elements of a line of cache

# Of a routine's own variable: pieces of one loop may run in several threads.
READ = "__atomic_load_n(&{}, __ATOMIC_RELAXED)"
WRITE = "__atomic_store_n(&{}, {}, __ATOMIC_RELAXED);"


def begin(w: LoopEmitter, body: Body, index: str, end: str) -> Callable[[], None]:
    """Before the loop: what writes the head of its rounds."""
    plan = plan_of(body)
    return partial(rounds, w, plan, Head(index, end, try_again(w)))


def rounds(w: LoopEmitter, plan: StripMinePlan, head: Head) -> None:
    functions = len(w.functions)
    resting = w.fresh("resting")
    try:
        with stretch(w, head, LEAST) as made:
            run(w, plan, made, resting)
    except CannotLower:
        del w.functions[functions:]
        raise
    w.seldom = True


def run(w: LoopEmitter, plan: StripMinePlan, made: Stretch, resting: str) -> None:
    name = w.fresh("strands")
    assert plan.first is not None
    array, place = plan.root(plan.first.args[0]), plan.places[plan.root(plan.first.args[0])]
    axes = [k for k, axis in enumerate(place) if axis != AT]
    if not axes:
        raise NotCandidate("its stores are of single elements")
    if lies_in_one_piece(array, axes[-1]):
        raise CannotLower("the stored slice is contiguous: an iteration is vector code already")
    part = function(w, plan, name, len(axes))
    w.functions += part.text
    w.line(f"static int {resting};")
    rest = w.fresh("rest")
    w.line(f"int {rest} = {READ.format(resting)};")
    w.line(f"if ({rest} > 0) {{ {WRITE.format(resting, f'{rest} - 1')} goto {made.alone}; }}")
    with apart_from_ways(w, made):
        extents = extents_of(w, plan, array, axes)
        w.line(f"{name}_job job = {{{{RT_LOOK, 0, 1, {made.head.index}, 0, 0}}, 0, 0")
        for _, one in part.captured:
            w.line(f"    , {one}")
        w.line(f"    , {', '.join(extents)}}};")
        count_of(w, plan, made, extents, part)
        w.line(f"job.wide = {wide(w, array, axes[-1])};")
        look_apart(w, plan, made)
        passes(w, plan, made, name, part, extents, resting)


def lies_in_one_piece(array: Value, axis: int) -> bool:
    """Then a round reads whole lines, and what the round before it wrote is still in a cache."""
    kind = array.type
    return isinstance(kind, ArrayType) and kind.strides[axis] == kind.dtype.itemsize


def extents_of(w: LoopEmitter, plan: StripMinePlan, array: Value, axes: list[int]) -> list[str]:
    """How many strands there are, along each of their axes."""
    assert plan.first is not None
    key = plan.view(plan.first.args[0]).args[1]
    whole = layout(w, array)
    found = []
    for axis in axes:
        if axis >= len(key):
            found.append(whole.extents[axis])
            continue
        count = key[axis][1]
        compute(w, plan, count)
        found.append(str(count) if type(count) is int else w.text(count))
    return found


def compute(w: LoopEmitter, plan: StripMinePlan, value: Any) -> None:
    """A number that is the same in each round, before the first one."""
    node = plan.made.get(value) if type(value) is Value else None
    if node is None:
        return
    for arg in node.args:
        compute(w, plan, arg)
    w.assign(node)


def count_of(
    w: LoopEmitter, plan: StripMinePlan, made: Stretch, extents: list[str], part: StripFunction
) -> None:
    """Rounds whose log is not too large, and whole lines of cache of it."""
    n, left = made.count, made.head.left
    w.line(f"i64 {n} = {left} < {MOST} ? {left} : {MOST};")
    product = w.fresh("count")
    w.line(f"i64 {product} = {part.width};")
    for extent in extents:
        w.line(f"if (__builtin_mul_overflow({product}, {extent}, &{product})) goto {made.alone};")
    w.line(f"if ({product} < 1 || {product} > RT_LOG / {LEAST}) goto {made.alone};")
    w.line(f"if ({n} > RT_SHORT_LOG / {product}) {{")
    w.line(f"    const i64 most = RT_SHORT_LOG / {product} > {MANY} ? RT_SHORT_LOG / {product}")
    w.line(f"        : RT_LOG / {product} < {MANY} ? RT_LOG / {product} : {MANY};")
    w.line(f"    {n} = {n} < most ? {n} : most;")
    w.line(f"    if ({n} < {left} && {n} > {LINE}) {n} &= -{LINE};")
    w.line("}")
    w.line(f"job.count = {product} / {part.width};")
    work = f"({LONGEST} / (job.count * {part.work}))"
    w.line(f"if ({n} > {work}) {n} = {work};")


def wide(w: LoopEmitter, array: Value, axis: int) -> str:
    whole = layout(w, array)
    return f"{whole.steps[axis]} == {whole.dtype.itemsize} ? {WIDE} : {NARROW}"


def look_apart(w: LoopEmitter, plan: StripMinePlan, made: Stretch) -> None:
    tests = [distinct(layout(w, array)) for array in plan.places]
    seen: set[frozenset[Value]] = set()
    for array in plan.places:
        for other in (*plan.places, *plan.used):
            pair = frozenset((array, other))
            if other is array or pair in seen:
                continue
            seen.add(pair)
            tests.append(f"rt_lie_apart({box(layout(w, array))}, {box(layout(w, other))})")
    w.line(f"if (!({' && '.join(tests)})) goto {made.alone};")


def passes(
    w: LoopEmitter,
    plan: StripMinePlan,
    made: Stretch,
    name: str,
    part: StripFunction,
    extents: list[str],
    resting: str,
) -> None:
    n = made.count
    node = plan.first
    assert node is not None
    last = extents[-1]
    w.line(f"job.of.rounds = {n};")
    w.line(f"{{ rt_strands look = job.of; {name}(&look, &job.of); {n} = look.rounds; }}")
    w.line("rt_clear();")
    w.line(f"if ({n} < {LEAST}) goto {made.alone};")
    w.line(f"job.of.rounds = {n};")
    lines = " * ".join(extents[:-1]) or "1"
    w.line(f"job.of.to = {lines} * (({last} + job.wide - 1) / job.wide);")
    w.line(f"job.of.log = {w.room(node, f'(job.count * {n} * {part.width})')};")
    rooms = [carry(w, plan, k, param, node, extents) for k, (param, _) in enumerate(plan.carried)]
    w.line("job.of.mode = RT_DO;")
    w.line(f"if (world->strands({name}, &job.of, job.count * {n})) {{")
    w.line("    job.of.mode = RT_UNDO;")
    w.line(f"    world->strands({name}, &job.of, job.count * {n});")
    w.line("    rt_clear();")
    w.line(f"    {WRITE.format(resting, REST)}")
    w.line(f"    goto {made.alone};")
    w.line("}")
    for (param, _), room in zip(plan.carried, rooms, strict=True):
        now, _ = w.rooms_of(param)
        w.line(f"rt_exchange(rooms, {now}, {room});")
        w.line(f"{carried.own(w, param).pointer} = rooms[{now}].first;")


def carry(
    w: LoopEmitter, plan: StripMinePlan, k: int, param: Value, node: Node, extents: list[str]
) -> int:
    """The room for what the last round hands on."""
    of: Layout = carried.own(w, param)
    if len(of.extents) != len(extents) or len(dims_of(param.type)) != len(extents):  # type: ignore[arg-type]
        raise CannotLower("the carried array has other axes than the slices that are stored")
    for extent, wanted in zip(of.extents, extents, strict=True):
        w.leave_unless_equal(node, extent, wanted)
    room = w.rooms
    made = w.room(node, f"(job.count * {of.dtype.itemsize})")
    w.line(f"job.given{k} = {of.pointer};")
    w.line(f"job.made{k} = {made};")
    return room
