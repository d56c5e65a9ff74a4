"""Nodes with bodies in a routine → C, with what they carry.

cond   if … else …        for    for (k = 0; k < n; k++) …      loop   do … while (again)
"""

from __future__ import annotations

from jitcore.ir.graph import Body, Node
from jitcore.loops import carried, reread
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.remarks import planned, tried
from jitcore.loops.transform import (
    batch_gemv,
    batch_products,
    forward_stores,
    minmax,
    strip_mine_driver,
    unroll_and_jam_c,
    wavefront,
)

AT_ONCE = (
    ("strip mining", strip_mine_driver.begin),
    ("unroll-and-jam", unroll_and_jam_c.begin),
    ("min/max in vector code", minmax.begin),
    ("wavefront", wavefront.begin),
)  # stretches of rounds


def cond(w: LoopEmitter, node: Node) -> None:
    yes, no = node.bodies
    w.line(f"if ({w.true(node.args[0])}) {{")
    branch(w, node, yes)
    if no.nodes or node.outputs:
        w.line("} else {")
        branch(w, node, no)
    w.line("}")


def branch(w: LoopEmitter, node: Node, body: Body) -> None:
    with w.block():
        w.body(body)
        carried.aliases(w, node.outputs, body.results)
        w.assign_all(node.outputs, body.results)


def for_(w: LoopEmitter, node: Node) -> None:
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
    forward_stores.begin(w, node, body)
    batch_products.begin(w, node, body, end)
    batch_gemv.begin(w, node, body, end)
    at_once = [(way, planned(w, node, way, begin, w, body, index, end)) for way, begin in AT_ONCE]
    seldom = w.seldom
    counter = reread.begin(w, body, counted=True)
    w.line(f"for ({index} = {first}; {index} < {end}; {index}++) {{")
    with w.block(), w.rounds():
        for way, stretch in at_once:
            if stretch is not None:
                tried(w, node, way, stretch)
        w.body(body)
        w.seldom = seldom
        reread.next_round(w, counter)
        carried.next_round(w, params, body.results)
        w.assign_all(params, body.results)
    w.line("}")
    batch_products.end(w)
    forward_stores.end(w)
    if node is w.dealt:
        w.line(f"if ({end} == world->end) goto paused;")
    w.depth -= 1
    carried.end(w, node.outputs, params)
    w.assign_all(node.outputs, params)
    w.depth += 1


def rounds_of(w: LoopEmitter, count: str) -> tuple[str, str]:
    """Those of this launch."""
    w.line(f"world->count = {count};")
    return "world->begin", w.kept("i64", f"world->end < {count} ? world->end : {count}")


def loop(w: LoopEmitter, node: Node) -> None:
    (body,) = node.bodies
    again, *results = body.results
    w.depth -= 1
    carried.begin(w, body.params, node.args)
    w.assign_all(body.params, node.args)
    w.depth += 1
    go_on = w.scratch("int")
    forward_stores.begin(w, node, body)
    counter = reread.begin(w, body)
    w.line("do {")
    with w.block(), w.rounds():
        w.body(body)
        w.depth += 1
        w.line(f"{go_on} = {w.true(again)};")
        w.depth -= 1
        reread.next_round(w, counter)
        carried.next_round(w, body.params, results)
        w.assign_all(body.params, results)
    w.line(f"}} while ({go_on});")
    forward_stores.end(w)
    w.depth -= 1
    carried.end(w, node.outputs, body.params)
    w.assign_all(node.outputs, body.params)
    w.depth += 1


CONTROL = {"cond": cond, "for": for_, "loop": loop}
