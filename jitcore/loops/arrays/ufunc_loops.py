"""A ufunc without an expression in C → NumPy's own loop, called on rows."""

from __future__ import annotations

import numpy as np

from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.op import Effect
from jitcore.loops.arrays.delayed import effect_of, operand
from jitcore.loops.arrays.elementwise import address
from jitcore.loops.arrays.nest import buffer, nest
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import DelayedNode, Layout
from jitcore.toolchain.numpy_loops import Freedom, inner_loop


def called(w: LoopEmitter, made: DelayedNode) -> list[Layout]:
    """A ufunc without an expression: its own loop, on rows. Its results."""
    node = made.node
    ufunc = node.op.ufunc
    assert ufunc is not None
    inner = inner_loop(ufunc, "".join(dtype.char for dtype in made.dtypes))
    if inner is None or inner.freedom < Freedom.FORWARD:
        raise CannotLower(f"{ufunc.__name__} of {made.dtypes[0]}")
    if ufunc is np.power and made.dtype.kind in "iu":  # its loop raises, within itself
        raise CannotLower("np.power of ints")
    given = [
        operand(w, node, arg, dtype) for arg, dtype in zip(made.args, made.dtypes, strict=False)
    ]
    w.settle()
    into = [buffer(w, node, made.extents, dtype) for dtype in made.dtypes[ufunc.nin :]]
    at = w.loop(inner)

    def row(places: list[str]) -> None:
        pointers, steps = [], []
        for of in (*given, *into):
            if type(of) is str:
                pointers.append(f"(char *)&{of}")
                steps.append("0")
                continue
            assert isinstance(of, Layout)
            pointers.append(address(of, places))
            single = not of.extents or of.ones[-1]
            is_result = any(of is one for one in into)
            steps.append("0" if single and not is_result else of.steps[-1])
        w.line(
            f"{{ char *d[] = {{{', '.join(pointers)}}}; i64 n = {made.extents[-1]}; "
            f"i64 s[] = {{{', '.join(steps)}}}; world->loop[{at}].fn("
            f"world->loop[{at}].context, d, &n, s, world->loop[{at}].aux); }}"
        )

    nest(w, made.extents[:-1], row, False)
    if ufunc.nout > 1 or effect_of(node) is not Effect.SILENT:
        w.check_flags(node)
    return into
