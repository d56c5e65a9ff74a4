"""What stands in the way of a capture → its row of the break table.

row_of_call(callable)        of a call that nothing here captures: by the callable, else its module
row_of_operands(vars)        of an operation, by its operands
undecided(vm, value)         of a test that only run time decides
"""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Iterable
from itertools import pairwise
from types import BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import Any, NoReturn

import numpy as np

from jitcore.fallback import breaks
from jitcore.fallback.breaks import BreakKind
from jitcore.ir.types import ArrayType
from jitcore.symbolic.arrays.masked_select import give_up
from jitcore.symbolic.break_reason import random_classes, row_of_class, row_of_value
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.state import Frame
from jitcore.symbolic.values import Masked, Traced, Var
from jitcore.symbolic.wrap import realize

ITERATES = ("FOR_ITER", "GET_ANEXT", "SEND")  # what a loop that is not a while loop goes back to
C_FUNCTIONS = (BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType, type(np.sum))
NUMPY: dict[BreakKind, str] = {
    breaks.CALLBACK: "apply_along_axis apply_over_axes piecewise fromfunction frompyfunc vectorize",
    breaks.IO: """load save savez savez_compressed loadtxt savetxt genfromtxt fromfile fromregex
        memmap""",
    breaks.NUMPY_EFFECT: """seterr seterrcall setbufsize set_printoptions printoptions geterr
        geterrcall getbufsize get_printoptions""",
}
OTHERS: dict[BreakKind, tuple[Any, ...]] = {
    breaks.WARN: (warnings.warn, warnings.warn_explicit),
    breaks.MEMORY_ESCAPES: (memoryview,),
    breaks.CLASS_DEFINITION: (builtins.__build_class__,),
}
NAMED: dict[int, tuple[object, BreakKind]] = {
    id(fn): (fn, kind)
    for kind, fns in (
        *OTHERS.items(),
        *((kind, [getattr(np, name) for name in names.split()]) for kind, names in NUMPY.items()),
    )
    for fn in fns
}
WITHOUT_NUMPY = (  # what an object does by itself, whatever it would do as an operand
    breaks.ATTRIBUTE,
    breaks.ATTRIBUTE_WRITE,
    breaks.CONTAINER_TYPE,
    breaks.UNKNOWN_CALLABLE,
)
MODULES = {
    "time": breaks.OUTSIDE_WORLD,
    "posix": breaks.IO,
    "nt": breaks.IO,
    "_io": breaks.IO,
    "_socket": breaks.IO,
    "random": breaks.RANDOM,
    "numpy": breaks.NUMPY_UNSUPPORTED,
}


def named(obj: Any) -> BreakKind | None:
    """The row of a callable that is known to be left to CPython."""
    found = NAMED.get(id(obj))
    return found[1] if found is not None and found[0] is obj else None


def row_of_call(obj: Any) -> BreakKind:
    owner = getattr(obj, "__self__", None) if type(obj) is BuiltinFunctionType else None
    if isinstance(owner, random_classes()):
        return breaks.RANDOM
    found = named(obj)
    if found is not None:
        return found
    of = obj.__objclass__ if issubclass(type(obj), MethodDescriptorType) else obj
    module = getattr(of, "__module__", None)
    if isinstance(module, str) and module.split(".")[0] in MODULES:
        return MODULES[module.split(".")[0]]
    return breaks.UNKNOWN_BUILTIN if issubclass(type(obj), C_FUNCTIONS) else breaks.UNKNOWN_CALLABLE


def row_of_operands(vm: Machine, vars: Iterable[Var], otherwise: BreakKind) -> BreakKind:
    """The first operand that says by itself why it is not captured."""
    for var in vars:
        var = realize(vm, var)
        if isinstance(var, Masked):
            give_up(var)
        found = row_of_value(vm, var.value) if isinstance(var, Traced) else None
        cls = getattr(var, "cls", None)
        if found is None and isinstance(cls, type):
            found = row_of_class(cls)
        if found is not None and not (
            found is breaks.ARRAY_PROTOCOL and otherwise in WITHOUT_NUMPY
        ):
            return found
    return otherwise


def refuse(vm: Machine, vars: Iterable[Var], otherwise: BreakKind, text: str) -> NoReturn:
    vm.stop(row_of_operands(vm, vars, otherwise), text)


def undecided(vm: Machine, value: Var, text: str) -> NoReturn:
    """A test of what only run time knows; an array of several elements has no truth value."""
    value = realize(vm, value)
    kind = value.value.type if isinstance(value, Traced) else None
    if isinstance(kind, ArrayType) and kind.size != 1:
        vm.stop(breaks.TRUTH_AMBIGUOUS, text)
    if repeats(vm.frames[-1]):
        vm.stop(
            breaks.WHILE,
            f"this while loop's test, {text}, is only known at run time: {breaks.LOOP_COST}",
        )
    vm.stop(breaks.BRANCH, text)


def repeats(frame: Frame) -> bool:
    """Is the test that is being made the one at the end of a while loop's body? It jumps back to
    the body, which stands no higher in the text; a `continue` jumps to the test."""
    code, at = frame.code, frame.index - 1
    for jump, following in pairwise(code.instrs[at : at + 4]):
        if "POP_JUMP" in jump.op:
            back = jump if "BACKWARD" in jump.op else following
            if "BACKWARD" not in back.op or back.target is None:
                return False
            body = code.instrs[code.by_offset[back.target]]
            line, first = jump.position[0], body.position[0]
            below = line is not None and first is not None and line <= first
            return below and body.op not in ITERATES
    return False
