"""Products and sums of parts of arrays in C: by NumPy's own loops, called as NumPy calls them."""

from __future__ import annotations

import numpy as np

from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.ir.types import DynArrayType, ScalarType
from jitcore.loops.arrays.array_nodes import BY_NAME
from jitcore.loops.arrays.delayed import buffered, copied, operand
from jitcore.loops.arrays.elementwise import is_part, load
from jitcore.loops.arrays.nest import buffer, nest
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import Layout
from jitcore.loops.transform import batch_gemv, dots
from jitcore.toolchain.abi import C_TYPES
from jitcore.toolchain.numpy_loops import core_loop, inner_loop

FLOAT64 = ScalarType(np.dtype(np.float64))


def product(w: LoopEmitter, node: Node) -> None:
    """`a @ b` of one axis or two, and np.dot of two vectors: its loop is the same, but it copies
    what goes backwards."""
    (out,) = node.outputs
    if node.kwargs or len(node.args) != 2 or not all(map(is_part, node.args)):
        raise CannotLower(f"{node.op.words} of these types")
    kind = out.type
    assert isinstance(kind, ScalarType | DynArrayType)
    a, b = (in_memory(w, node, arg, kind.dtype) for arg in node.args)
    if not (1 <= len(a.extents) <= 2 and 1 <= len(b.extents) <= 2):
        raise CannotLower("a product of stacks of matrices")
    dot = node.op.ufunc is None
    if dot and (len(a.extents) != 1 or len(b.extents) != 1 or kind.dtype.kind not in "iufc"):
        raise CannotLower("np.dot of matrices")
    if dot:
        w.leave_if(node, f"{a.extents[0]} == 1")  # which is a product
        for of in (a, b):
            step, size = of.steps[0], kind.dtype.itemsize
            if not step.isdigit():
                w.leave_if(node, f"{step} <= 0 || {step} % {size} != 0")
    inner = core_loop(np.matmul, kind.dtype.char * 3)
    if inner is None:
        raise CannotLower(f"a product of {kind.dtype}")
    if a.extents[-1] != b.extents[0]:
        w.leave_if(node, f"{a.extents[-1]} != {b.extents[0]}")
    m, p = a.extents[:-1], b.extents[1:]
    w.settle()
    if isinstance(kind, ScalarType) and dots.has_orders(kind.dtype):
        dots.product(w, node, a, b, inner)
        return
    if isinstance(kind, ScalarType):
        into, pointer, steps = None, f"(char *)&{w.name(out)}", ("0", "0")
    else:
        into = buffer(w, node, (*m, *p), kind.dtype)
        w.layouts[out] = into
        rows = into.steps[0] if m else "0"
        pointer, steps = into.pointer, (rows, into.steps[-1] if p else "0")
    dims = ", ".join(("1", *(m or ("1",)), a.extents[-1], *(p or ("1",))))
    strides = (
        *("0", "0", "0", *(a.steps if m else ("0", a.steps[0]))),
        *(b.steps if p else (b.steps[0], "0")),
        *steps,
    )
    ready = batch_gemv.look_ahead(w, node, a, b, into) if into is not None else ""
    at = w.loop(inner)
    w.products.add(at)
    w.line(
        f"{ready}{{ char *d[] = {{{a.pointer}, {b.pointer}, {pointer}}}; i64 n[] = {{{dims}}}; "
        f"i64 s[] = {{{', '.join(strides)}}}; "
        f"world->loop[{at}].fn(world->loop[{at}].context, d, n, s, world->loop[{at}].aux); }}"
    )
    w.check_flags(node)


def in_memory(w: LoopEmitter, node: Node, arg: object, dtype: np.dtype) -> Layout:
    found = operand(w, node, arg, dtype)
    assert isinstance(found, Layout)
    return found


def summed(w: LoopEmitter, node: Node) -> None:
    """Of one axis, in NumPy's order."""
    fold(w, node, np.add)


def largest(w: LoopEmitter, node: Node) -> None:
    if isinstance(node.outputs[0].type, DynArrayType):
        extremes(w, node, ">")
    else:
        fold(w, node, np.maximum)


def least(w: LoopEmitter, node: Node) -> None:
    if isinstance(node.outputs[0].type, DynArrayType):
        extremes(w, node, "<")
    else:
        fold(w, node, np.minimum)


def averaged(w: LoopEmitter, node: Node) -> None:
    """np.mean divides the sum by np.intp: other types than float64 are rounded twice."""
    (out,) = node.outputs
    given = node.args[0]
    if out.type != FLOAT64 or not is_part(given) or given.type.dtype != FLOAT64.dtype:
        raise CannotLower(f"{node.op.words} of other types than float64")
    count = fold(w, node, np.add)
    w.leave_if(node, f"{count} == 0")  # of which NumPy warns
    w.line(f"{w.name(out)} /= (f64){count};")
    w.check_flags(node)


def extremes(w: LoopEmitter, node: Node, sign: str) -> None:
    """Along some axes. Which NaN comes out, or which of two zeros, is NumPy's to say."""
    (out,) = node.outputs
    of = buffered(w, node.args[0])
    axes = axes_of(node, len(of.extents))
    kind = of.dtype
    assert isinstance(out.type, DynArrayType)
    if out.type.dtype != kind or kind.char not in "bhilqBHILQfd":
        raise CannotLower(f"{node.op.words} of {kind}")
    for axis in axes:
        if of.extents[axis] == "0":
            raise CannotLower(f"{node.op.words} of an empty array")
        if not of.extents[axis].isdigit():
            w.leave_if(node, f"{of.extents[axis]} == 0")
    kept = [axis for axis in range(len(of.extents)) if axis not in axes]
    w.settle()
    into = buffer(w, node, [of.extents[axis] for axis in kept], kind)
    name, real = C_TYPES[kind.char], kind.kind == "f"
    whole = name.replace("f", "i")
    minus, odd, zero = (w.scratch("int") for _ in range(3))
    w.line(f"{minus} = {odd} = {zero} = 0;")

    def result(at: list[str]) -> str:
        terms = [f" + {k} * {step}" for k, step in zip(at, into.steps, strict=True)]
        return f"*({name} *)({into.pointer}{''.join(terms)})"

    def begin(at: list[str]) -> None:
        places = iter(at)
        first = [next(places) if axis in kept else "0" for axis in range(len(of.extents))]
        w.line(f"{result(at)} = {load(of, first)};")

    def better(at: list[str]) -> None:
        so_far = result([at[axis] for axis in kept])
        w.line(f"const {name} v = {load(of, at)}, r = {so_far};")
        if real:
            w.line(f"union {{ {name} x; {whole} i; }} b = {{v}};")
            w.line(f"{minus} |= v == 0 && b.i < 0;")
            w.line(f"{odd} |= v != v;")
        w.line(f"{so_far} = v {sign} r ? v : r;")

    nest(w, into.extents, begin, True, True)
    nest(w, of.extents, better, False, True)
    if real:
        nest(w, into.extents, lambda at: w.line(f"{zero} |= {result(at)} == 0;"), False, True)
        w.leave_if(node, f"{odd} | ({minus} & {zero})")
    w.layouts[out] = into


def axes_of(node: Node, ndim: int) -> list[int]:
    axis = node.kwargs.get("axis")
    axes = axis if type(axis) is tuple else (axis,)
    plain = len(node.args) == 1 and node.kwargs.keys() == {"axis"}
    if not plain or not axes or not all(type(one) is int and -ndim <= one < ndim for one in axes):
        raise CannotLower(f"{node.op.words} called in this way")
    return sorted({one % ndim for one in axes})


def fold(w: LoopEmitter, node: Node, ufunc: np.ufunc) -> str:
    """NumPy's reduction of one row is one call of its loop, into where the result stands. Gives how
    many elements there are."""
    (out,) = node.outputs
    kind = out.type
    if node.kwargs or len(node.args) != 1 or not isinstance(kind, ScalarType):
        raise CannotLower(f"{node.op.words} with an axis or keywords")
    of = buffered(w, node.args[0])
    if len(of.extents) != 1 or kind.dtype.kind not in "iufc":
        raise CannotLower(f"{node.op.words} of several axes")
    if of.dtype != kind.dtype:
        of = copied(w, node, of, kind.dtype)
    inner = inner_loop(ufunc, kind.dtype.char * 3)
    if inner is None:
        raise CannotLower(f"{ufunc.__name__} of {kind.dtype}")
    name, c_type = w.name(out), C_TYPES[kind.dtype.char]
    whole = count = of.extents[0]
    first = of.pointer
    w.settle()
    if ufunc is np.add:
        w.line(f"{name} = {f'({c_type}){{0, 0}}' if kind.dtype.kind == 'c' else '0'};")
    else:
        w.leave_if(node, f"{count} == 0")
        w.line(f"{name} = *(const {c_type} *){first};")
        first, count = f"{first} + {of.steps[0]}", f"{count} - 1"
    at = w.loop(inner)
    w.line(
        f"{{ char *d[] = {{(char *)&{name}, {first}, (char *)&{name}}}; i64 n = {count}; "
        f"i64 s[] = {{0, {of.steps[0]}, 0}}; if (n > 0) "
        f"world->loop[{at}].fn(world->loop[{at}].context, d, &n, s, world->loop[{at}].aux); }}"
    )
    if kind.dtype.kind in "fc":
        w.check_flags(node)
    return whole


BY_NAME |= {
    "matmul": product,
    "dot": product,
    "ndarray.dot": product,
    **dict.fromkeys(("sum", "ndarray.sum", "add.reduce"), summed),
    **dict.fromkeys(("mean", "ndarray.mean"), averaged),
    **dict.fromkeys(("max", "amax", "ndarray.max", "maximum.reduce"), largest),
    **dict.fromkeys(("min", "amin", "ndarray.min", "minimum.reduce"), least),
}
