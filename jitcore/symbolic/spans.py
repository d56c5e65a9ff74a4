"""Parts of arrays in a routine: `a[i, :j]`, and what is computed of them (stores: span_stores.py).

    item      array, key       ─▶ a `span` node: a view, whose extents only run time knows
    computed  op of such parts ─▶ NumPy's row, with a SpanType, or a number
    recipe    for exits: a view is made again by its index; what was computed is handed over

Large arrays are not for routines: kernels, in the body's own regions, use all cores.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

from jitcore.fallback import exit
from jitcore.fallback.exit import Built, Make, Recipe
from jitcore.ir.graph import Node, Value, values
from jitcore.ir.op import Effect, Kind, Op
from jitcore.ir.ops import OPS
from jitcore.ir.ops_array import GETITEM, METHODS
from jitcore.ir.ops_span import (
    AXES,
    EXTENT,
    FEW,
    MADE,
    SLICE_COUNT,
    SLICE_START,
    SLICE_STEP,
    SPAN,
    SPAN_ITEM,
    SPAN_TAKE,
    SPAN_TRANSPOSE,
    asked,
    dims_of,
    is_span,
)
from jitcore.ir.types import ArrayType, ScalarType, SpanType
from jitcore.symbolic import large
from jitcore.symbolic.calling import constant, result_of_call
from jitcore.symbolic.made import in_c_order, reject_unordered
from jitcore.symbolic.values import Known, Lazy, List, Run, Slice, Tuple, Var
from jitcore.symbolic.working import NotALoop, is_element
from jitcore.symbolic.wrap import realize

if TYPE_CHECKING:
    from jitcore.symbolic.machine import Machine

TRANSPOSED = object()  # as an index
PRODUCTS = ("matmul", "dot", "ndarray.dot")


# ---- indices ------------------------------------------------------------------------------------


def item(vm: Machine, container: Run, key: Var) -> Var:
    """`container[key]`: an element, a view, or a gather."""
    if isinstance(container.value.type, ScalarType):
        raise NotALoop("an index into a number")
    tree = index(vm, key)
    if is_element(container.value, tree):
        return vm.emit(GETITEM, (container.value, tree), {})
    kind = container.value.type
    if not isinstance(kind, ArrayType | SpanType):
        raise NotALoop("an item of a number in a loop")
    if selects(tree):
        if is_span(tree) and kind.ndim == 1 and tree.type.dtype.char in "bBhHiIlq":
            large.uses(vm, tree)
            return emitted(vm, SPAN_TAKE, (container.value, tree))
        made = called(vm, SPAN_ITEM, (container.value, tree), {})
        assert isinstance(made, Run)
        large.selected(vm, made.value, container.value, tree)
        return made
    return view(vm, container.value, tree)


def selects(tree: Any) -> bool:
    """Is there an array, or several, among what is an index?"""
    return any(isinstance(one.type, ArrayType | SpanType) for one in values(tree))


def index(vm: Machine, key: Var) -> Any:
    """The key as a tree of ints, graph values and slices."""
    key = realize(vm, key)
    match key:
        case Run(value):
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
            raise NotALoop("an index that is a list, in a loop")
    raise NotALoop("an index of this kind in a loop")


def view(vm: Machine, array: Value, tree: Any) -> Var:
    kind = array.type
    assert isinstance(kind, ArrayType | SpanType)
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
            key.append(run(vm, array, axis, part, known))
            dims.append(known)
        elif is_whole(part):
            key.append(part)
        else:
            raise NotALoop("an index that is neither an int nor a slice, in a loop")
        axis += 1
    large.measure(vm, prod(dim or 1 for dim in dims))
    if not 1 <= len(dims) <= AXES:
        raise NotALoop("part of an array that has no axes, or many")
    made = emitted(vm, SPAN, (array, tuple(key), tuple(dims)))
    if in_c_order(vm, array) and all(type(one) is not tuple or goes_up(one[2]) for one in key):
        vm.parts.in_c_order.add(made.value)
    vm.parts.views[made.value] = array, tree
    return made


def goes_up(step: Any) -> bool:
    return type(step) is Value or step > 0


def known_extent(kind: ArrayType | SpanType, axis: int, part: slice) -> int | None:
    """None, where only run time knows it."""
    n = dims_of(kind)[axis]
    bounds = (part.start, part.stop, part.step)
    if n is None or any(one is not None and type(one) is not int for one in bounds):
        return None
    if part.step == 0:
        raise NotALoop("a slice with a step of 0")
    return len(range(*part.indices(n)))


def with_all_axes(tree: Any, ndim: int) -> list[Any]:
    """One part for each axis, and None for new ones."""
    parts = list(tree) if type(tree) is tuple else [tree]
    given = sum(part is not None and part is not Ellipsis for part in parts)
    if sum(part is Ellipsis for part in parts) > 1 or given > ndim:
        raise NotALoop("an index that does not fit, in a loop")
    missing = [slice(None)] * (ndim - given)
    at = next((k for k, part in enumerate(parts) if part is Ellipsis), None)
    return [*parts, *missing] if at is None else [*parts[:at], *missing, *parts[at + 1 :]]


def is_whole(part: Any) -> bool:
    if type(part) is int:
        return True
    kind = part.type if type(part) is Value else None
    return isinstance(kind, ScalarType) and kind.dtype.kind in "iu"


def run(
    vm: Machine, array: Value, axis: int, part: slice, known: int | None
) -> tuple[Any, Any, Any]:
    """A slice as (start, count, step), of Python's ints. A few items are a constant in C."""
    bounds = [one if one is None else whole(vm, one) for one in (part.start, part.stop)]
    step = step_of(vm, part.step)
    up = goes_up(step)
    few = known is not None and known <= FEW
    if few and bounds[0] is None and up:
        return 0, known, step
    extent = scalar(vm, EXTENT, array, axis)
    if bounds == [None, None] and type(step) is int and step == 1:
        return 0, extent, 1
    start = scalar(vm, SLICE_START, extent, *bounds, step)
    if up and bounds[0] is None:
        start = 0
    return start, known if few else scalar(vm, SLICE_COUNT, extent, *bounds, step), step


def step_of(vm: Machine, step: Any) -> Any:
    """One that varies goes upwards: else the routine is left."""
    if type(step) is Value:
        return scalar(vm, SLICE_STEP, whole(vm, step))
    step = 1 if step is None else step
    if type(step) is not int or step == 0 or abs(step) > 1 << 31:
        raise NotALoop("a slice with such a step, in a loop")
    return step


def whole(vm: Machine, bound: Any) -> Any:
    """NumPy's ints have __index__."""
    if type(bound) is int and abs(bound) < 1 << 62:
        return bound
    if type(bound) is Value and is_whole(bound):
        python = isinstance(bound.type, ScalarType) and bound.type.python
        return bound if python else scalar(vm, OPS["op.int"], bound)
    raise NotALoop("a slice whose bounds are no ints, in a loop")


# ---- nodes --------------------------------------------------------------------------------------


def scalar(vm: Machine, op: Op, *args: Any) -> Any:
    """The number that a node gives; None, if it gives nothing."""
    made = vm.working().emit(vm, op, args, {})
    return made.value if isinstance(made, Run) else None


def emitted(vm: Machine, op: Op, args: tuple[Any, ...]) -> Run:
    made = append(vm, op, args, {}, op.infer(args, {}))
    assert isinstance(made, Run)
    return made


def append(
    vm: Machine, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], kind: Any
) -> Var | None:
    work = vm.working()
    outputs = () if kind is None else (Value(kind),)
    work.append(vm, Node(op, args, kwargs, outputs, (), vm.place()), False)
    return Run(outputs[0]) if outputs else None


def flipped(vm: Machine, array: Value) -> Var:
    kind = array.type
    assert isinstance(kind, ArrayType | SpanType)
    return view(vm, array, (slice(None, None, -1),) * kind.ndim)


def computed(vm: Machine, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Var:
    """What NumPy gives of parts of arrays, or of small arrays as a whole."""
    if op.name == "flip" and len(args) == 1 and not kwargs:
        return flipped(vm, args[0])
    if op.name == "ndarray.T" and len(args) == 1:
        return transposed(vm, args[0])
    large.reject_large(vm, values((args, kwargs)))
    if op.name == "where" and len(args) == 1 and not kwargs:
        op = OPS["nonzero"]
    if op.ufunc is not None and op.kind is Kind.MAP and op.ufunc.nout > 1 and not kwargs:
        return called(vm, op, args, kwargs)
    row, given, effect, kind = asked(op, args, kwargs)
    if row.name in MADE and (len(args) > 1 + (row.name != "copy") or not {"dtype"} >= set(kwargs)):
        raise NotALoop(f"{row.name} with more than what it is made of, in a loop")
    known = row.kind in (Kind.MAP, Kind.REDUCE) or row.name in (*MADE, *PRODUCTS)
    if effect > Effect.FLAGS:
        raise NotALoop(f"{row.name}, which may give warnings, in a loop")
    if not known:
        return called(vm, row, given, kwargs)
    arrays = [one for one in values((args, kwargs)) if not isinstance(one.type, ScalarType)]
    ordered = all(in_c_order(vm, one) for one in arrays)
    if row.kind in (Kind.REDUCE, Kind.LINALG):
        reject_unordered(vm, arrays)
    if not isinstance(kind, SpanType | ScalarType):
        raise NotALoop(f"{row.name} of a shape or type that varies")
    if isinstance(kind, SpanType) and not 1 <= kind.ndim <= AXES:
        raise NotALoop(f"{row.name} that gives an array without axes, or with many")
    made = append(vm, row, given, kwargs, kind)
    assert isinstance(made, Run)
    large.computed(vm, row, made.value, (given, kwargs))
    vm.parts.born[made.value] = vm.working().mark
    if ordered or row.kind is Kind.LINALG:
        vm.parts.in_c_order.add(made.value)
    return made


def called(vm: Machine, row: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Var:
    """What NumPy's own call gives, made from within the routine; made before, of constants."""
    large.reject_large(vm, values((args, kwargs)), large.LARGEST_CALLED)
    if not values((args, kwargs)):
        array = constant(vm, row, args, kwargs)
        if array is not None:
            return computed(vm, OPS["ndarray.copy"], (array,), {})
    arrays = [one for one in values((args, kwargs)) if not isinstance(one.type, ScalarType)]
    reject_unordered(vm, arrays)
    found = result_of_call(row, args, kwargs)
    outputs = tuple(map(Value, found.kinds))
    if row is not SPAN_ITEM:
        large.found(vm, (args, kwargs), found.found)
    work = vm.working()
    work.append(vm, Node(row, args, kwargs, outputs, (), vm.place()), False)
    for k, value in enumerate(outputs):
        large.computed(vm, row, value, (args, kwargs))
        vm.parts.born[value] = work.mark
        vm.parts.in_c_order.add(value)
        if k in found.strided:
            vm.parts.columns[value] = outputs
    made = tuple(map(Run, outputs))
    return made[0] if found.cls is None else Tuple(made, cls=found.cls)


def length(vm: Machine, value: Value) -> Var:
    return Run(scalar(vm, EXTENT, value, 0))


def transposed(vm: Machine, array: Value) -> Var:
    kind = array.type
    assert isinstance(kind, ArrayType | SpanType)
    if kind.ndim < 2 and is_span(array):
        return Run(array)
    if not 2 <= kind.ndim <= AXES:
        raise NotALoop("an array of many axes in a loop")
    large.measure(vm, prod(dim or 1 for dim in dims_of(kind)))
    made = emitted(vm, SPAN_TRANSPOSE, (array,))
    vm.parts.views[made.value] = array, TRANSPOSED
    return made


def attribute(vm: Machine, value: Value, name: str) -> Var | None:
    """None: a method, perhaps."""
    kind = value.type
    assert isinstance(kind, SpanType)
    known = {"ndim": kind.ndim, "dtype": kind.dtype, "itemsize": kind.dtype.itemsize}
    if name in known:
        return Known(known[name])
    if name == "shape":
        return Tuple(tuple(Run(scalar(vm, EXTENT, value, axis)) for axis in range(kind.ndim)))
    if name == "size" and kind.ndim == 1:
        return Run(scalar(vm, EXTENT, value, 0))
    if name == "T":
        return transposed(vm, value)
    if name not in METHODS:
        raise NotALoop(f".{name} of part of an array in a loop")
    return None


# ---- exits --------------------------------------------------------------------------------------


def recipe(vm: Machine, value: Value, of: Callable[[Any], Recipe]) -> Recipe | None:
    """How CPython gets a view; None: the value itself is handed over. `of` is for numbers, and for
    arrays that are values of the graph."""
    found = vm.parts.views.get(value)
    if found is None:
        if is_span(value) and not in_c_order(vm, value):
            raise NotALoop("an array made in the loop, of which the layout is not known")
        return None
    array, tree = found
    base = recipe(vm, array, of) or of(array)
    if tree is TRANSPOSED:
        return Built(Make.CALL, (exit.Known(getattr), base, exit.Known("T")))
    return Built(Make.CALL, (exit.Known(operator.getitem), base, key_recipe(tree, of)))


def key_recipe(tree: Any, of: Callable[[Any], Recipe]) -> Recipe:
    if type(tree) is tuple:
        return Built(Make.TUPLE, tuple(key_recipe(part, of) for part in tree))
    if type(tree) is slice:
        parts = (tree.start, tree.stop, tree.step)
        return Built(Make.SLICE, tuple(key_recipe(part, of) for part in parts))
    return of(tree)
