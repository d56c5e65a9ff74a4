"""A plan for rounds side by side (unroll_and_jam.py) → C.

All is computed before anything is written, into lanes (the rounds' numbers) and a room (their
columns): what is not finite, raises a flag, or does not fit is left to the rounds one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import partial
from typing import Any

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Body, Node, Value
from jitcore.ir.ops.dyn_array import SPAN_STORE
from jitcore.loops.address import layout
from jitcore.loops.arrays.elementwise import loop_dtypes, written
from jitcore.loops.arrays.nest import ONE_BY_ONE
from jitcore.loops.arrays.stores import box, distinct
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import Fact
from jitcore.loops.forms import elements
from jitcore.loops.transform import dots, forward_stores
from jitcore.loops.transform.batch_products import is_array
from jitcore.loops.transform.unroll_and_jam import (
    SIGNS,
    JamPlan,
    element,
    is_mapped,
    known,
    leaves,
    plan_of,
)
from jitcore.loops.transform.versioning import (
    LEAST,
    Head,
    Stretch,
    apart_from_ways,
    stretch,
    try_again,
)

LONGEST = 4096  # elements of a column


@dataclass(slots=True)
class Lanes:
    """`values`: of each number that differs between the rounds, an array in C.
    `body`: what a round does with numbers. `commits`: what is written when all is known."""

    w: LoopEmitter
    plan: JamPlan
    rounds: Stretch
    values: dict[Value, str] = field(default_factory=dict)
    body: list[str] = field(default_factory=list)
    stored: dict[Node, str] = field(default_factory=dict)
    commits: dict[Node, list[str]] = field(default_factory=dict)

    @property
    def count(self) -> str:
        return self.rounds.count

    @property
    def index(self) -> str:
        return self.rounds.head.index

    def number(self, value: Any) -> str:
        if type(value) is Value and value in self.values:
            return f"{self.values[value]}[l]"
        return f"(f64){self.w.text(value)}"

    def each(self, text: str) -> str:
        return f"for (i64 l = 0; l < {self.count}; l++) {text}"

    def array(self, text: str) -> str:
        """Of a number for each round."""
        name = self.w.fresh("l")
        self.w.line(f"f64 {name}[RT_AHEAD];")
        self.body.append(f"{name}[l] = {text};")
        return name

    def leave_if(self, condition: str) -> None:
        self.w.line(f"if ({condition}) goto {self.rounds.alone};")


def begin(w: LoopEmitter, body: Body, index: str, end: str) -> Callable[[], None]:
    """Before the loop: what writes the head of its rounds."""
    plan = plan_of(w, body)
    return partial(rounds, w, plan, Head(index, end, try_again(w)))


def rounds(w: LoopEmitter, plan: JamPlan, head: Head) -> None:
    with stretch(w, head) as made:
        lanes = Lanes(w, plan, made)
        with apart_from_ways(w, made):
            compute(lanes)
        for line in [line for node in plan.steps for line in lanes.commits.get(node, ())]:
            w.line(line)
        forward_stores.forget(w)


def compute(lanes: Lanes) -> None:
    w, plan = lanes.w, lanes.plan
    w.line(f"i64 {lanes.count} = {lanes.rounds.head.left};")
    w.line(f"{lanes.count} = {lanes.count} < RT_AHEAD ? {lanes.count} : RT_AHEAD;")
    for node in (*plan.numbers, *plan.views):
        w.operation(node)
    look(lanes)
    for node in plan.products:
        product(lanes, node)
    bad = w.fresh("bad")
    w.line(f"int {bad} = 0;")
    columns = []
    for node in plan.steps:
        if node.op is SPAN_STORE:
            columns.append(node)
        elif node.op.name == "getitem":
            load(lanes, node)
        elif node.op.name == "setitem":
            put(lanes, node)
        else:
            calculate(lanes, node, bad)
    w.line(lanes.each(f"{{ {ONE_BY_ONE} {' '.join(lanes.body)} }}"))
    lanes.leave_if(bad)
    for node in columns:
        column_text(lanes, node)
    if w.mask:
        lanes.leave_if(f"rt_flags() & {w.mask}")


def look(lanes: Lanes) -> None:
    """Do so many rounds exist, with places of their own, and share nothing?"""
    w, plan = lanes.w, lanes.plan
    accesses = [*(one.access for one in plan.reads), *(one.access for one in plan.written)]
    places = dict.fromkeys(place for one in accesses for place in dots.items_of(w, one))
    for _, left in places:
        w.line(f"{lanes.count} = {lanes.count} < {left} ? {lanes.count} : {left};")
    tests = [f"{lanes.count} >= {LEAST}"]
    tests += [f"!(rt_flags() & {w.mask})"] if w.mask else []  # those of Python's numbers stay
    tests += [f"{index} >= 0" for index in dict.fromkeys(index for index, _ in places)]
    tests += [f"rt_lie_apart({box(layout(w, x))}, {box(layout(w, y))})" for x, y in plan.others]
    arrays = dict.fromkeys(one.access.array for one in plan.written)
    tests += [distinct(layout(w, array)) for array in arrays]
    tests += [dots.differ(w, one, read, lanes.count) for one, read in plan.pairs]
    lanes.leave_if(f"!({' && '.join(dict.fromkeys(tests))})")


def product(lanes: Lanes, node: Node) -> None:
    w, made = lanes.w, lanes.w.ahead[node]
    a, b = (layout(w, arg) for arg in node.args)
    w.leave_unless_equal(node, a.extents[0], b.extents[0])
    dots.look_ahead(w, made, a, b)
    left = f"{made.variable}.to - {lanes.index}"
    lanes.leave_if(f"!{made.variable}.ready || {left} < {LEAST}")
    w.line(f"{lanes.count} = {lanes.count} < {left} ? {lanes.count} : {left};")
    lanes.values[node.outputs[0]] = (
        f"({made.variable}.first + ({lanes.index} - {made.variable}.from))"
    )


def load(lanes: Lanes, node: Node) -> None:
    source = lanes.plan.sources.get(node)
    (out,) = node.outputs
    if source is not None:
        lanes.values[out] = lanes.stored[source]
        return
    lanes.values[out] = lanes.array(item(lanes, node))


def item(lanes: Lanes, node: Node) -> str:
    w = lanes.w
    address, _ = elements.element(w, node)
    first = w.kept("char *", address)
    step = dots.lane(w, element(lanes.plan.of, node))
    return f"*(f64 *)({first} + l * ({step}))"


def put(lanes: Lanes, node: Node) -> None:
    lanes.stored[node] = lanes.array(lanes.number(node.args[2]))
    text = f"{item(lanes, node)} = {lanes.stored[node]}[l];"
    lanes.commits[node] = [lanes.each(f"{{ {ONE_BY_ONE} {text} }}")]


def calculate(lanes: Lanes, node: Node, bad: str) -> None:
    a, b = map(lanes.number, node.args)
    made = lanes.array(f"{a} {SIGNS[node.op.name]} {b}")
    lanes.body.append(f"{bad} |= !__builtin_isfinite({made}[l]);")
    lanes.values[node.outputs[0]] = made


def column_text(lanes: Lanes, node: Node) -> None:
    w, of = lanes.w, lanes.plan.of
    view, value = node.args
    into = layout(w, view)
    parts = [leaf for _, leaf in leaves(of, value, 0) if is_array(leaf)]
    for part in parts:
        if True in layout(w, part).ones:
            raise CannotLower("a column that is read has one element")
        w.leave_unless_equal(node, layout(w, part).extents[0], into.extents[0])
    count = into.extents[0]
    lanes.leave_if(f"{count} > {LONGEST}")
    room = w.room(node, f"({count} * (i64)(RT_AHEAD * sizeof(f64)))")
    kept = f"*(f64 *)({room} + (k * RT_AHEAD + l) * (i64)sizeof(f64))"
    w.line(f"for (i64 k = 0; k < {count}; k++) {{")
    w.depth += 1
    w.independent()
    w.line(lanes.each("{"))
    w.depth += 1
    w.line(f"{kept} = {at_row(lanes, value)};")
    w.depth -= 1
    w.line("}")
    w.depth -= 1
    w.line("}")
    target = part_text(lanes, view)
    w.note(Fact.INDEPENDENT)
    lanes.commits[node] = [
        f"for (i64 k = 0; k < {count}; k++) {{",
        "    RT_INDEPENDENT",
        f"    {lanes.each(f'{target} = {kept};')}",
        "}",
    ]


def at_row(lanes: Lanes, value: Any) -> str:
    """Of the row k, in the round l."""
    node = lanes.plan.of.node(value) if is_array(value) else None
    if node is not None and is_mapped(node):
        names = []
        for arg in node.args:
            names.append(lanes.w.fresh("e"))
            lanes.w.line(f"const f64 {names[-1]} = {at_row(lanes, arg)};")
        text = written(lanes.w, node, loop_dtypes(node), names)
        return f"({text})"
    return part_text(lanes, value) if is_array(value) else lanes.number(value)


def part_text(lanes: Lanes, value: Value) -> str:
    of = layout(lanes.w, value)
    step = dots.lane(lanes.w, known(lanes.plan.of.access(value)))
    return f"*(f64 *)({of.pointer} + k * {of.steps[0]} + l * ({step}))"
