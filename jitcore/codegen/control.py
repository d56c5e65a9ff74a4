"""Nodes with bodies in a routine → C, with what they carry.

cond   if … else …        for    for (k = 0; k < n; k++) …      loop   do … while (again)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.graph import Body, Node
from . import (
    ahead,
    anew,
    carried,
    extremes,
    latest,
    row_products,
    side_by_side,
    strand_rounds,
    wavefront,
)

if TYPE_CHECKING:
    from .writer import Writer

AT_ONCE = (
    strand_rounds.begin,
    side_by_side.begin,
    extremes.begin,
    wavefront.begin,
)  # stretches of rounds


def cond(w: Writer, node: Node) -> None:
    yes, no = node.bodies
    w.line(f"if ({w.true(node.args[0])}) {{")
    branch(w, node, yes)
    if no.nodes or node.outputs:
        w.line("} else {")
        branch(w, node, no)
    w.line("}")


def branch(w: Writer, node: Node, body: Body) -> None:
    with w.block():
        w.body(body)
        carried.aliases(w, node.outputs, body.results)
        w.assign_all(node.outputs, body.results)


def for_(w: Writer, node: Node) -> None:
    (body,) = node.bodies
    trips, *initial = node.args
    k, *params = body.params
    w.depth -= 1
    carried.begin(w, params, initial)
    w.assign_all(params, initial)
    w.depth += 1
    count, index = w.kept("i64", w.text(trips)), w.name(k)
    w.positive.add(k)
    first, end = rounds_of(w, count) if node is w.dealt else ("0", count)
    latest.begin(w, body)
    ahead.begin(w, body, end)
    row_products.begin(w, body, end)
    at_once = [begin(w, body, index, end) for begin in AT_ONCE]
    seldom = w.seldom
    counter = anew.begin(w, body, counted=True)
    w.line(f"for ({index} = {first}; {index} < {end}; {index}++) {{")
    with w.block(), w.rounds():
        for stretch in filter(None, at_once):
            stretch()
        w.body(body)
        w.seldom = seldom
        anew.next_round(w, counter)
        carried.next_round(w, params, body.results)
        w.assign_all(params, body.results)
    w.line("}")
    ahead.end(w)
    latest.end(w)
    if node is w.dealt:
        w.line(f"if ({end} == world->end) goto paused;")
    w.depth -= 1
    carried.end(w, node.outputs, params)
    w.assign_all(node.outputs, params)
    w.depth += 1


def rounds_of(w: Writer, count: str) -> tuple[str, str]:
    """Those of this launch."""
    w.line(f"world->count = {count};")
    return "world->begin", w.kept("i64", f"world->end < {count} ? world->end : {count}")


def loop(w: Writer, node: Node) -> None:
    (body,) = node.bodies
    again, *results = body.results
    w.depth -= 1
    carried.begin(w, body.params, node.args)
    w.assign_all(body.params, node.args)
    w.depth += 1
    go_on = w.scratch("int")
    latest.begin(w, body)
    counter = anew.begin(w, body)
    w.line("do {")
    with w.block(), w.rounds():
        w.body(body)
        w.depth += 1
        w.line(f"{go_on} = {w.true(again)};")
        w.depth -= 1
        anew.next_round(w, counter)
        carried.next_round(w, body.params, results)
        w.assign_all(body.params, results)
    w.line(f"}} while ({go_on});")
    latest.end(w)
    w.depth -= 1
    carried.end(w, node.outputs, body.params)
    w.assign_all(node.outputs, body.params)
    w.depth += 1


CONTROL = {"cond": cond, "for": for_, "loop": loop}
