"""Texts made of numbers that only run time knows: `f"{loss:.3f}"` is a node, which runs nothing of
the program's. What comes out may be printed, kept and handed on; anything else that is done with it
is CPython's.
"""

from __future__ import annotations

from typing import Any

from jitcore.ir.graph import Node
from jitcore.ir.op import Effect, Kind, Op
from jitcore.ir.types import ObjectType, ScalarType
from jitcore.ir.value import Value
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.values import Known, Traced, Var

FORMAT = Op("py.format", format, Kind.OPAQUE, Effect.SILENT)
JOIN = Op("py.join", "".join, Kind.OPAQUE, Effect.SILENT)
TEXT = ObjectType(str)
NUMBERS = frozenset("?bhilqBHILQefdFD")  # dtypes whose formats are C's, and warn of nothing


def formatted(vm: Machine, value: Var, spec: str) -> Var | None:
    """None: it is no number or text that run time knows, or not here."""
    if vm.work is not None or vm.config.verify:
        return None
    match value:
        case Traced(Value(type=ScalarType() as kind) as number) if kind.dtype.char in NUMBERS:
            return made(vm, FORMAT, number, spec)
        case Traced(Value(type=kind)) if kind == TEXT and not spec:
            return value
    return None


def joined(vm: Machine, parts: list[Var]) -> Var | None:
    """None: all of them are known, or one is no text."""
    tree = [part.obj if isinstance(part, Known) else getattr(part, "value", None) for part in parts]
    texts = [type(one) is str or (type(one) is Value and one.type == TEXT) for one in tree]
    if not all(texts) or all(type(one) is str for one in tree):
        return None
    return made(vm, JOIN, tree)


def made(vm: Machine, op: Op, *args: Any) -> Traced:
    out = Value(TEXT)
    vm.window().nodes.append(Node(op, args, {}, (out,), (), vm.place()))
    vm.nodes += 1
    return Traced(out)
