"""One reduction of the whole or of some axes → the last step of a program, and its fold.

    x: f64[4,5]   sum over axis 1   →   v = x          fold: f64[4,1] from 0 by {0} + {1}
    x: f64[4,5]   max               →   v = key(x)     fold: i64[1,1] from LEAST by {0} > {1} ? ...

`CannotLower` says that the reduction stays a NumPy call. NumPy walks an array in the order of its
memory, so that order decides which elements are summed first (emit/reductions.py). Of arrays
with gaps only what any order gives is taken: the largest, sums of integers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.c_expression import COPY, CExpression, CKind
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.ir.op import Kind, leaf_type
from jitcore.ir.types import ArrayType, ScalarType, Shape
from jitcore.kernels.body import BlockHelper, BodyStep, Reduction
from jitcore.kernels.casts import TRUTH
from jitcore.kernels.lower import Lowering, signature
from jitcore.toolchain.abi import ARRAY, Signature, c_type, is_native, unsigned
from jitcore.toolchain.literals import literal


@dataclass(frozen=True, slots=True)
class ReduceRow:
    """How elements of some kind are reduced. {T}: the C type, {U}: its unsigned sister, {F}: that
    of an element."""

    kinds: str  # dtype kinds of what is reduced
    results: str  # those of the result; a float's is of its own type
    start: str  # LEAST and MOST are those of the type
    combine: str  # of the result so far {0} and an element {1}
    finish: CExpression | None = None  # of the result {0}, so many elements {1}, a divisor {2}
    key: CExpression = COPY  # an integer that is combined in an element's stead
    block: str = ""  # a C function that does a chunk of elements
    helper: BlockHelper | None = None
    doubtful: bool = False  # `finish` may leave it to NumPy
    in_order: bool = False
    pairwise: bool = False


ADD, TIMES = "({T})(({U}){0} + ({U}){1})", "({T})(({U}){0} * ({U}){1})"
MORE, LESS = "({0} > {1} ? {0} : {1})", "({0} < {1} ? {0} : {1})"

SUM = (
    ReduceRow("f", "f", "0", ADD, in_order=True, pairwise=True),
    ReduceRow("biu", "iu", "0", ADD),
)


def pairwise(finish: CExpression) -> tuple[ReduceRow]:
    """Of floats: their sum, and what becomes of it."""
    return (ReduceRow("f", "f", "0", ADD, finish, in_order=True, pairwise=True),)


def extreme(name: str, turned: int) -> ReduceRow:
    """Of floats, by keys."""
    finish = CExpression(f"rt_unkey_{{F}}({{0}}, {turned}, &status)")
    key = CExpression(f"rt_key_{{F}}({{0}}, {turned})", CKind.ORDERS)
    block, helper = f"rt_{name}_{{F}}", BlockHelper.EXTREMES
    return ReduceRow("f", "f", "LEAST", MORE, finish, key, block, helper, doubtful=True)


def truth(start: str, combine: str, name: str) -> tuple[ReduceRow]:
    block, helper = f"rt_{name}_{{F}}", BlockHelper.TRUTH
    return (ReduceRow("biuf", "b", start, combine, key=TRUTH, block=block, helper=helper),)


MEAN = pairwise(CExpression("({T})((f64){0} / (f64){1})", slow=True))
PROD = (ReduceRow("f", "f", "1", TIMES, in_order=True), ReduceRow("biu", "iu", "1", TIMES))
# Which of two zeros comes out depends on NumPy's vector code: rt_unkey leaves it to NumPy.
MAX = (extreme("max", 0), ReduceRow("iu", "iu", "LEAST", MORE))
MIN = (extreme("min", 1), ReduceRow("iu", "iu", "MOST", LESS))
ANY = truth("0", "({0} | {1})", "any")
COUNT = (ReduceRow("biuf", "i", "0", ADD, key=TRUTH),)
ALL = truth("1", "({0} & {1})", "all")

DIVIDED, ROOT_OF = "({T})((f64){0} / (f64){2})", "__builtin_sqrt{S}"
VARIANCE = pairwise(CExpression(DIVIDED, slow=True))
DEVIATION = pairwise(CExpression(f"{ROOT_OF}({DIVIDED})", calls="sqrt{S}", slow=True))
ROOT = pairwise(CExpression(f"{ROOT_OF}({{0}})", calls="sqrt{S}", slow=True))

LONG, SHORT = ("axis", "dtype", "out", "keepdims"), ("axis", "out", "keepdims")
PARTED = ("axis", "keepdims", "divisor")
Form = tuple[
    tuple[ReduceRow, ...], tuple[str, ...], Any
]  # rows, arguments by position, axis if not said
FORMS: dict[str, Form] = {
    **dict.fromkeys(("sum", "ndarray.sum"), (SUM, LONG, None)),
    **dict.fromkeys(("mean", "ndarray.mean"), (MEAN, LONG, None)),
    **dict.fromkeys(("prod", "ndarray.prod"), (PROD, LONG, None)),
    **dict.fromkeys(("max", "amax", "ndarray.max"), (MAX, SHORT, None)),
    **dict.fromkeys(("min", "amin", "ndarray.min"), (MIN, SHORT, None)),
    **dict.fromkeys(("any", "ndarray.any"), (ANY, SHORT, None)),
    **dict.fromkeys(("all", "ndarray.all"), (ALL, SHORT, None)),
    "variance": (VARIANCE, PARTED, None),
    "deviation": (DEVIATION, PARTED, None),
    "root": (ROOT, ("axis", "keepdims"), None),
    "add.reduce": (SUM, LONG, 0),
    "multiply.reduce": (PROD, LONG, 0),
    "maximum.reduce": (MAX, LONG, 0),
    "minimum.reduce": (MIN, LONG, 0),
    "logical_or.reduce": (ANY, LONG, 0),
    "logical_and.reduce": (ALL, LONG, 0),
    "count_nonzero": (COUNT, ("axis", "keepdims"), None),
    **dict.fromkeys(("argmax", "argmin", "ndarray.argmax", "ndarray.argmin"), ((), SHORT, None)),
}


def is_reduction(node: Node) -> bool:
    return node.op.kind is Kind.REDUCE


def reduced(node: Node) -> ArrayType:
    """The type of what the node reduces."""
    t = leaf_type(node.args[0]) if node.args else None
    if node.op.name not in FORMS or not isinstance(t, ArrayType):
        raise CannotLower(f"{node.op.name} of {t}")
    return t


def row_for(node: Node, t: ArrayType) -> ReduceRow:
    rows, _, _ = FORMS[node.op.name]
    for row in rows:
        if t.dtype.kind in row.kinds and t.dtype.char != "e":
            return row
    raise CannotLower(f"{node.op.name} of {t}")


def lower_reduction(node: Node, into: Lowering) -> None:
    """Append the element as a step of its own, and what becomes of it."""
    t = reduced(node)
    row = row_for(node, t)
    axes, asked_dtype = asked(node, t)
    result = result_signature(node, t, row, asked_dtype)
    if not suits(row, t) or all(t.shape[axis] == 1 for axis in axes):
        raise CannotLower(f"{node.op.name} of {t} over the axes {axes}")
    keyed = row.key.kind is CKind.ORDERS
    dtype = np.dtype(f"i{result.dtype.itemsize}") if keyed else result.dtype
    raw = result.dtype if row.key is COPY else t.dtype
    element, total = into.arg(node.args[0], raw), into.temp(dtype)
    into.program.steps.append(BodyStep((element,), (total,), row.key.of(F=c_type(raw))))
    into.known[node.outputs[0]] = total
    into.program.folds[total] = Reduction(
        result=result,
        dtype=dtype,
        laid=Signature(ARRAY, result.dtype, *laid_out(t.shape, axes, result)),
        order=Signature(ARRAY, t.dtype, t.shape, t.strides),
        start=start_of(row, dtype),
        combine=CExpression(row.combine).of(**types_of(dtype)).text,
        finish=row.finish and row.finish.of(**types_of(dtype), **finished(result.dtype)),
        in_order=row.in_order,
        pairwise=row.pairwise,
        block=row.block.format(F=c_type(raw)),
        raw=raw,
        helper=row.helper,
        divisor=divided(node, into.program.number),
        doubtful=row.doubtful,
    )


def finished(dtype: np.dtype[Any]) -> dict[str, str]:
    """Words for what becomes of a result of this type."""
    return {"F": c_type(dtype), "S": "f" if dtype.char == "f" else ""}


def divided(node: Node, whole: Callable[[int], str]) -> str:
    """C of what the sum is divided by, if that is said; `whole`: of an integer."""
    divisor = node.kwargs.get("divisor")
    if divisor is None:
        return ""
    return whole(int(divisor)) if divisor.dtype.kind == "i" else literal(divisor)


def asked(node: Node, t: ArrayType) -> tuple[tuple[int, ...], Any]:
    """The axes that are reduced, and the dtype that is asked for."""
    _, by_position, axis = FORMS[node.op.name]
    words = dict(zip(by_position, node.args[1:], strict=False)) | node.kwargs
    if len(node.args) > 1 + len(by_position) or not words.keys() <= set(by_position):
        raise CannotLower(f"{node.op.name} is called with arguments that no kernel takes")
    if words.get("out") is not None or type(words.get("keepdims", False)) is not bool:
        raise CannotLower(f"{node.op.name} is called with arguments that no kernel takes")
    axis = words.get("axis", axis)
    axes = range(t.ndim) if axis is None else axis if type(axis) is tuple else (axis,)
    if not all(type(one) is int and -t.ndim <= one < t.ndim for one in axes):
        raise CannotLower(f"{node.op.name} has axis={axis!r}, which is no axis of the array")
    return tuple(sorted({one % t.ndim for one in axes})), words.get("dtype")


def result_signature(node: Node, t: ArrayType, row: ReduceRow, asked_dtype: Any) -> Signature:
    """Floats are reduced in their own type: others NumPy casts in buffers, by another order."""
    found = node.outputs[0].type if len(node.outputs) == 1 else None
    if not isinstance(found, ArrayType | ScalarType) or not is_native(t.dtype):
        raise CannotLower(f"{node.op.name} gives {found}, which no kernel makes of it")
    if isinstance(found, ScalarType) and found.python:
        raise CannotLower(f"{node.op.name} gives {found}, which no kernel makes of it")
    own = row.results == "f" or row.start in ("LEAST", "MOST")
    if found.dtype.kind not in row.results or (own and found.dtype.char != t.dtype.char):
        raise CannotLower(f"{node.op.name} of {t} as {found.dtype}")
    if asked_dtype is not None and np.dtype(asked_dtype).char != found.dtype.char:
        raise CannotLower(f"{node.op.name} has dtype={asked_dtype}")
    if isinstance(found, ArrayType) and not is_dense(found):
        raise CannotLower(f"{node.op.name} gives {found}, which no kernel makes of it")
    return signature(found)


def suits(row: ReduceRow, t: ArrayType) -> bool:
    """Gaps change the order in which NumPy goes, and so the bits where that matters."""
    return is_dense(t) or (not row.in_order and is_apart(t))


def is_dense(t: ArrayType) -> bool:
    """No gaps, no repetitions, nothing backwards: one run of memory in some order of the axes."""
    step = t.dtype.itemsize
    for stride, extent in moving(t):
        if stride != step:
            return False
        step *= extent
    return True


def is_apart(t: ArrayType) -> bool:
    """The same, but for gaps."""
    reach = t.dtype.itemsize
    for stride, extent in moving(t):
        if stride < reach:
            return False
        reach += stride * (extent - 1)
    return True


def moving(t: ArrayType) -> list[tuple[int, int]]:
    """Strides and extents, innermost first."""
    return sorted(one for one in zip(t.strides, t.shape, strict=True) if one[1] != 1)


def laid_out(shape: Shape, axes: tuple[int, ...], result: Signature) -> tuple[Shape, Shape]:
    """Shape and strides of the result with each reduced axis as an axis of extent 1."""
    if len(result.shape) == len(shape):
        return result.shape, result.strides
    own = iter(zip(result.shape, result.strides, strict=True))
    pairs = [(1, 0) if axis in axes else next(own) for axis in range(len(shape))]
    return tuple(extent for extent, _ in pairs), tuple(stride for _, stride in pairs)


def start_of(row: ReduceRow, dtype: np.dtype[Any]) -> str:
    if row.start not in ("LEAST", "MOST"):
        return row.start
    limits = np.iinfo(dtype)
    return literal(dtype.type(limits.min if row.start == "LEAST" else limits.max))


def types_of(dtype: np.dtype[Any]) -> dict[str, str]:
    return {"T": c_type(dtype), "U": unsigned(dtype)}


def order_of(t: ArrayType) -> Shape:
    """The axes that have an extent, outermost in memory first."""
    return tuple(sorted((k for k in range(t.ndim) if t.shape[k] != 1), key=lambda k: -t.strides[k]))
