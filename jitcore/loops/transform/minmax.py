"""Rounds that look for the largest, or the least, of whole numbers → a stretch of them at once.

    for k in range(i + 1, j):                      for … of up to 4096 rounds:
        best = max(best, a[i, k] + a[k + 1, j])        s = a[…] + a[…];  bad |= s has overflowed
                                                       best = s > best ? s : best

That the indices stay within the arrays is looked at once, for the first and the last round; where
one does not, or a sum overflows, the rounds go one by one, and leave as they would. The compiler
makes vector code of a loop without ways out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import partial
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.cannot_lower import CannotLower, NotCandidate
from jitcore.ir.graph import Body, Node, Value
from jitcore.ir.ops.array import GETITEM
from jitcore.ir.ops.loop import POLL, RANGE_ITEM, RANGE_NEXT
from jitcore.ir.types import ScalarType
from jitcore.loops.address import layout
from jitcore.loops.c_types import c_type
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.forms import elements
from jitcore.loops.transform.batch_products import Round, is_array
from jitcore.loops.transform.versioning import Head, Stretch, apart_from_ways, stretch, try_again

MOST = 4096  # rounds
WHOLE = "ilq"  # dtypes: int32 and int64
ORDERS = {"op.gt": ">", "op.ge": ">", "op.lt": "<", "op.le": "<"}
OTHER = {">": "<", "<": ">"}
BAD = {
    "op.add": ("+", "({0} ^ {2}) & ({1} ^ {2})"),
    "op.sub": ("-", "({0} ^ {1}) & ({0} ^ {2})"),
}


@dataclass(slots=True)
class MinMaxPlan:
    """The nodes of a body by what they do. `slopes`: how far an index moves in each round."""

    of: Round
    best: Value
    sign: str = ""  # of a number that is better
    found: Any = None
    way: set[Node] = field(default_factory=set)  # the test and the choice: there is one each
    slopes: dict[Value, int] = field(default_factory=dict)
    numbers: list[Node] = field(default_factory=list)
    steps: list[Node] = field(default_factory=list)  # loads and arithmetic, in order


# ---- which bodies --------------------------------------------------------------------------------


def plan_of(body: Body) -> MinMaxPlan:
    if len(body.params) != 2 or len(body.results) != 1:
        raise NotCandidate("it does not carry one number from iteration to iteration")
    best = body.params[1]
    kind = best.type
    if not isinstance(kind, ScalarType) or kind.python or kind.dtype.char not in WHOLE:
        raise NotCandidate("the carried number is no int32 or int64 of NumPy")
    plan = MinMaxPlan(Round.of(body), best)
    choice(plan, body)
    for node in body.nodes:
        sort(plan, node)
    indices_only(plan)
    computed_here(plan)
    return plan


def choice(plan: MinMaxPlan, body: Body) -> None:
    """What the round hands on: the better of the number that it found and the best so far."""
    made = {value: node for node in body.nodes for value in node.outputs}
    node = made.get(body.results[0])
    if node is None or node.op.name != "cond" or any(one.nodes for one in node.bodies):
        raise CannotLower("the carried number is not chosen by an if with nothing else in it")
    plan.way.add(node)
    test = made.get(node.args[0])
    if test is not None and test.op.name == "op.truth":
        plan.way.add(test)
        test = made.get(test.args[0])
    if test is None or test.op.name not in ORDERS:
        raise CannotLower("the number is not chosen by <, <=, > or >=")
    plan.way.add(test)
    (yes,), (no,) = (one.results for one in node.bodies)
    left, right = test.args
    if {id(yes), id(no)} != {id(left), id(right)} or plan.best not in (yes, no):
        raise CannotLower("the number that is compared is not the one that is kept")
    sign = ORDERS[test.op.name]
    plan.sign = sign if yes is left else OTHER[sign]
    plan.found = no if yes is plan.best else yes


def sort(plan: MinMaxPlan, node: Node) -> None:
    name = node.op.name
    if node.op is POLL or node in plan.way:
        return
    if node.op in (RANGE_ITEM, RANGE_NEXT):
        plan.numbers.append(node)
        if node.op is RANGE_ITEM and is_rounds(plan, node):
            plan.slopes[node.outputs[0]] = node.args[1]
    elif is_index(plan, node):
        plan.numbers.append(node)
    elif node.op is GETITEM:
        load(plan, node)
        plan.steps.append(node)
    elif name in BAD:
        for value in (*node.outputs, *node.args):
            if not fits(value, plan.best.type.dtype):  # type: ignore[union-attr]
                whole(plan, value)
        plan.steps.append(node)
    else:
        raise CannotLower(f"{node.op.words} is neither + nor - nor an element of an array")


def is_rounds(plan: MinMaxPlan, node: Node) -> bool:
    start, step, k = node.args
    still = plan.of.is_still(start)
    return still and type(step) is int and step != 0 and k is plan.of.body.params[0]


def is_index(plan: MinMaxPlan, node: Node) -> bool:
    """A whole number of Python's, by a fixed distance from another one."""
    kind = node.outputs[0].type if len(node.outputs) == 1 else None
    if not isinstance(kind, ScalarType) or not kind.python or kind.dtype.kind != "i":
        return False
    if plan.of.is_still(node.outputs[0]):
        return True
    if node.op.name not in BAD or node.args[0] not in plan.slopes:
        return False
    if not plan.of.is_still(node.args[1]):
        return False
    plan.slopes[node.outputs[0]] = plan.slopes[node.args[0]]
    return True


def load(plan: MinMaxPlan, node: Node) -> None:
    array, key = node.args[0], node.args[1]
    whole(plan, node.outputs[0])
    if array in plan.of.made or not is_array(array) or array.type.dtype.char not in WHOLE:
        raise CannotLower("the elements are not of an int32 or int64 array from before the loop")
    if not all(one in plan.slopes or plan.of.is_still(one) for one in parts_of(key)):
        raise CannotLower("an index does not move by a fixed step")


def parts_of(key: Any) -> tuple[Any, ...]:
    return key if type(key) is tuple else (key,)


def fits(value: Any, dtype: np.dtype[Any]) -> bool:
    """An int of the program's text."""
    limits = np.iinfo(dtype)
    return type(value) is int and limits.min <= value <= limits.max


def whole(plan: MinMaxPlan, value: Any) -> None:
    """Of the type of the best, and not the best."""
    if type(value) is not Value or value is plan.best or value.type != plan.best.type:
        raise CannotLower("the elements are of another dtype than the carried number")


def indices_only(plan: MinMaxPlan) -> None:
    """What moves is an index, so that the arrays' extents bound it."""
    used = {one for node in plan.steps if node.op is GETITEM for one in parts_of(node.args[1])}
    for node in reversed(plan.numbers):
        moving = node.op is not RANGE_NEXT and node.op is not RANGE_ITEM
        if moving and node.outputs[0] in plan.slopes and node.outputs[0] not in used:
            raise CannotLower("the counter is used for more than an index")
        used.update(one for one in node.args if type(one) is Value)
    if not any(plan.found in node.outputs for node in plan.steps):
        raise CannotLower("the number that is compared is not computed in the loop")


def computed_here(plan: MinMaxPlan) -> None:
    """What a step reads is another step's, or of outside: nothing else of a round is computed."""
    known = {out for node in plan.steps for out in node.outputs}
    for node in plan.steps:
        for arg in node.args if node.op is not GETITEM else ():
            if type(arg) is Value and arg in plan.of.made and arg not in known:
                raise CannotLower("the loop computes more than the number that is compared")


# ---- C -------------------------------------------------------------------------------------------


def begin(w: LoopEmitter, body: Body, index: str, end: str) -> Callable[[], None]:
    """Before the loop: what writes the head of its rounds."""
    plan = plan_of(body)
    return partial(rounds, w, plan, Head(index, end, try_again(w)))


def rounds(w: LoopEmitter, plan: MinMaxPlan, head: Head) -> None:
    with stretch(w, head) as made, apart_from_ways(w, made):
        compute(w, plan, made)


def compute(w: LoopEmitter, plan: MinMaxPlan, made: Stretch) -> None:
    many, label, left = made.count, made.alone, made.head.left
    w.line(f"i64 {many} = {left} < {MOST} ? {left} : {MOST};")
    for node in plan.numbers:
        w.operation(node)
    items = {node: item(w, plan, node, many, label) for node in plan.steps if node.op is GETITEM}
    kind = plan.best.type
    assert isinstance(kind, ScalarType)
    name = c_type(kind)
    best, bad = w.fresh("best"), w.fresh("bad")
    w.line(f"{name} {best} = {w.name(plan.best)}, {bad} = 0;")
    w.line(f"for (i64 l = 0; l < {many}; l++) {{")
    known: dict[Value, str] = {}
    for node in plan.steps:
        (out,) = node.outputs
        known[out] = w.fresh("x")
        w.line(f"    const {name} {known[out]} = {text(w, node, name, known, items)};")
        if node in items:
            continue
        given = [operand(w, arg, name, known) for arg in node.args]
        w.line(f"    {bad} |= {BAD[node.op.name][1].format(*given, known[out])};")
    found = known[plan.found]
    w.line(f"    {best} = {found} {plan.sign} {best} ? {found} : {best};")
    w.line("}")
    w.line(f"if ({bad} < 0) goto {label};")
    w.line(f"{w.name(plan.best)} = {best};")


def text(
    w: LoopEmitter, node: Node, name: str, known: Mapping[Value, str], items: Mapping[Node, str]
) -> str:
    if node in items:
        return items[node]
    a, b = (operand(w, arg, name, known) for arg in node.args)
    unsigned = name.replace("i", "u")
    return f"({name})(({unsigned}){a} {BAD[node.op.name][0]} ({unsigned}){b})"


def operand(w: LoopEmitter, arg: Any, name: str, known: Mapping[Value, str]) -> str:
    return known[arg] if arg in known else f"({name}){w.text(arg)}"


def item(w: LoopEmitter, plan: MinMaxPlan, node: Node, many: str, label: str) -> str:
    """The element of round `l`, once it is known that there is one for each of the rounds."""
    of = layout(w, node.args[0])
    steps = []
    for part, extent, step in zip(parts_of(node.args[1]), of.extents, of.steps, strict=True):
        slope = plan.slopes.get(part, 0) if type(part) is Value else 0
        if slope == 0:
            continue
        at = w.text(part)
        w.line(f"if ({at} < 0 || {at} >= {extent}) goto {label};")
        reach = f"({extent} - 1 - {at}) / {slope}" if slope > 0 else f"{at} / {-slope}"
        last = w.kept("i64", f"{reach} + 1")
        w.line(f"{many} = {many} < {last} ? {many} : {last};")
        steps.append(f"{slope} * {step}" if slope != 1 else step)
    address, name = elements.element(w, node)
    first = w.kept("char *", address)
    return f"*(const {name} *)({first} + l * ({' + '.join(steps) or '0'}))"
