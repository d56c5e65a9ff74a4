"""Nodes of a loop → lines of the emitter: control, stacks, arrays, numbers, calls of NumPy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node, Value
from jitcore.ir.op import Kind, leaf_type
from jitcore.loops import local_stack
from jitcore.loops.arrays import array_nodes, delayed
from jitcore.loops.call_outs import call_back, may_call
from jitcore.loops.control import CONTROL
from jitcore.loops.emitter import LoopEmitter, NodeWalk
from jitcore.loops.forms.scalars import form_of
from jitcore.loops.forms.ufuncs import ufunc_form

MANY = 1 << 40  # rounds that say that the loop was left for good (csrc/plan/plan.c)
COUNTS = frozenset(("range.next", "extent", "slice.count", "slice.start"))  # not negative
SHARED = frozenset(("extent", "slice.count", "slice.start"))  # the same text is the same number
BETTER_KNOWN = frozenset(  # by the C compiler
    f"op.{name}" for name in ("mod", "floordiv", "lshift", "rshift", "and_", "or_", "xor", "pow")
)


def emit_nodes(w: LoopEmitter, nodes: Sequence[Node]) -> None:
    w.near.append(Counter(v for node in nodes for v in node.inputs))
    w.done.append([])
    for node in nodes:
        w.user_lines.append((len(w.lines), node.where))
        if node.op.kind is Kind.CONTROL:
            delayed.flush(w)
            w.settle()
            CONTROL[node.op.name](w, node)
        else:
            emit_node(w, node)
        w.done[-1].append(node)
    delayed.flush(w)
    w.near.pop()
    w.done.pop()


def emit_node(w: LoopEmitter, node: Node) -> None:
    if node.op.name == "leave":
        w.settle()
        w.line(f"rounds += {MANY if node.args[0] else 0};")
        w.line(f"goto way{w.way(node)};")
    elif node.op.name == "poll":
        w.line("rounds++;")
        w.leave_if(node, w.stale())
    elif local_stack.is_of(node):
        local_stack.emit(w, node)
    else:
        operation(w, node)


def operation(w: LoopEmitter, node: Node) -> None:
    """In C, or else by NumPy's own call, if that is pure."""
    emit = array_nodes.emit if array_nodes.concerns(node) else assign
    if not may_call(node):
        emit(w, node)
        return
    before = w.written(), w.watching.copy(), w.layouts.copy(), w.lazy.copy()
    shared = w.shared[-1].copy()
    try:
        emit(w, node)
    except CannotLower:
        written, w.watching, w.layouts, w.lazy = before
        w.shared[-1] = shared
        w.rewind(written)
        call_back(w, node)


def assign(w: LoopEmitter, node: Node) -> None:
    is_ufunc = node.op.ufunc is not None and node.op.kind is Kind.MAP
    form = form_of(node) or (ufunc_form if is_ufunc else None)
    if form is None:
        types = ", ".join(str(leaf_type(arg)) for arg in node.args)
        raise CannotLower(f"{node.op.words} of {types}")
    if node.op.stores:
        delayed.flush(w)
    w.is_exact = node.op.name in BETTER_KNOWN
    try:
        text = form(w, node)
    finally:
        w.is_exact = False
    if not node.outputs:
        return
    (out,) = node.outputs
    if node.op.name in SHARED:
        share(w, out, text)
    elif text != w.name(out):
        w.line(f"{w.name(out)} = {text};")
    if node.op.name in COUNTS or (node.op.name == "range.item" and counts_up(w, node)):
        w.positive.add(out)


def share(w: LoopEmitter, out: Value, text: str) -> None:
    found = w.known(text)
    if found is not None:
        w.names[out] = found
        return
    w.shared[-1][text] = w.name(out)
    w.line(f"{w.name(out)} = {text};")


def counts_up(w: LoopEmitter, node: Node) -> bool:
    start, step, k = node.args
    known = (type(start) is int and start >= 0) or w.is_positive(start)
    return known and type(step) is int and step > 0 and (k == 0 or w.is_positive(k))


WALK = NodeWalk(emit_nodes, operation, assign, delayed.buffered)
