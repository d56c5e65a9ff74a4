"""One elementwise node → steps of a program: casts that NumPy makes, then C or NumPy's inner loop.

`CannotLower` says that a node stays a NumPy call. A value is typed by its dtype alone here; scalars
that are known stand in the program as constants of the type that NEP 50 gives them.
"""

from __future__ import annotations

from dataclasses import field
from functools import lru_cache
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.host.private_names import umath
from jitcore.ir.c_expression import COPY, CExpression, CKind
from jitcore.ir.call_facts import ANSWERS
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.ir.infer.elementwise import result_dtypes
from jitcore.ir.op import Kind, Op, Operand, leaf_type, operand
from jitcore.ir.types import ArrayType, ObjectType, ScalarType
from jitcore.ir.value import Value
from jitcore.kernels.body import BodyStep, Constant, Input, KernelBody, Temp
from jitcore.kernels.casts import cast_code
from jitcore.toolchain.abi import (
    ARRAY,
    NUMPY_SCALAR,
    PYTHON_SCALARS,
    Signature,
    c_type,
    is_native,
    unsigned,
)
from jitcore.toolchain.numpy_loops import Inner, inner_loop

# A constant beyond this is rounded once or twice on its way to float32: NumPy's business.
EXACT = 1 << 53

# C has these, but not in vector form while traps are honoured.
LOOPS_ARE_FASTER = frozenset(("floor", "ceil", "trunc", "rint", "copysign", "isinf", "isfinite"))

# Of bools, NumPy compares one that is repeated by its byte, of which any but 0 is true, as it is.
COMPARISONS = frozenset(
    (
        *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
        *("logical_xor", "bitwise_xor"),
    )
)


@dataclass(slots=True)
class Lowering:
    """Builds the program of a group; `known` and `casts` make each variable once."""

    program: KernelBody = field(default_factory=KernelBody)
    inputs: list[Value] = field(default_factory=list)  # as the program's Input variables
    known: dict[Value, int] = field(default_factory=dict)
    wholes: dict[tuple[Value, Input], int] = field(default_factory=dict)  # laid out in other ways
    weak: dict[tuple[Value, str], int] = field(default_factory=dict)
    casts: dict[tuple[int, str], int] = field(default_factory=dict)

    def temp(self, dtype: np.dtype[Any]) -> int:
        return self.program.var(Temp(dtype))

    def step(
        self, args: tuple[int, ...], dtype: np.dtype[Any], code: CExpression, within: str = ""
    ) -> int:
        out = self.temp(dtype)
        self.program.steps.append(BodyStep(args, (out,), code, None, within))
        return out

    def input(self, value: Value, input: Input) -> int:
        self.inputs.append(value)
        return self.program.var(input)

    def placed(self, value: Value, input: Input) -> int:
        """An operand that the loop does not take by its own elements: no other node makes it."""
        if value in self.known and value not in self.inputs:
            raise CannotLower("an array that the same kernel computes is read out of order")
        key = (value, input)
        if key not in self.wholes:
            self.wholes[key] = self.input(value, input)
        return self.wholes[key]

    def arg(self, leaf: Any, dtype: np.dtype[Any]) -> int:
        """The variable that holds an argument as `dtype`."""
        t = leaf_type(leaf)
        if type(leaf) is not Value:
            if not isinstance(t, ScalarType):
                raise CannotLower(f"a constant of type {t}")
            return self.program.var(Constant(constant(leaf, dtype)))
        if isinstance(t, ScalarType) and t.python:
            if dtype.char == "e" or (dtype.kind == "b" and t.dtype.kind != "b"):
                raise CannotLower(f"a Python number as {dtype}")  # the launcher makes none of it
            key = (leaf, dtype.char)
            if key not in self.weak:
                self.weak[key] = self.input(leaf, Input(Signature(PYTHON_SCALARS[t.pytype], dtype)))
            return self.weak[key]
        if leaf not in self.known:
            self.known[leaf] = self.input(leaf, Input(signature(t)))
        return self.cast(self.known[leaf], dtype)

    def cast(self, var: int, dtype: np.dtype[Any]) -> int:
        found = self.program.vars[var].dtype
        if found.char == dtype.char:
            return var
        key = (var, dtype.char)
        if key not in self.casts:
            if "e" in (found.char, dtype.char):
                raise CannotLower("a cast to or from float16")
            if found.kind == "c" and dtype.kind != "c":
                raise CannotLower("a cast of complex numbers to real ones")
            code, within = cast_code(found, dtype)
            self.casts[key] = self.step((var,), dtype, code, within)
        return self.casts[key]


def signature(t: Any) -> Signature:
    """How a kernel takes a value of this type."""
    if isinstance(t, ScalarType) and is_native(t.dtype):
        return Signature(NUMPY_SCALAR, t.dtype)
    if isinstance(t, ArrayType) and is_native(t.dtype) and t.aligned:
        return array_signature(t, t.dtype.char)
    raise CannotLower(f"an operand of type {t}")


@lru_cache(maxsize=ANSWERS)
def array_signature(t: ArrayType, char: str) -> Signature:
    """Equal dtypes may be of two chars."""
    return Signature(ARRAY, t.dtype, t.shape, t.strides)


def constant(value: Any, dtype: np.dtype[Any]) -> np.generic:
    """A known scalar in the type that the operation gives it, where that cannot warn or fail."""
    if type(value) is int:
        if dtype.kind in "iu" and not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
            raise CannotLower(f"{value} does not fit into {dtype}")
        if dtype.kind in "fc" and abs(value) > EXACT:
            raise CannotLower(f"{value} does not fit into {dtype}")
    if dtype.char == "d" and type(value) in (int, float):  # as large as both
        return np.float64(value)
    with np.errstate(all="raise"):
        try:
            made: np.generic = dtype.type(np.asarray(value).astype(dtype)[()])
        except FloatingPointError as error:
            raise CannotLower(f"{value} does not fit into {dtype}") from error
    return made


# ---- nodes --------------------------------------------------------------------------------------


def is_elementwise(node: Node) -> bool:
    return not node.bodies and (node.op.kind is Kind.MAP or node.op.name in SPECIAL)


def lower(node: Node, into: Lowering) -> None:
    """Append the steps of an elementwise node."""
    name = node.op.name
    if not is_elementwise(node):
        raise CannotLower(f"{name} is not elementwise")
    special = SPECIAL.get(name)
    if special is not None:
        special(node, into)
    else:
        lower_ufunc(node, into)


def lower_ufunc(node: Node, into: Lowering) -> None:
    op = node.op
    if op.ufunc is None or not node.kwargs.keys() <= {"dtype"}:
        raise CannotLower(f"{op.name} is called with arguments that no kernel takes")
    if op.name in COMPARISONS and any(is_repeated_bool(arg, node) for arg in node.args):
        raise CannotLower(f"{op.name} of a bool array that is broadcast")
    call(node, op.ufunc, op, into)


def is_repeated_bool(arg: Any, node: Node) -> bool:
    """An array of bools whose elements stand in several places of the loop."""
    t, result = leaf_type(arg), node.outputs[0].type
    if not isinstance(t, ArrayType) or not isinstance(result, ArrayType) or t.dtype.kind != "b":
        return False
    still = any(step == 0 and n > 1 for step, n in zip(t.strides, t.shape, strict=True))
    return still or t.shape != result.shape


def call(node: Node, ufunc: np.ufunc, op: Op | None, into: Lowering) -> None:
    """The node is this ufunc on its arguments; `op` is its row, if it has one."""
    name = node.op.name
    if len(node.args) != ufunc.nin:
        raise CannotLower(f"{name} is called with arguments that no kernel takes")
    loop = loop_of(node, ufunc, op)
    if [v.type.dtype.char for v in node.outputs] != [d.char for d in loop.outs]:  # type: ignore[union-attr]
        raise CannotLower(f"{name} gives another dtype than its loop in NumPy")
    args = tuple(map(into.arg, node.args, loop.ins))
    if loop.code is not None:
        into.known[node.outputs[0]] = into.step(args, loop.outs[0], loop.code)
        return
    made = tuple(into.temp(dtype) for dtype in loop.outs)
    into.program.steps.append(BodyStep(args, made, None, loop.inner))
    into.known.update(zip(node.outputs, made, strict=True))


@dataclass(frozen=True, slots=True)
class StepCode:
    """What runs an operation: C, or a loop of NumPy's."""

    ins: tuple[np.dtype[Any], ...]
    outs: tuple[np.dtype[Any], ...]
    code: CExpression | None
    inner: Inner | None


def loop_of(node: Node, ufunc: np.ufunc, op: Op | None) -> StepCode:
    types = tuple([leaf_type(arg) for arg in node.args])
    arrays = any(isinstance(t, ArrayType) for t in types)
    if node.kwargs or not arrays or any(isinstance(t, ObjectType) for t in types):
        found = [operand(arg) for arg in node.args]
        return loop_on(ufunc, op, found, node.kwargs.get("dtype"))
    chars = "".join([t.dtype.char for t in types])  # type: ignore[union-attr]
    return loop_on_types(ufunc, op, types, chars)


@lru_cache(maxsize=ANSWERS)
def loop_on_types(
    ufunc: np.ufunc, op: Op | None, types: tuple[ArrayType | ScalarType, ...], chars: str
) -> StepCode:
    """Beside an array values do not matter. Equal dtypes may be of two chars."""
    return loop_on(ufunc, op, [Operand(t) for t in types])


def loop_on(
    ufunc: np.ufunc, op: Op | None, found: list[Operand | None], dtype: Any = None
) -> StepCode:
    name = ufunc.__name__
    if any(one is None for one in found):
        raise CannotLower(f"{name} is called with an argument that no kernel takes")
    dtypes = result_dtypes(ufunc, found, dtype)  # type: ignore[arg-type]
    if dtypes is None or not all(map(is_native, dtypes)):
        raise CannotLower(f"{name} is called with another dtype than its operands have")
    ins, outs = dtypes[: ufunc.nin], dtypes[ufunc.nin :]
    code = expression(op, ins) if op is not None and len(outs) == 1 else None
    inner = None if code else inner_loop(ufunc, "".join(d.char for d in dtypes))
    if inner is None and not code:
        raise CannotLower(f"{name} of {dtypes} has no loop in NumPy that a kernel may call")
    return StepCode(ins, outs, code, inner)


def expression(op: Op, ins: tuple[np.dtype[Any], ...]) -> CExpression | None:
    """The row's C for these operands; None where NumPy's loop must or should do it."""
    first = ins[0]
    if op.c is None or first.char == "e" or any(d.char != first.char for d in ins):
        return None
    if op.name in LOOPS_ARE_FASTER and first.kind == "f":
        return None
    row = op.c.get(first.kind)
    return row and row.of(T=c_type(first), U=unsigned(first), S="f" if first.char == "f" else "")


def lower_where(node: Node, into: Lowering) -> None:
    """Bits are selected by a mask: no branch may hide the flags of either side."""
    if len(node.args) != 3 or node.kwargs:
        raise CannotLower("where is called with arguments that no kernel takes")
    dtype = result_type(node)
    condition = into.arg(node.args[0], np.dtype(bool))
    args = (condition, into.arg(node.args[1], dtype), into.arg(node.args[2], dtype))
    into.known[node.outputs[0]] = into.step(args, dtype, select_code(dtype))


def select_code(dtype: np.dtype[Any]) -> CExpression:
    return CExpression(f"rt_select_{c_type(dtype)}({{0}} != 0, {{1}}, {{2}})", CKind.SELECTS)


def lower_astype(node: Node, into: Lowering) -> None:
    """A new array; one that astype gives back as it is has no output here."""
    if not node.args:
        raise CannotLower("astype is called with arguments that no kernel takes")
    dtype = result_type(node)
    var = into.arg(node.args[0], dtype)
    into.known[node.outputs[0]] = into.step((var,), dtype, COPY)


def lower_clip(node: Node, into: Lowering) -> None:
    """With both bounds np.clip is a ufunc, too."""
    if node.kwargs:
        raise CannotLower("clip is called with arguments that no kernel takes")
    call(node, umath.clip, None, into)


RATIO = CExpression("({0} / {1})", slow=True)


def lower_ratio(node: Node, into: Lowering) -> None:
    """Where what is divided by is 0, it is an error."""
    dtype = result_type(node)
    args = (into.arg(node.args[0], dtype), into.arg(node.args[1], dtype))
    into.known[node.outputs[0]] = into.step(args, dtype, RATIO, "{1} != 0")


def result_type(node: Node) -> np.dtype[Any]:
    t = node.outputs[0].type if len(node.outputs) == 1 else None
    if not isinstance(t, ArrayType) or not is_native(t.dtype):
        raise CannotLower(f"{node.op.name} gives {t}, which no kernel makes of it")
    return t.dtype


SPECIAL = {
    "where": lower_where,
    "astype": lower_astype,
    "ndarray.astype": lower_astype,
    "clip": lower_clip,
    "ndarray.clip": lower_clip,
    "ratio": lower_ratio,
    "piece": lower_astype,
}
