"""Operators on symbolic values, by what the operands are.

constants            folded, as CPython computes them
NumPy operands       a row of the op table
Python numbers       a node that performs CPython's own operation
lists, tuples, …     on the symbolic structure
instances            their class's special method, inlined

Comparisons, `is` and `in` are in comparisons.py.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from jitcore.fallback import breaks
from jitcore.guards.guard import TypeVersion
from jitcore.ir.op import Inferred, Unsupported
from jitcore.ir.ops.operator import BY_OPERATOR, specialise
from jitcore.ir.types import PYBOOL, PYFLOAT, PYINT, ArrayType, DynArrayType, ScalarType, Type
from jitcore.symbolic.arrays.complex_elision import are_exchanged
from jitcore.symbolic.arrays.masked_select import assigned
from jitcore.symbolic.break_rows import refuse, undecided
from jitcore.symbolic.describe import describe, with_article
from jitcore.symbolic.loops import array_stores, local_stack
from jitcore.symbolic.loops.loop_state import CannotCapture
from jitcore.symbolic.loops.union_value import distributed, has_either
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.nodes import (
    ARITHMETIC,
    call_builtin,
    emit_row,
    hinted,
    is_array_like,
    leaf,
    python_scalar,
)
from jitcore.symbolic.objects.calls import call
from jitcore.symbolic.objects.class_attrs import lookup
from jitcore.symbolic.objects.function_parts import FUNCTIONS, function_in
from jitcore.symbolic.truth import truth
from jitcore.symbolic.unwind import fails_as
from jitcore.symbolic.values import (
    NOTHING,
    Known,
    List,
    Masked,
    Object,
    Set,
    TaggedUnion,
    Traced,
    Tuple,
    Var,
)
from jitcore.symbolic.wrap import realize

FOLDABLE = (int, float, bool, complex, str, bytes, type(None), tuple, range, frozenset, slice)
UNARY: dict[str, Callable[[Any], Any]] = {
    "neg": operator.neg,
    "pos": operator.pos,
    "invert": operator.invert,
    "abs": abs,
}
NUMBERS = {"neg": (int, float, complex), "pos": (int, float, complex), "invert": (int,)}
SPECIAL = {
    "+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__", "@": "__matmul__",
    "//": "__floordiv__", "%": "__mod__", "**": "__pow__",
}  # fmt: skip
TARGETS: dict[str, Callable[..., Any]] = {**ARITHMETIC, "@": operator.matmul}
MAX_FOLDED_BITS = 4096


def folded(vm: Machine, fn: Callable[..., Any], *objects: Any) -> Var:
    """CPython's own result on constants; what raises is left to CPython."""
    if any(type(x) is int and x.bit_length() > MAX_FOLDED_BITS for x in objects):
        vm.stop(breaks.PYTHON_RAISES, "very large integers")
    try:
        result = fn(*objects)
    except Exception as error:
        fails_as(vm, error, objects)
    if type(result) in FOLDABLE:
        return Known(result)
    vm.stop(breaks.OPERATOR, f"the result is {with_article(type(result).__name__)}")


def foldable(*vars: Var) -> bool:
    return all(isinstance(v, Known) and type(v.obj) in FOLDABLE for v in vars)


def binary(vm: Machine, text: str, lhs: Var, rhs: Var) -> Var:
    lhs, rhs = realize(vm, lhs), realize(vm, rhs)
    if has_either((lhs, rhs)):
        return distributed(vm, partial(binary, vm, text), lhs, rhs)
    plain = text.removesuffix("=")
    if text.endswith("=") and isinstance(lhs, Traced) and is_array(lhs.value.type):
        return _inplace(vm, text, lhs, rhs)
    if is_array_like(vm, lhs) or is_array_like(vm, rhs):
        refuse_user_operand(vm, plain, lhs, rhs)
        if plain == "*" and are_exchanged(vm, lhs, rhs):
            lhs, rhs = rhs, lhs
        made = emit_row(vm, BY_OPERATOR[plain], (lhs, rhs), {})
        if text.endswith("=") and isinstance(lhs, Masked) and isinstance(made, Masked):
            return assigned(vm, lhs, made)
        return made
    if foldable(lhs, rhs) and plain in ARITHMETIC:
        if plain in ("**", "<<") and not _small_power(lhs, rhs):
            vm.stop(breaks.PYTHON_RAISES, "very large integers")
        return folded(vm, TARGETS[plain], lhs.obj, rhs.obj)  # type: ignore[union-attr]
    if python_scalar(vm, lhs) or python_scalar(vm, rhs):
        return _number(vm, plain, lhs, rhs)
    if isinstance(lhs, Object):
        return _special(vm, text, lhs, rhs)
    return _container(vm, text, lhs, rhs)


def refuse_both(vm: Machine, text: str, lhs: Var, rhs: Var) -> NoReturn:
    refuse(vm, (lhs, rhs), breaks.OPERATOR, f"{text} of {describe(lhs)} and {describe(rhs)}")


def _small_power(lhs: Var, rhs: Var) -> bool:
    a, b = lhs.obj, rhs.obj  # type: ignore[union-attr]
    if type(a) is not int or type(b) is not int:
        return True
    return -64 <= b <= 64 and a.bit_length() <= 128


def refuse_user_operand(vm: Machine, text: str, *operands: Var) -> None:
    for operand in operands:
        if isinstance(operand, Object) or (
            isinstance(operand, Known) and type(operand.obj) not in FOLDABLE
        ):
            text = f"{text} between an array and {describe(operand)}"
            refuse(vm, (operand,), breaks.OPERATOR, text)


def is_array(kind: Type) -> bool:
    return isinstance(kind, ArrayType | DynArrayType)


def _inplace(vm: Machine, text: str, lhs: Traced, rhs: Var) -> Var:
    """`a += b`: on an array made in the region that nobody else sees, an ordinary operation; else
    a store."""
    refuse_user_operand(vm, text, rhs)
    plain = text.removesuffix("=")
    if vm.work is not None:
        array_stores.in_place(vm, BY_OPERATOR[plain], lhs.value, leaf(vm, rhs))
        return lhs
    private = vm.is_fresh(lhs.value) and plain in TARGETS
    if private and _result_type(vm, plain, lhs, rhs) == lhs.value.type:
        made = emit_row(vm, BY_OPERATOR[plain], (lhs, rhs), {})
        assert isinstance(made, Traced)
        lhs.value = made.value
        vm.fresh.add(made.value)
        return lhs
    emit_row(vm, BY_OPERATOR[text], (lhs, rhs), {})
    return lhs


def _result_type(vm: Machine, text: str, lhs: Var, rhs: Var) -> Inferred:
    """None, too, where the operation raises: whoever emits it says so."""
    row, tree = specialise(BY_OPERATOR[text], (leaf(vm, lhs), leaf(vm, rhs)), {})
    try:
        return row.infer(tree, {})
    except Unsupported:
        return None


def _number(vm: Machine, text: str, lhs: Var, rhs: Var) -> Var:
    if None in (number_class(lhs), number_class(rhs)) or text not in ARITHMETIC:
        refuse_both(vm, text, lhs, rhs)
    tree = (leaf(vm, lhs), leaf(vm, rhs))
    if _result_type(vm, text, lhs, rhs) is None and all(map(is_hinted, (lhs, rhs))):
        use = "is of an operation that only Python can do"
        return folded(vm, TARGETS[text], vm.concrete(lhs, use), vm.concrete(rhs, use))
    if vm.work is not None and text == "**":
        return power(vm, lhs, rhs)
    out = vm.emit(BY_OPERATOR[text], tree, {})
    return hinted(vm, out, ARITHMETIC[text], (lhs, rhs))


def power(vm: Machine, lhs: Var, rhs: Var) -> Var:
    """In a routine, which is left where an int becomes a float by it, or a float complex."""
    classes = {number_class(lhs), number_class(rhs)}
    if classes <= {int, bool}:
        return call_builtin(vm, operator.pow, (lhs, rhs), PYINT)
    if complex in classes:
        raise CannotCapture("this loop has ** of complex numbers")
    return call_builtin(vm, operator.pow, (lhs, rhs), PYFLOAT)


def is_hinted(var: Var) -> bool:
    return isinstance(var, Known) or (isinstance(var, Traced) and var.hint is not NOTHING)


def number_class(var: Var) -> type | None:
    match var:
        case Known(obj) if type(obj) in (bool, int, float, complex):
            return type(obj)
        case Traced(value) if isinstance(value.type, ScalarType) and value.type.python:
            return type(value.type.dtype.type(0).item())
    return None


def _special(vm: Machine, text: str, lhs: Object, rhs: Var) -> Var:
    name = SPECIAL.get(text.removesuffix("="))
    inplace = name.replace("__", "__i", 1) if name and text.endswith("=") else None
    if inplace is not None and lookup(lhs.cls, inplace) is not NOTHING:
        name = inplace
    raw = lookup(lhs.cls, name) if name else NOTHING
    if not issubclass(type(raw), FUNCTIONS):
        refuse_both(vm, text, lhs, rhs)
    if isinstance(rhs, Object) and rhs.cls is not lhs.cls:
        vm.stop(breaks.OPERATOR, f"{text} between instances of two classes")
    vm.guard(TypeVersion(lhs.cls))
    out = call(vm, function_in(vm, raw), (lhs, rhs), {})
    if isinstance(out, Known) and out.obj is NotImplemented:
        vm.stop(breaks.OPERATOR, f"{text}: {name} returns NotImplemented")
    return out


def _container(vm: Machine, text: str, lhs: Var, rhs: Var) -> Var:
    plain = text.removesuffix("=")
    match lhs, rhs:
        case Tuple(a, cls=ca), Tuple(b, cls=cb) if plain == "+" and ca is cb is tuple:
            return Tuple(a + b)
        case Tuple(a, cls=ca), Known(obj) if plain == "+" and ca is tuple and type(obj) is tuple:
            return Tuple(a + tuple(Known(x) for x in obj))
        case Known(obj), Tuple(b, cls=cb) if plain == "+" and cb is tuple and type(obj) is tuple:
            return Tuple(tuple(Known(x) for x in obj) + b)
        case List(a), List(b) if text == "+":
            return List(a + b)
        case List(a), Known(n) | Known(n) if text == "*" and type(n) is int and n * len(a) < 1024:
            return List(a * n)
        case Tuple(a, cls=ca), Known(n) if (
            ca is tuple and plain == "*" and type(n) is int and n * len(a) < 1024
        ):
            return Tuple(a * n)
        case Set(a), Set(b) if plain in ("|", "&", "-", "^") and text == plain:
            return Set(TARGETS[plain](a, b))
    refuse_both(vm, text, lhs, rhs)


def unary(vm: Machine, text: str, value: Var) -> Var:
    value = realize(vm, value)
    if isinstance(value, TaggedUnion):
        return distributed(vm, partial(unary, vm, text), value)
    if foldable(value):
        return folded(vm, UNARY[text], value.obj)  # type: ignore[union-attr]
    if is_array_like(vm, value):
        return emit_row(vm, BY_OPERATOR[text], (value,), {})
    kinds = NUMBERS.get(text)
    if python_scalar(vm, value) and kinds is not None and number_class(value) in kinds:
        assert isinstance(value, Traced)
        out = vm.emit(BY_OPERATOR[text], (value.value,), {})
        return hinted(vm, out, UNARY[text], (value,))
    refuse(vm, (value,), breaks.OPERATOR, f"{text} of {describe(value)}")


def to_bool(vm: Machine, value: Var, before_loop: bool = False) -> Var:
    if isinstance(value, TaggedUnion):
        return distributed(vm, partial(to_bool, vm), value)
    value = local_stack.count(vm, value)
    found = truth(vm, value)
    if found is None and before_loop and kind_of_number(vm, value) == PYBOOL:
        return value
    if found is None and (before_loop or vm.work) and kind_of_number(vm, value) is not None:
        return emit_row(vm, BY_OPERATOR["bool"], (value,), {})
    if found is None:
        undecided(vm, value, describe(realize(vm, value)))
    return Known(found)


def kind_of_number(vm: Machine, value: Var) -> ScalarType | None:
    value = realize(vm, value)
    kind = value.value.type if isinstance(value, Traced) else None
    return kind if isinstance(kind, ScalarType) else None


def negate(vm: Machine, value: Var) -> Var:
    if isinstance(value, TaggedUnion):
        return distributed(vm, partial(negate, vm), value)
    value = local_stack.count(vm, value)
    found = truth(vm, value)
    if found is None and vm.work and kind_of_number(vm, value) is not None:
        return emit_row(vm, BY_OPERATOR["not"], (value,), {})
    if found is None:
        undecided(vm, value, f"not {describe(realize(vm, value))}")
    return Known(not found)
