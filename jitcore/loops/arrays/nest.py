"""Loops over the elements of parts of arrays, and the buffers that they fill."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jitcore.ir.graph import Node
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import Layout
from jitcore.toolchain.abi import C_TYPES

ONE_BY_ONE = '__asm__ volatile("");'  # no vector code


def nest(
    w: LoopEmitter,
    extents: Sequence[str],
    body: Callable[[list[str]], None],
    independent: bool,
    as_they_are: bool = False,
) -> None:
    """for … for …: the body once for each index. `as_they_are`: loops of few rounds stay loops, for
    to take several of them apart takes the compiler long; so does vector code, without which what
    runs seldom is written."""
    at = [w.fresh("k") for _ in extents]
    for depth, (name, extent) in enumerate(zip(at, extents, strict=True)):
        if as_they_are or w.seldom:
            w.line('_Pragma("GCC unroll 1")')
        if independent and not w.seldom and depth == len(at) - 1:
            w.independent()
        w.line(f"for (i64 {name} = 0; {name} < {extent}; {name}++) {{")
        w.depth += 1
    if w.seldom:
        w.line(ONE_BY_ONE)
    body(at)
    for _ in at:
        w.depth -= 1
        w.line("}")


def buffer(
    w: LoopEmitter, node: Node, extents: Sequence[str], dtype: np.dtype[Any], unless: str = ""
) -> Layout:
    """Of C order. `unless`: a variable; where it is not 0, there need be no memory."""
    size = dtype.itemsize
    steps, step = [], str(size)
    for extent in reversed(extents):
        steps.append(step)
        if extent != "1":
            step = product(w, node, extent, step)
    ones = tuple(extent == "1" for extent in extents)
    return Layout(w.room(node, step, unless), tuple(extents), tuple(reversed(steps)), ones, dtype)


def size(w: LoopEmitter, node: Node, extents: Sequence[str], dtype: np.dtype[Any]) -> str:
    """Bytes of so many elements."""
    step = str(dtype.itemsize)
    for extent in reversed(extents):
        if extent != "1":
            step = product(w, node, extent, step)
    return step


def product(w: LoopEmitter, node: Node, extent: str, step: str) -> str:
    text = f"{extent} * {step}, not too large"
    found = w.known(text)
    if found is None:
        found = w.shared[-1][text] = w.scratch("i64")
        w.leave_if(node, f"__builtin_mul_overflow({extent}, (i64){step}, &{found})")
    return found


def fill(w: LoopEmitter, into: Layout, text_at: Callable[[list[str]], str]) -> None:
    """Element by element; what is read and what is written are not the same memory."""

    def body(at: list[str]) -> None:
        text = text_at(at)
        terms = [f" + {k} * {step}" for k, step in zip(at, into.steps, strict=True)]
        w.line(f"*({C_TYPES[into.dtype.char]} *)({into.pointer}{''.join(terms)}) = {text};")

    nest(w, into.extents, body, True)
