"""Arrays -> views of them. NumPy itself is asked, on phantoms: making a view reads no memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import replace
from jitcore.ir.infer.by_dummy import probed
from jitcore.ir.infer.by_sample import only_operands
from jitcore.ir.op import Args, Effect, Inferred, Kwargs, Op, leaf_type
from jitcore.ir.strided import phantom
from jitcore.ir.types import UNKNOWN, ArrayType, fresh, type_of
from jitcore.ir.value import Value, leaves


def infer_view(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """The rule of functions that always make a view of their first argument."""
    viewed = _viewed(op, args, kwargs)
    t = None if viewed is None else type_of(viewed[1])
    return t if isinstance(t, ArrayType) else None


def same_view(op: Op, args: Args, kwargs: Kwargs) -> Any:
    """The first argument, where NumPy gives back the very array."""
    viewed = _viewed(op, args, kwargs)
    return args[0] if viewed is not None and viewed[0] is viewed[1] else None


def _viewed(op: Op, args: Args, kwargs: Kwargs) -> tuple[Any, Any] | None:
    t = _array(args)
    # Whether a view of misaligned memory is aligned depends on its address.
    if t is None or op.target is None or not t.aligned or _has_values(args[1:], kwargs):
        return None
    array = phantom(t)
    return array, op.target(array, *args[1:], **kwargs)


# ---------------------------------------------------------------- reshape


def infer_reshape(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """A view if the layout allows one, else a copy in the order asked for."""
    t = _array(args)
    if t is None or not t.aligned or _has_values(args[1:], kwargs):
        return None
    form = {name: value for name, value in kwargs.items() if name != "copy"}
    copy = kwargs.get("copy")
    if not form.keys() <= {"shape", "order"} or type(copy) not in (bool, type(None)):
        return None
    assert op.target is not None
    hollow: Any = np.ndarray(t.shape, _NOTHING)
    shape = op.target(hollow, *args[1:], **form).shape
    copied = fresh(t.dtype, shape, _order(t, form.get("order", "C")))
    if copy is True:
        return copied
    try:
        return type_of(op.target(phantom(t), *args[1:], copy=False, **form))
    except ValueError:
        return copied if copy is None else None


# An array of these has no memory to read.
_NOTHING = np.dtype([])


def _order(t: ArrayType, order: Any) -> str:
    """The order that a copy is made in, C or F."""
    if order in ("A", "K"):
        return "F" if t.f_contiguous and not t.c_contiguous else "C"
    if order not in ("C", "F"):
        raise ValueError(f"order {order!r}")
    return str(order)


def infer_ravel(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """One dimension: a view of a contiguous array, else a copy."""
    order = kwargs.get("order", args[1] if len(args) > 1 else "C")
    t = _array(args)
    if t is None or order not in ("C", "F"):
        return None
    flat = fresh(t.dtype, (t.size,))
    if op.target is np.ndarray.flatten:
        return flat
    viewed = t.c_contiguous if order == "C" else t.f_contiguous
    if viewed and not t.aligned:
        return None
    return replace(flat, writeable=t.writeable or not viewed)


# ---------------------------------------------------------------- copies


def infer_copy(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """astype, copy, asarray...: the array itself or a copy of it."""
    if same_copy(op, args, kwargs) is not None:
        return leaf_type(args[0])
    call = _copying(op, args, kwargs)
    if call is None:
        return None
    t, dtype, order, _ = call
    return type_of(np.empty_like(phantom(t), dtype=dtype, order=order))


def same_copy(op: Op, args: Args, kwargs: Kwargs) -> Any:
    call = _copying(op, args, kwargs)
    if call is None:
        return None
    t, dtype, order, copy = call
    fits = {"C": t.c_contiguous, "F": t.f_contiguous, "K": True}
    fits["A"] = t.c_contiguous or t.f_contiguous
    # A release may give back an array that differs in the byte order's spelling only.
    same = dtype is t.dtype or (dtype == t.dtype and dtype.char == t.dtype.char)
    return args[0] if not copy and same and fits[order] else None


Copying = tuple[ArrayType, Any, Any, bool]

#   target            positional parameters after the array    dtype order  copy
COPIES: dict[Any, tuple[tuple[str, ...], str, bool]] = {
    np.ndarray.astype: (("dtype", "order", "casting", "subok", "copy"), "K", True),
    np.ndarray.copy: (("order",), "C", True),
    np.copy: (("order", "subok"), "K", True),
    np.array: (("dtype",), "K", True),
    np.asarray: (("dtype", "order"), "K", False),
    np.asanyarray: (("dtype", "order"), "K", False),
    np.ascontiguousarray: (("dtype",), "C", False),
    np.asfortranarray: (("dtype",), "F", False),
}
CONJUGATES = (np.ndarray.conj, np.ndarray.conjugate)  # of a real array, that array
MAY_COPY = (np.ravel, np.ndarray.ravel, np.einsum)
_AT_LEAST_1D = (np.ascontiguousarray, np.asfortranarray)
_COPY_WORDS = frozenset(("dtype", "order", "casting", "copy"))
_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")  # of others the values decide


def _copying(op: Op, args: Args, kwargs: Kwargs) -> Copying | None:
    """(type, new dtype, order, whether a copy is demanded); None if the call says more."""
    t = _array(args)
    names, order, copy = COPIES[op.target]
    given = dict(zip(names, args[1:], strict=False)) | dict(kwargs)
    if t is None or len(args) > 1 + len(names) or not given.keys() <= _COPY_WORDS:
        return None
    if _has_values((), given) or (op.target in _AT_LEAST_1D and not t.ndim):
        return None
    wanted, copying = given.get("dtype"), given.get("copy", copy)
    if op.target is np.ndarray.astype and wanted is None:
        return None
    dtype = t.dtype if wanted is None else np.dtype(wanted)
    if dtype.kind not in "biufc" or not t.numeric or type(copying) not in (bool, type(None)):
        return None
    casting = given.get("casting", "unsafe")
    if casting not in _CASTINGS or not np.can_cast(t.dtype, dtype, casting):
        return None
    order = given.get("order", order)
    return (t, dtype, order or "K", bool(copying)) if order in ("C", "F", "A", "K") else None


def infer_array(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """array, asarray...: of an array a copy or itself, of nested lists what a trial says."""
    if args and type(args[0]) in (list, tuple) and only_operands(op, args, kwargs):
        return probed(op, args, kwargs)
    return infer_copy(op, args, kwargs)


def effect_of_copy(op: Op, args: Args, kwargs: Kwargs) -> Effect:
    """Casting away imaginary parts emits a ComplexWarning; other casts raise flags at most."""
    call = _copying(op, args, kwargs)
    if call is None:
        plain = op.target is not np.ndarray.astype and args and type(args[0]) in (list, tuple)
        return Effect.FLAGS if plain and not kwargs and len(args) == 1 else Effect.LOUD
    t, dtype, _, _ = call
    if dtype == t.dtype:
        return Effect.SILENT
    return Effect.LOUD if t.dtype.kind == "c" and dtype.kind != "c" else Effect.FLAGS


# ---------------------------------------------------------------- shared


def _array(args: Args) -> ArrayType | None:
    t = leaf_type(args[0]) if args else UNKNOWN
    return t if isinstance(t, ArrayType) else None


def _has_values(args: Args, kwargs: Kwargs) -> bool:
    return any(type(leaf) is Value for leaf in leaves((args, dict(kwargs))))
