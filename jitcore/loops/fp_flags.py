"""Floating-point flags in a routine: what may have raised one is looked at before anybody sees it.

An operation of NumPy's scalars that raises one of those looked for (never that of underflow) gives
inf or NaN; casts to float32 are looked at by themselves. Such results are looked at before a store
makes them visible, and where a body ends; if there is one, the flags tell whether NumPy would warn.
Then the routine is left where CPython can repeat it all.
"""

from __future__ import annotations

from jitcore.ir.graph import Node, Value
from jitcore.ir.types import ScalarType
from jitcore.loops.c_types import result
from jitcore.loops.emitter import LoopEmitter

PROPAGATES = frozenset(("op.add", "op.sub", "op.mul"))  # what is not finite stays so


def watch(w: LoopEmitter, node: Node, name: str, kind: ScalarType) -> None:
    if kind.python:
        return
    if w.deferred:
        compute_now(w, name, kind)
    elif w.mask:
        watch_from(w, node)
        w.watching[name] = (node, kind)


def compute_now(w: LoopEmitter, name: str, kind: ScalarType) -> None:
    """Also what nobody reads, or only a branch: a C compiler moves it there, flags and all."""
    parts = (f"{name}.re", f"{name}.im") if kind.dtype.kind == "c" else (name,)
    w.line(" ".join(f"RT_COMPUTED({part});" for part in parts))


def watch_from(w: LoopEmitter, node: Node) -> None:
    """All that is watched leaves by one way; older ones are looked at before."""
    if any(w.way_of(one) != w.way_of(node) for one, _ in w.watching.values()):
        w.settle()


def watched(w: LoopEmitter, node: Node, text: str) -> str:
    """The result of NumPy's arithmetic, or Python's, which never warns."""
    kind = result(node)
    if kind.python or not (w.mask or w.deferred):
        return text
    name = w.name(node.outputs[0])
    if w.deferred:
        w.line(f"{name} = {text};")
        compute_now(w, name, kind)
        return name
    watch_from(w, node)
    w.line(f"{name} = {text};")
    if node.op.name in PROPAGATES:
        for arg in node.args:
            if type(arg) is Value:
                w.watching.pop(w.name(arg), None)
    w.watching[name] = (node, kind)
    return name


def called(w: LoopEmitter, node: Node, text: str) -> str:
    """A result of the C library, which raises flags as NumPy's own call does."""
    w.settle()
    name = w.name(node.outputs[0])
    w.line(f"{name} = {text};")
    w.check_flags(node)
    return name
