"""Nodes of a routine that C has no form for → calls of NumPy's functions (csrc/loop/call_out.h).

template   the arguments, keywords last: what each is made of, with operands at its leaves
operands   views of the routine's memory, its arrays as they are, numbers
results    arrays that are nobody else's, whose memory is a span from then on, or numbers: one, or
           a tuple of them. Where a view of such an array is expected, it is a copy
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node, Value
from jitcore.ir.op import Kind
from jitcore.ir.ops.dyn_array import AXES, fewest
from jitcore.ir.types import ArrayType, DynArrayType, ScalarType
from jitcore.loops.address import layout
from jitcore.loops.c_types import c_type, number
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import INPUT, Callback, Layout, Port
from jitcore.loops.transform import batch_products, forward_stores
from jitcore.toolchain.abi import ARRAY, C_TYPES, NUMPY_SCALAR

CONSTANT, OPERAND, TUPLE, LIST, SLICE = range(5)  # of csrc/loop/call_out.c
NONE_LETTER = "n"
LOOSE = "v"
MOST = 16  # operands, and arguments


def may_call(node: Node) -> bool:
    """Pure, by the table."""
    return (
        callable(node.op.target)
        and node.op.kind not in (Kind.VIEW, Kind.STORE, Kind.CONTROL)
        and not node.op.stores
        and len(node.outputs) > 0
        and all(isinstance(value.type, DynArrayType | ScalarType) for value in node.outputs)
    )


def call_back(w: LoopEmitter, node: Node) -> None:
    operands: dict[Value, int] = {}
    template = [described(arg, operands) for arg in node.args]
    template += [described(arg, operands) for arg in node.kwargs.values()]
    if len(template) > MOST or len(operands) > MOST:
        raise CannotLower(f"{node.op.words} with more than {MOST} arguments")
    for value in operands:
        if isinstance(value.type, DynArrayType):
            w.compute(value)
    w.settle()
    forward_stores.forget(w)
    batch_products.forget(w)
    leave_if_few(w, node, operands)
    given, ports = w.scratch("rt_slot", max(len(operands), 1)), []
    for value, k in operands.items():
        ports.append(passed(w, value, f"{given}[{k}]"))
    names = tuple(node.kwargs) or None
    results = tuple(result_port(w, out) for out in node.outputs) or ((NONE_LETTER, 0, 0),)
    if len(results) > MOST:
        raise CannotLower(f"{node.op.words} with more than {MOST} results")
    made = Callback(node.op.target, names, tuple(template), tuple(ports), results)
    k = len(w.calls)
    w.calls.append(made)
    got = w.scratch("rt_slot", len(results))
    w.leave_if(node, f"!world->call(world, {k}, {given}, {got})")
    for at, out in enumerate(node.outputs):
        take(w, node, out, f"{got}[{at}]")


def leave_if_few(w: LoopEmitter, node: Node, operands: Iterable[Value]) -> None:
    """Where the call would warn, and then be made again by CPython."""
    least = 0 if node.op.stores else fewest(node.op, node.args, node.kwargs)
    if least is None:
        raise CannotLower(f"{node.op.words} (it may warn)")
    for value in operands:
        if least == 0 or not isinstance(value.type, DynArrayType):
            continue
        for extent, dim in zip(layout(w, value).extents, value.type.dims, strict=True):
            if dim is None:
                w.leave_if(node, f"{extent} < {least}")


def described(arg: Any, operands: dict[Value, int]) -> tuple[int, Any]:
    match arg:
        case Value():
            return OPERAND, operands.setdefault(arg, len(operands))
        case tuple() if type(arg) is tuple:
            return TUPLE, tuple(described(one, operands) for one in arg)
        case list() if type(arg) is list:
            return LIST, tuple(described(one, operands) for one in arg)
        case slice():
            parts = (arg.start, arg.stop, arg.step)
            return SLICE, tuple(described(one, operands) for one in parts)
    if type(arg) is dict:
        raise CannotLower("a dict as an argument")
    return CONSTANT, arg


def passed(w: LoopEmitter, value: Value, slot: str) -> Port:
    kind = value.type
    if isinstance(kind, ArrayType):
        return INPUT, w.array(value), 0
    if not isinstance(kind, DynArrayType):
        w.line(f"*({c_type(number(value))} *){slot}.bytes = {w.name(value)};")
        return port_of(value)
    of = layout(w, value)
    w.line(f"{slot}.part.first = {of.pointer};")
    for axis, (extent, step) in enumerate(zip(of.extents, of.steps, strict=True)):
        w.line(f"{slot}.part.extents[{axis}] = {extent};")
        w.line(f"{slot}.part.steps[{axis}] = {step};")
    return port_of(value)


def result_port(w: LoopEmitter, value: Value) -> Port:
    kind, num, ndim = port_of(value)
    is_view = isinstance(value.type, DynArrayType) and value.type.view
    return (LOOSE if is_view else kind), num, ndim


def port_of(value: Value) -> Port:
    kind = value.type
    if isinstance(kind, DynArrayType):
        if not 1 <= kind.ndim <= AXES or kind.dtype.char not in C_TYPES:
            raise CannotLower(f"a call with {kind}")
        return ARRAY, kind.dtype.num, kind.ndim
    plain = number(value)
    if plain.dtype.char not in C_TYPES or plain.dtype.char == "e":
        raise CannotLower(f"a call with {kind}")
    return (plain.dtype.kind if plain.python else NUMPY_SCALAR), plain.dtype.num, 0


def take(w: LoopEmitter, node: Node, out: Value, got: str) -> None:
    """The result, as what comes after it takes it to be."""
    kind = out.type
    if not isinstance(kind, DynArrayType):
        w.line(f"{w.name(out)} = *({c_type(number(out))} *){got}.bytes;")
        return
    extents = []
    for axis, dim in enumerate(kind.dims):
        extent = f"{got}.part.extents[{axis}]"
        if dim is not None:
            w.leave_if(node, f"{extent} != {dim}")
        extents.append(str(dim) if dim is not None else w.kept("i64", extent))
    steps, step = [], str(kind.dtype.itemsize)
    for extent in reversed(extents):
        steps.append(step)
        step = w.kept("i64", f"{extent} * {step}")
    pointer = w.kept("char *", f"{got}.part.first")
    ones = tuple(extent == "1" for extent in extents)
    w.layouts[out] = Layout(pointer, tuple(extents), tuple(reversed(steps)), ones, kind.dtype)
