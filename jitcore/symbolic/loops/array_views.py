"""Parts of arrays in a routine: `a[i, :j]`, and what is computed of them (stores: array_stores.py).

    item      array, key       ─▶ a `span` node: a view, whose extents only run time knows
    computed  op of such parts ─▶ NumPy's row, with a DynArrayType, or a number
    recipe    for exits: a view is made again by its index; what was computed is handed over

Large arrays are not for routines: kernels, in the body's own regions, use all cores.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import prod
from typing import Any

from jitcore.fallback import exit
from jitcore.fallback.exit import Built, Make, Recipe
from jitcore.ir.graph import Node, Value, values
from jitcore.ir.op import Effect, Kind, Op
from jitcore.ir.ops import OPS
from jitcore.ir.ops.array import GETITEM, METHODS
from jitcore.ir.ops.dyn_array import (
    AXES,
    EXTENT,
    MADE,
    SPAN,
    SPAN_ITEM,
    SPAN_TAKE,
    SPAN_TRANSPOSE,
    asked,
    dims_of,
    is_span,
)
from jitcore.ir.types import ArrayType, DynArrayType, ScalarType
from jitcore.symbolic.loops import size_limits
from jitcore.symbolic.loops.local_arrays import in_c_order, reject_unordered
from jitcore.symbolic.loops.loop_state import (
    CannotCapture,
    append,
    emitted,
    is_element,
    scalar,
    working,
)
from jitcore.symbolic.loops.opaque_calls import constant, result_of_call
from jitcore.symbolic.loops.slice_bounds import (
    goes_up,
    is_whole,
    known_extent,
    start_count_step,
    with_all_axes,
)
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.values import Known, Lazy, List, Slice, Traced, Tuple, Var
from jitcore.symbolic.wrap import realize

TRANSPOSED = object()  # the index of a transposed view
PRODUCTS = ("matmul", "dot", "ndarray.dot")


# ---- indices ------------------------------------------------------------------------------------


def item(vm: Machine, container: Traced, key: Var) -> Var:
    """`container[key]`: an element, a view, or a gather."""
    if isinstance(container.value.type, ScalarType):
        raise CannotCapture("this loop indexes a number")
    tree = index(vm, key)
    if is_element(container.value, tree):
        return vm.emit(GETITEM, (container.value, tree), {})
    kind = container.value.type
    if not isinstance(kind, ArrayType | DynArrayType):
        raise CannotCapture("this loop indexes a number")
    if selects(tree):
        if is_span(tree) and kind.ndim == 1 and tree.type.dtype.char in "bBhHiIlq":
            size_limits.uses(vm, tree)
            return emitted(vm, SPAN_TAKE, (container.value, tree))
        made = called(vm, SPAN_ITEM, (container.value, tree), {})
        assert isinstance(made, Traced)
        size_limits.selected(vm, made.value, container.value, tree)
        return made
    return view(vm, container.value, tree)


def selects(tree: Any) -> bool:
    """Is there an array, or several, among what is an index?"""
    return any(isinstance(one.type, ArrayType | DynArrayType) for one in values(tree))


def index(vm: Machine, key: Var) -> Any:
    """The key as a tree of ints, graph values and slices."""
    key = realize(vm, key)
    match key:
        case Traced(value):
            return value
        case Known(obj):
            return obj
        case Lazy():
            return index(vm, realize(vm, key))
        case Tuple(items, cls=cls) if cls is tuple:
            return tuple(index(vm, one) for one in items)
        case Slice(parts):
            return slice(*(index(vm, one) for one in parts))
        case List():
            raise CannotCapture("this loop indexes an array by a list")
    raise CannotCapture("this loop indexes an array by an object that jitcore does not model")


def view(vm: Machine, array: Value, tree: Any) -> Var:
    kind = array.type
    assert isinstance(kind, ArrayType | DynArrayType)
    parts = with_all_axes(tree, kind.ndim)
    key: list[Any] = []
    dims: list[int | None] = []
    axis = 0
    for part in parts:
        if part is None:
            key.append(None)
            dims.append(1)
            continue
        if type(part) is slice:
            known = known_extent(kind, axis, part)
            key.append(start_count_step(vm, array, axis, part, known))
            dims.append(known)
        elif is_whole(part):
            key.append(part)
        else:
            raise CannotCapture("this loop has an index that is neither an int nor a slice")
        axis += 1
    size_limits.measure(vm, prod(dim or 1 for dim in dims))
    if not 1 <= len(dims) <= AXES:
        raise CannotCapture(f"this loop makes a view with no axes, or more than {AXES}")
    made = emitted(vm, SPAN, (array, tuple(key), tuple(dims)))
    if in_c_order(vm, array) and all(type(one) is not tuple or goes_up(one[2]) for one in key):
        vm.parts.in_c_order.add(made.value)
    vm.parts.views[made.value] = array, tree
    return made


# ---- computed -----------------------------------------------------------------------------------


def flipped(vm: Machine, array: Value) -> Var:
    kind = array.type
    assert isinstance(kind, ArrayType | DynArrayType)
    return view(vm, array, (slice(None, None, -1),) * kind.ndim)


def computed(vm: Machine, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Var:
    """What NumPy gives of parts of arrays, or of small arrays as a whole."""
    if op.name == "flip" and len(args) == 1 and not kwargs:
        return flipped(vm, args[0])
    if op.name == "ndarray.T" and len(args) == 1:
        return transposed(vm, args[0])
    size_limits.reject_large(vm, values((args, kwargs)))
    if op.name == "where" and len(args) == 1 and not kwargs:
        op = OPS["nonzero"]
    if op.ufunc is not None and op.kind is Kind.MAP and op.ufunc.nout > 1 and not kwargs:
        return called(vm, op, args, kwargs)
    row, given, effect, kind = asked(op, args, kwargs)
    if row.name in MADE and (len(args) > 1 + (row.name != "copy") or not {"dtype"} >= set(kwargs)):
        raise CannotCapture(
            f"this loop uses {row.words} with arguments that jitcore does not compile"
        )
    known = row.kind in (Kind.MAP, Kind.REDUCE) or row.name in (*MADE, *PRODUCTS)
    if effect > Effect.FLAGS:
        raise CannotCapture(f"this loop uses {row.words}, which may warn")
    if not known:
        return called(vm, row, given, kwargs)
    arrays = [one for one in values((args, kwargs)) if not isinstance(one.type, ScalarType)]
    ordered = all(in_c_order(vm, one) for one in arrays)
    if row.kind in (Kind.REDUCE, Kind.LINALG):
        reject_unordered(vm, arrays)
    if not isinstance(kind, DynArrayType | ScalarType):
        raise CannotCapture(f"this loop uses {row.words}, whose result varies in shape or dtype")
    if isinstance(kind, DynArrayType) and not 1 <= kind.ndim <= AXES:
        raise CannotCapture(
            f"this loop uses {row.words}, whose result has no axes, or more than {AXES}"
        )
    made = append(vm, row, given, kwargs, kind)
    assert isinstance(made, Traced)
    size_limits.computed(vm, row, made.value, (given, kwargs))
    vm.parts.born[made.value] = working(vm).mark
    if ordered or row.kind is Kind.LINALG:
        vm.parts.in_c_order.add(made.value)
    return made


def called(vm: Machine, row: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Var:
    """What NumPy's own call gives, made from within the routine; made before, of constants."""
    size_limits.reject_large(vm, values((args, kwargs)), size_limits.LARGEST_CALLED)
    if not values((args, kwargs)):
        array = constant(vm, row, args, kwargs)
        if array is not None:
            return computed(vm, OPS["ndarray.copy"], (array,), {})
    arrays = [one for one in values((args, kwargs)) if not isinstance(one.type, ScalarType)]
    reject_unordered(vm, arrays)
    found = result_of_call(row, args, kwargs)
    outputs = tuple(map(Value, found.kinds))
    if row is not SPAN_ITEM:
        size_limits.found(vm, (args, kwargs), found.found)
    work = working(vm)
    work.append(vm, Node(row, args, kwargs, outputs, (), vm.place()), False)
    for k, value in enumerate(outputs):
        size_limits.computed(vm, row, value, (args, kwargs))
        vm.parts.born[value] = work.mark
        vm.parts.in_c_order.add(value)
        if k in found.strided:
            vm.parts.columns[value] = outputs
    made = tuple(map(Traced, outputs))
    return made[0] if found.cls is None else Tuple(made, cls=found.cls)


def length(vm: Machine, value: Value) -> Var:
    return Traced(scalar(vm, EXTENT, value, 0))


def transposed(vm: Machine, array: Value) -> Var:
    kind = array.type
    assert isinstance(kind, ArrayType | DynArrayType)
    if kind.ndim < 2 and is_span(array):
        return Traced(array)
    if not 2 <= kind.ndim <= AXES:
        raise CannotCapture(
            f"this loop transposes an array of less than 2 axes, or more than {AXES}"
        )
    size_limits.measure(vm, prod(dim or 1 for dim in dims_of(kind)))
    made = emitted(vm, SPAN_TRANSPOSE, (array,))
    vm.parts.views[made.value] = array, TRANSPOSED
    return made


def attribute(vm: Machine, value: Value, name: str) -> Var | None:
    """None: a method, perhaps."""
    kind = value.type
    assert isinstance(kind, DynArrayType)
    known = {"ndim": kind.ndim, "dtype": kind.dtype, "itemsize": kind.dtype.itemsize}
    if name in known:
        return Known(known[name])
    if name == "shape":
        return Tuple(tuple(Traced(scalar(vm, EXTENT, value, axis)) for axis in range(kind.ndim)))
    if name == "size" and kind.ndim == 1:
        return Traced(scalar(vm, EXTENT, value, 0))
    if name == "T":
        return transposed(vm, value)
    if name not in METHODS:
        raise CannotCapture(f"this loop reads .{name} of a view, or of an array that it makes")
    return None


# ---- exits --------------------------------------------------------------------------------------


def recipe(vm: Machine, value: Value, of: Callable[[Any], Recipe]) -> Recipe | None:
    """How CPython gets a view; None: the value itself is handed over. `of` is for numbers, and for
    arrays that are values of the graph."""
    found = vm.parts.views.get(value)
    if found is None:
        if is_span(value) and not in_c_order(vm, value):
            raise CannotCapture("this loop makes an array whose memory layout is not known")
        return None
    array, tree = found
    base = recipe(vm, array, of) or of(array)
    if tree is TRANSPOSED:
        return Built(Make.CALL, (exit.KnownObject(getattr), base, exit.KnownObject("T")))
    return Built(Make.CALL, (exit.KnownObject(operator.getitem), base, key_recipe(tree, of)))


def key_recipe(tree: Any, of: Callable[[Any], Recipe]) -> Recipe:
    if type(tree) is tuple:
        return Built(Make.TUPLE, tuple(key_recipe(part, of) for part in tree))
    if type(tree) is slice:
        parts = (tree.start, tree.stop, tree.step)
        return Built(Make.SLICE, tuple(key_recipe(part, of) for part in parts))
    return of(tree)
