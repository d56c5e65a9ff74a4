"""A ufunc called on numbers, in C: the expression of its row, or one call of NumPy's own loop."""

from __future__ import annotations

import numpy as np

from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.ir.op import Effect
from jitcore.ir.types import ScalarType
from jitcore.loops.c_types import number, result
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.forms.scalars import converted
from jitcore.loops.fp_flags import watched
from jitcore.toolchain.abi import C_TYPES, c_type, unsigned
from jitcore.toolchain.numpy_loops import inner_loop

NATIVE = "?bBhHiIlLqQfdFD"


def ufunc_form(w: LoopEmitter, node: Node) -> str:
    ufunc = node.op.ufunc
    if ufunc is None or node.kwargs or ufunc.nout != 1 or len(node.args) != ufunc.nin:
        raise CannotLower(f"{node.op.words} of these numbers")
    kinds = [number(arg) for arg in node.args]
    asked = [
        kind.pytype if kind.python and kind.dtype.kind != "b" else kind.dtype for kind in kinds
    ]
    dtypes = ufunc.resolve_dtypes((*asked, None))
    if any(dtype.char not in NATIVE for dtype in dtypes) or dtypes[-1] != result(node).dtype:
        raise CannotLower(f"{node.op.words} of {', '.join(map(str, kinds))}")
    args = [
        w.kept(C_TYPES[dtype.char], converted(w, node, arg, ScalarType(dtype)))
        for arg, dtype in zip(node.args, dtypes, strict=False)
    ]
    silent = node.op.effect_of(node.args, node.kwargs) is Effect.SILENT
    text = expression(node, dtypes, args)
    if text is not None:
        return text if silent or dtypes[-1].kind not in "fc" else watched(w, node, text)
    return call(w, node, ufunc, dtypes, args, silent)


def expression(node: Node, dtypes: tuple[np.dtype, ...], args: list[str]) -> str | None:
    """That of its row, see ir/ops/ufunc.py."""
    first = dtypes[0]
    ins = set(dtypes[: len(args)])
    row = (node.op.c or {}).get(first.kind)
    if row is None or len(ins) > 1 or first.char == "e":
        return None
    suffix = "f" if first.char == "f" else ""
    typed = row.of(T=c_type(first), U=unsigned(first), S=suffix, B="__builtin_")
    return typed.text.format(*args)


def call(
    w: LoopEmitter,
    node: Node,
    ufunc: np.ufunc,
    dtypes: tuple[np.dtype, ...],
    args: list[str],
    silent: bool,
) -> str:
    if ufunc is np.power and dtypes[-1].kind in "iu":  # its loop raises, within itself
        raise CannotLower("np.power of ints")
    inner = inner_loop(ufunc, "".join(dtype.char for dtype in dtypes))
    if inner is None:
        raise CannotLower(f"{ufunc.__name__} of {dtypes[0]}")
    w.settle()  # some of NumPy's loops clear flags
    if w.deferred:
        w.leave_if(node, f"rt_flags() & {w.deferred}")
    out = w.scratch(C_TYPES[dtypes[-1].char])
    at = w.loop(inner)
    data = ", ".join(f"(char *)&{name}" for name in (*args, out))
    steps = ", ".join("0" for _ in dtypes)  # as NumPy has it for numbers
    w.line(
        f"{{ char *d[] = {{{data}}}; i64 n = 1; i64 s[] = {{{steps}}}; "
        f"world->loop[{at}].fn(world->loop[{at}].context, d, &n, s, world->loop[{at}].aux); }}"
    )
    if not silent:
        w.check_flags(node)
    return out
