"""Operands -> the type of an elementwise result. NumPy is asked for dtype, shape and layout.

dtype    ufunc.resolve_dtypes, Python numbers as weak scalars (NEP 50)
shape    as np.broadcast_shapes
layout   the iterator that the ufunc would make (order "K"), on phantoms
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from jitcore.ir.call_facts import ANSWERS
from jitcore.ir.op import Args, Inferred, Kwargs, Op, Operand, Unsupported, operand
from jitcore.ir.strided import broadcast, phantom
from jitcore.ir.types import ArrayType, ScalarType, Shape, Type, fresh, standard_strides

DType = np.dtype[Any]

# Beyond this many elements the iterator's allocation is not worth asking for.
_MAX_ELEMENTS = 1 << 40


def infer_map(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """The rule of ufunc calls."""
    ufunc = op.ufunc
    assert ufunc is not None
    if not set(kwargs) <= {"dtype"}:
        return None
    found = operands(args[: ufunc.nin])
    if found is None or len(found) != ufunc.nin:
        return None
    return map_types(ufunc, found, kwargs.get("dtype"))


def operands(args: Args) -> list[Operand] | None:
    found = []
    for arg in args:
        one = operand(arg)
        if one is None:
            return None
        found.append(one)
    return found


def map_types(ufunc: np.ufunc, found: list[Operand], dtype: Any = None) -> Inferred:
    dtypes = result_dtypes(ufunc, found, dtype)
    if dtypes is None:
        return None
    inputs, results = dtypes[: ufunc.nin], dtypes[ufunc.nin :]
    if any(one.hasobject for one in dtypes):
        raise Unsupported(f"{ufunc.__name__}: works on Python objects")
    types = [map_result(found, inputs, one, ufunc.nout == 1) for one in results]
    return types[0] if len(types) == 1 else tuple(types)


def result_dtypes(
    ufunc: np.ufunc, found: list[Operand], dtype: Any = None
) -> tuple[DType, ...] | None:
    """The dtypes of the inner loop, inputs then outputs; None: a Python int decides."""
    asked = tuple([one.promotes_as for one in found])
    if dtype is not None:
        signature: Any = (None,) * ufunc.nin + (np.dtype(dtype),) * ufunc.nout
        blank = (None,) * ufunc.nout
        resolved: tuple[DType, ...] = ufunc.resolve_dtypes((*asked, *blank), signature=signature)
        return resolved
    dtypes = _resolved(ufunc, asked, "".join([one.type.dtype.char for one in found]))
    return dtypes if _settled(found, dtypes[ufunc.nin]) else None


@lru_cache(maxsize=ANSWERS)
def _resolved(ufunc: np.ufunc, asked: tuple[Any, ...], chars: str) -> tuple[DType, ...]:
    resolved: tuple[DType, ...] = ufunc.resolve_dtypes((*asked, *(None,) * ufunc.nout))
    return resolved


def _settled(found: list[Operand], result: DType) -> bool:
    """Whether the dtypes are right for every value of the Python ints.

    If all operands are Python numbers, ints from 2**63 on are uint64 or objects to NumPy.
    """
    if any(not one.weak for one in found):
        return True
    ints = [one for one in found if one.type.dtype.kind == "i"]
    if all(one.value is not None and abs(one.value) < 1 << 62 for one in ints):
        return True
    return len(found) == 1 and result.kind not in "iu"


def map_result(
    found: Sequence[Operand], inputs: Sequence[DType], dtype: DType, single: bool = True
) -> Type:
    """An array, or a NumPy scalar where no operand has a dimension."""
    arrays = [one.type for one in found if isinstance(one.type, ArrayType) and one.type.shape]
    if not arrays:
        return ScalarType(dtype)
    shape = broadcast(*(t.shape for t in arrays))
    if single and _trivial(found, inputs, shape):
        order = "F" if not all(t.c_contiguous for t in arrays) else "C"
        return fresh(dtype, shape, order)
    return ArrayType(dtype, shape, _iterated(arrays, dtype, shape))


def _trivial(found: Sequence[Operand], inputs: Sequence[DType], shape: Shape) -> bool:
    """Whether the ufunc takes the path without an iterator (try_trivial_single_output_loop)."""
    c_order = f_order = True
    for one, dtype in zip(found, inputs, strict=True):
        t = one.type
        if isinstance(t, ScalarType) or not t.shape:
            continue
        if t.shape != shape or t.dtype != dtype or not t.aligned:
            return False
        if t.ndim > 1:
            c_order, f_order = c_order and t.c_contiguous, f_order and t.f_contiguous
    return c_order or f_order


def _iterated(arrays: Sequence[ArrayType], dtype: DType, shape: Shape) -> Shape:
    if len(shape) == 1:
        return standard_strides(dtype, shape)
    return iterator_strides(arrays, dtype, shape)


def iterator_strides(arrays: Sequence[ArrayType], dtype: DType, shape: Shape) -> Shape:
    """The strides that NumPy's iterator gives to an output that it allocates."""
    if np.prod(shape, dtype=object) * dtype.itemsize > _MAX_ELEMENTS:
        raise MemoryError(f"array of shape {shape}")
    op_flags: Any = [["readonly"]] * len(arrays) + [["writeonly", "allocate", "no_broadcast"]]
    made = np.nditer(
        [*map(phantom, arrays), None],
        flags=["zerosize_ok", "external_loop", "buffered", "grow_inner", "delay_bufalloc"],
        op_flags=op_flags,
        op_dtypes=[*([None] * len(arrays)), dtype],
        casting="unsafe",
        order="K",
    )
    allocated = made.operands[-1]
    return tuple(allocated.strides)
