"""Values of a loop → the C types of their variables."""

from __future__ import annotations

from typing import Any

from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.ir.op import leaf_type
from jitcore.ir.types import CHARACTER, NONE, ScalarType
from jitcore.ir.value import Value
from jitcore.toolchain.abi import C_TYPES
from jitcore.toolchain.literals import literal


def number(arg: Any) -> ScalarType:
    kind = leaf_type(arg)
    if not isinstance(kind, ScalarType) or (
        not kind.python and kind.dtype.char not in "?bBhHiIlLqQfdFD"
    ):
        raise CannotLower(f"a number of type {kind}")
    return kind


def c_type(kind: ScalarType) -> str:
    return C_TYPES[kind.dtype.char]


def c_name(value: Value) -> str:
    """None has nothing but its tag."""
    if value.type == NONE:
        return "u8"
    return "u32" if value.type == CHARACTER else c_type(number(value))


def constant(arg: Any) -> str:
    """A literal of its type."""
    kind = number(arg)
    if kind.dtype.kind == "i" and kind.python and abs(arg) >= 1 << 63:
        raise CannotLower(f"the int {arg}")
    made = literal(kind.dtype.type(arg))
    return f"(({c_type(kind)}){made})" if kind.dtype.kind == "c" else f"({c_type(kind)})({made})"


def result(node: Node) -> ScalarType:
    return number(node.outputs[0])


def world(node: Node) -> tuple[str, bool]:
    """Kind of the result's dtype, and whether it is Python's."""
    kind = result(node)
    return kind.dtype.kind, kind.python


def is_int(kind: ScalarType) -> bool:
    return kind.dtype.kind in "iu" or (kind.python and kind.dtype.kind == "b")


def not_finite(name: str, kind: ScalarType) -> str:
    if kind.dtype.kind == "c":
        return f"!__builtin_isfinite({name}.re) | !__builtin_isfinite({name}.im)"
    return f"!__builtin_isfinite({name})"
