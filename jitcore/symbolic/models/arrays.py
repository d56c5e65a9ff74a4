"""Methods of arrays and NumPy scalars: rows of the op table."""

from __future__ import annotations

from jitcore.fallback import breaks
from jitcore.ir.ops.array import METHODS
from jitcore.ir.ops.complex import CONJUGATE
from jitcore.ir.types import ArrayType, DynArrayType, ScalarType
from jitcore.symbolic.describe import describe
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.nodes import emit_row
from jitcore.symbolic.objects.calls import METHOD_MODELS
from jitcore.symbolic.objects.operators import foldable
from jitcore.symbolic.unwind import fails_as
from jitcore.symbolic.values import Known, Traced, Var


def array_method(
    vm: Machine, owner: Var, name: str, args: tuple[Var, ...], kwargs: dict[str, Var]
) -> Var:
    assert isinstance(owner, Traced)
    kind = owner.value.type
    if (
        name == "conjugate"
        and isinstance(kind, ScalarType)
        and kind.python
        and not (args or kwargs)
    ):
        return conjugate_of(vm, owner, kind)
    if not isinstance(kind, ArrayType | ScalarType | DynArrayType) or getattr(
        kind, "python", False
    ):
        vm.stop(breaks.UNKNOWN_CALLABLE, f".{name}() of {describe(owner)}")
    row = METHODS.get(name)
    if row is None:
        vm.stop(breaks.NUMPY_UNSUPPORTED, f"ndarray.{name}")
    return emit_row(vm, row, (owner, *args), kwargs)


def conjugate_of(vm: Machine, owner: Traced, kind: ScalarType) -> Var:
    """Of a Python number: itself, if it is real."""
    if kind.pytype is complex:
        return emit_row(vm, CONJUGATE, (owner,), {})
    if kind.pytype is bool:
        vm.stop(breaks.UNKNOWN_CALLABLE, f".conjugate() of {describe(owner)}")
    return owner


METHOD_MODELS["Traced"] = array_method


def known_method(
    vm: Machine, owner: Var, name: str, args: tuple[Var, ...], kwargs: dict[str, Var]
) -> Var:
    """Methods of constants: pure ones of strings and numbers, on constants."""
    assert isinstance(owner, Known)
    from_table = name in PURE.get(type(owner.obj), ())
    if not from_table or not foldable(*args) or kwargs:
        vm.stop(breaks.UNKNOWN_BUILTIN, f"{type(owner.obj).__name__}.{name}()")
    try:
        return Known(getattr(owner.obj, name)(*(a.obj for a in args)))  # type: ignore[union-attr]
    except Exception as error:
        fails_as(vm, error)


PURE: dict[type, frozenset[str]] = {
    str: frozenset(
        [
            "lower",
            "upper",
            "strip",
            "lstrip",
            "rstrip",
            "startswith",
            "endswith",
            "replace",
            "format",
            "title",
            "isdigit",
            "isalpha",
            "count",
            "find",
            "index",
            "zfill",
            "ljust",
            "rjust",
            "center",
            "capitalize",
        ]
    ),
    float: frozenset(("is_integer", "conjugate", "hex")),
    int: frozenset(("bit_length", "bit_count", "conjugate")),
    complex: frozenset(("conjugate",)),
}
METHOD_MODELS["Known"] = known_method
