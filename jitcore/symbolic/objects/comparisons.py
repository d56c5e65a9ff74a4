"""Comparisons of symbolic values, `is` and `in`, by what the operands are."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from jitcore.fallback import breaks
from jitcore.guards.guard import SameObject
from jitcore.guards.source import Const
from jitcore.ir.ops.operator import BY_OPERATOR
from jitcore.ir.types import ArrayType, DynArrayType, ScalarType, Type, is_plain_dtype
from jitcore.symbolic.arrays.shape_facts import compared, tested
from jitcore.symbolic.describe import describe
from jitcore.symbolic.handlers.build import key_of
from jitcore.symbolic.loops.sequences import code_point, is_character
from jitcore.symbolic.loops.union_value import distributed, has_either, kinds
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.nodes import emit_row, hinted, is_array_like, leaf, python_scalar
from jitcore.symbolic.objects.operators import (
    foldable,
    folded,
    number_class,
    refuse_both,
    refuse_user_operand,
)
from jitcore.symbolic.truth import truth
from jitcore.symbolic.values import (
    Dict,
    Known,
    List,
    Object,
    Set,
    TaggedUnion,
    Traced,
    Tuple,
    Var,
    View,
)
from jitcore.symbolic.wrap import realize

COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
}
PLAIN = (str, int, float, type(None))


def compare(vm: Machine, text: str, lhs: Var, rhs: Var, settled: bool = True) -> Var:
    """`settled`: of extents it may be a fact of a whole range of sizes."""
    lhs, rhs = realize(vm, lhs), realize(vm, rhs)
    if has_either((lhs, rhs)):
        return distributed(vm, partial(compare, vm, text), lhs, rhs)
    fn = COMPARE[text]
    if is_array_like(vm, lhs) or is_array_like(vm, rhs):
        refuse_user_operand(vm, text, lhs, rhs)
        return emit_row(vm, BY_OPERATOR[text], (lhs, rhs), {})
    if foldable(lhs, rhs):
        return folded(vm, fn, lhs.obj, rhs.obj)  # type: ignore[union-attr]
    if python_scalar(vm, lhs) or python_scalar(vm, rhs):
        fact = compared(vm, fn, lhs, rhs) if settled and vm.work is None else None
        if fact is not None:
            return Known(fact)
        classes = {number_class(lhs), number_class(rhs)}
        if None not in classes and complex not in classes:
            out = vm.emit(BY_OPERATOR[text], (leaf(vm, lhs), leaf(vm, rhs)), {})
            tested(vm, out, fn, lhs, rhs)
            return hinted(vm, out, fn, (lhs, rhs))
    if is_character(lhs) or is_character(rhs):
        return _characters(vm, text, lhs, rhs)
    match lhs, rhs:
        case Tuple(a), Tuple(b) if text in ("==", "!="):
            return Known(_equal_items(vm, a, b) == (text == "=="))
        case Known(a), Known(b) if isinstance(a, type) or isinstance(b, type):
            if text in ("==", "!=") and type(a) is type and type(b) is type:
                return Known(fn(a, b))
        case Known(a), Known(b) if is_plain_dtype(a) and is_plain_dtype(b):
            return Known(fn(a, b))
    refuse_both(vm, text, lhs, rhs)


def _characters(vm: Machine, text: str, lhs: Var, rhs: Var) -> Var:
    a, b = code_point(vm, lhs), code_point(vm, rhs)
    if a is not None and b is not None:
        return compare(vm, text, a, b)
    other = rhs if is_character(lhs) else lhs
    if text in ("==", "!=") and isinstance(other, Known) and type(other.obj) in PLAIN:
        return Known(text == "!=")
    refuse_both(vm, text, lhs, rhs)


def _equal_items(vm: Machine, a: tuple[Var, ...], b: tuple[Var, ...]) -> bool:
    if len(a) != len(b):
        return False
    for x, y in zip(a, b, strict=True):
        same = same_or_equal(vm, x, y)
        if same is None:
            vm.stop(breaks.OPERATOR, "== of tuples of run-time values")
        if not same:
            return False
    return True


def same_or_equal(vm: Machine, x: Var, y: Var) -> bool | None:
    """As containers compare items: a nan is itself. None where it is known only at run time."""
    x, y = realize(vm, x), realize(vm, y)
    if x is y or (isinstance(x, Known) and isinstance(y, Known) and x.obj is y.obj):
        return True
    return truth(vm, compare(vm, "==", x, y))


def identical(vm: Machine, lhs: Var, rhs: Var) -> bool:
    lhs, rhs = realize(vm, lhs), realize(vm, rhs)
    if lhs is rhs:
        return True
    if has_either((lhs, rhs)):
        return _either_is(vm, lhs, rhs)
    a, b = getattr(lhs, "origin", None), getattr(rhs, "origin", None)
    match lhs, rhs:
        case Known(x), Known(y):
            return _same_constant(vm, lhs, rhs) if type(x) is type(y) in BY_VALUE else x is y
        case (Known(obj), other) | (other, Known(obj)) if _may_be(other, obj):
            vm.stop(breaks.OPERATOR, "`is` of a run-time value")
    if a in vm.live and b in vm.live:
        vm.guard(SameObject(a, b, vm.same_object(a, b)))
        return vm.same_object(a, b)
    if type(lhs) is not type(rhs) or isinstance(lhs, (List, Dict, Object)):
        return False
    vm.stop(breaks.OPERATOR, "`is` between values made at run time")


def _either_is(vm: Machine, lhs: Var, rhs: Var) -> bool:
    """A number, or None, is another object than what it surely is not."""
    one, other = (lhs, rhs) if isinstance(lhs, TaggedUnion) else (rhs, lhs)
    if isinstance(other, Known) and not any(_may_be_of(kind, other.obj) for kind in kinds(vm, one)):
        return False
    distributed(vm, lambda *_: Known(None), one)  # after the loops another region finds it out
    vm.stop(breaks.OPERATOR, "`is` of a number whose type varies")


def _may_be_of(kind: Type, obj: object) -> bool:
    if isinstance(kind, ScalarType):
        return kind.python and type(obj) is kind.pytype
    return obj is None


BY_VALUE = (str, bytes, int, float, complex, slice, range, tuple, frozenset)


def _same_constant(vm: Machine, lhs: Known, rhs: Known) -> bool:
    """Guards compare these by value: equal ones may be one object today and two tomorrow."""
    same: bool = lhs.obj is rhs.obj
    a, b = (v.origin if v.origin is not None else Const(v.obj) for v in (lhs, rhs))
    if lhs.origin is not None or rhs.origin is not None:
        vm.guard(SameObject(a, b, same))
    elif not same and lhs.obj == rhs.obj:
        vm.stop(breaks.OPERATOR, "`is` between equal constants")
    return same


def _may_be(var: Var, obj: object) -> bool:
    """Could the value be this very constant?"""
    if isinstance(var, Tuple):
        return type(obj) is tuple
    if not isinstance(var, Traced) or isinstance(var.value.type, ArrayType | DynArrayType):
        return False
    kind = var.value.type
    if isinstance(kind, ScalarType):
        return kind.python and type(obj) is type(kind.dtype.type(0).item())
    return kind.cls is None or isinstance(obj, kind.cls)


def contains(vm: Machine, item: Var, container: Var) -> bool:
    container = realize(vm, container)
    match container:
        case Dict(items):
            return key_of(vm, item) in items
        case Set(items) | View(Dict(items), "keys"):
            return key_of(vm, item) in items
        case Known(obj) if type(obj) in (str, tuple, frozenset, range, bytes):
            found = folded(vm, lambda a, b: a in b, key_of(vm, item), obj)
            return bool(found.obj)  # type: ignore[union-attr]
        case Tuple(items) | List(items):
            return any(_item_is(vm, item, x) for x in items)
    vm.stop(breaks.OPERATOR, f"in {describe(container)}")


def _item_is(vm: Machine, item: Var, other: Var) -> bool:
    found = same_or_equal(vm, item, other)
    if found is None:
        vm.stop(breaks.OPERATOR, "in a container of run-time values")
    return found
