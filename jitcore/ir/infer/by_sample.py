"""Arguments -> the type of the result, by running the real function on small arrays of their kind.

    f8[200,1,3000]{8,8,1600} -> f8[5,1,7]{8,8,40} -> np.sum(..., axis=0) -> f8[1,7] -> f8[1,3000]

Each length above 1 has a code, a small prime; the order of the strides, their signs, zeros and the
contiguity stay. A result whose lengths are codes is scaled back, its memory dense in the order of
the small one. For functions that neither count nor compare lengths, and whose result type does
not depend on contents: a row asks for this by name, and tests compare with NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from jitcore.ir.infer.by_dummy import probed
from jitcore.ir.strided import strided
from jitcore.ir.types import ArrayType, ObjectType, ScalarType, Shape, Type, fresh, type_of
from jitcore.ir.value import Value, leaves, map_tree

if TYPE_CHECKING:
    from jitcore.ir.op import Args, Inferred, Kwargs, Op

_CODES = (5, 7, 11, 13, 17, 19)
_MAX_ELEMENTS = 1 << 15

Codes = dict[int, int]


def asked(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """The rule of most rows: in miniature, or else at full size if that is small."""
    if op.effect_of(args, kwargs) > 1 or not only_operands(op, args, kwargs):
        return None
    return in_miniature(op, args, kwargs) or probed(op, args, kwargs)


def trial(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """The rule of functions that reckon with lengths: full size only."""
    return probed(op, args, kwargs) if only_operands(op, args, kwargs) else None


def only_operands(op: Op, args: Args, kwargs: Kwargs) -> bool:
    """Values must be operands: of a shape, an axis or a count only a constant tells the result."""
    if any(type(leaf) is Value for leaf in leaves((args[op.operands :], kwargs))):
        return False
    return not any(_unbounded(leaf) for leaf in leaves(args[: op.operands]))


def _unbounded(leaf: Any) -> bool:
    """A Python int whose value decides between int64, uint64 and object."""
    t = leaf.type if type(leaf) is Value else None
    return isinstance(t, ScalarType) and t.python and t.dtype.kind == "i"


def in_miniature(op: Op, args: Args, kwargs: Kwargs, contents: str = "zeros") -> Inferred:
    codes = _codes(args)
    if op.target is None or codes is None:
        return None
    small = _small_call(op.target, args, kwargs, codes, contents)
    if type(small) is tuple:
        types = [_scaled(codes, one) for one in small]
        return None if None in types else tuple(t for t in types if t is not None)
    return None if small is None else _scaled(codes, small)


def _small_call(target: Any, args: Args, kwargs: Kwargs, codes: Codes, contents: str) -> Any:
    """What the function gives; None if it refuses: a constant may fit the large arrays only."""
    dummies = map_tree(partial(_small_leaf, codes, contents), args)
    if sum(leaf.size for leaf in leaves(dummies) if type(leaf) is np.ndarray) > _MAX_ELEMENTS:
        return None
    try:
        with np.errstate(all="ignore"):
            return target(*dummies, **kwargs)
    except (TypeError, ValueError, IndexError):
        return None


def _codes(args: Args) -> Codes | None:
    """length -> code; None if the arguments are not for this. Lengths of constants stay."""
    lengths: set[int] = set()
    constant: set[int] = set()
    for leaf in leaves(args):
        t = leaf.type if type(leaf) is Value else type_of(leaf)
        if isinstance(t, ObjectType) and type(leaf) is Value:
            return None
        if isinstance(t, ArrayType):
            if not t.numeric:
                return None
            (lengths if type(leaf) is Value else constant).update(t.shape)
    lists = [arg for arg in args if type(arg) in (list, tuple)]
    constant.update(len(one) for one in lists if all(type(x) is not Value for x in leaves(one)))
    lengths -= {0, 1}
    free = [code for code in _CODES if code not in constant]
    if len(lengths) > len(free) or lengths & constant:
        return None
    return dict(zip(sorted(lengths), free, strict=False)) | {n: n for n in constant if n > 1}


def _small_leaf(codes: Codes, contents: str, leaf: Any) -> Any:
    if type(leaf) is not Value:
        return leaf
    t = leaf.type
    if isinstance(t, ScalarType):
        return t.pytype(0) if t.python else t.dtype.type(0)
    assert isinstance(t, ArrayType)
    array = _small_array(t, tuple(codes.get(dim, dim) for dim in t.shape))
    if contents == "eye":
        array[...] = np.eye(*array.shape[-2:]) if array.ndim > 1 else 1
    if not t.writeable:
        array.flags.writeable = False
    return array


def _small_array(t: ArrayType, shape: Shape) -> np.ndarray[Any, Any]:
    """An array of zeros whose layout is to `shape` as t's is to its own."""
    if t.c_contiguous or t.f_contiguous:
        return np.zeros(shape, t.dtype, order="C" if t.c_contiguous else "F")
    strides, size = _spread(t, shape)
    memory = np.zeros(2 * size + 2, t.dtype).view(np.uint8)
    shift = 0 if t.aligned else 1
    cell = np.ndarray((), t.dtype, memory, size * t.dtype.itemsize + shift)
    return strided(cell, shape, strides)


def _spread(t: ArrayType, shape: Shape) -> tuple[Shape, int]:
    """Strides in t's order, with gaps between the axes; equal ones stay equal, zeros zero."""
    step, elements = 2 * t.dtype.itemsize, 2
    new: dict[int, int] = {0: 0}
    for size in sorted({abs(stride) for stride in t.strides} - {0}):
        new[size] = step
        longest = max(
            dim for dim, stride in zip(shape, t.strides, strict=True) if abs(stride) == size
        )
        step *= 2 * max(longest, 1)
        elements *= 2 * max(longest, 1)
    signed = tuple(new[abs(stride)] * (1 if stride >= 0 else -1) for stride in t.strides)
    return signed, elements * max(1, len(shape))


def asked_shape(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """The rule of functions that join, repeat or move whole elements.

    The shape is that of the same call on elements of no size; the miniature tells the rest.
    """
    if op.effect_of(args, kwargs) > 1 or not only_operands(op, args, kwargs):
        return None
    codes = _codes(args)
    if op.target is None or codes is None:
        return None
    words = {key: word for key, word in kwargs.items() if key not in ("dtype", "casting")}
    shape = _shape_of(op.target, args, words)
    few = args if op.name != "tile" else (*args[:1], *map_tree(_fewer, args[1:]))
    less = {key: map_tree(_fewer, word) if key == "reps" else word for key, word in kwargs.items()}
    small = type_of(_small_call(op.target, few, less, codes, "zeros"))
    if not isinstance(small, ArrayType) or small.ndim != len(shape) or not small.writeable:
        return None
    if any(min(a, 2) != min(b, 2) for a, b in zip(shape, small.shape, strict=True)):
        return None
    strides = packed(small, shape)
    return None if strides is None else ArrayType(small.dtype, shape, strides)


_FEW = 3


def _fewer(leaf: Any) -> Any:
    """Of a number of copies: as many as matter."""
    return min(leaf, _FEW) if type(leaf) is int else leaf


def asked_repeated(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """np.repeat: asked with few copies, which NumPy makes one by one even of nothing."""
    given = dict(zip(("a", "repeats", "axis"), args, strict=False)) | dict(kwargs)
    count, axis, t = given.get("repeats"), given.get("axis"), getattr(args[0], "type", None)
    if type(count) is not int or count <= _FEW or not isinstance(t, ArrayType):
        return asked_shape(op, args, kwargs)
    by_place = tuple(_FEW if k == 1 else arg for k, arg in enumerate(args))
    words = {key: _FEW if key == "repeats" else word for key, word in kwargs.items()}
    small = asked_shape(op, by_place, words)
    if not isinstance(small, ArrayType) or small != fresh(small.dtype, small.shape):
        return None
    if axis is None:
        return fresh(small.dtype, (t.size * count,))
    at = axis % t.ndim  # a number: else NumPy has refused it
    return fresh(small.dtype, (*t.shape[:at], t.shape[at] * count, *t.shape[at + 1 :]))


_NOTHING = np.dtype([])
_LONG = 16  # of lengths that are left as they are, so that none is as one that is not


def _shape_of(target: Any, args: Args, words: Kwargs) -> Shape:
    """Even elements of no size are moved one by one: of many NumPy is asked at fewer."""

    def at(lengths: Mapping[int, int]) -> Shape:
        found: Shape = target(*map_tree(partial(_hollow, lengths), args), **words).shape
        return found

    shapes = [shape for shape in map(_shape, leaves(args)) if shape is not None]
    long = sorted({n for shape in shapes for n in shape if n > _LONG})
    many = sum(map(prod, shapes)) > _MAX_ELEMENTS
    return (_linear(at, long) if many else None) or at({})


def _linear(at: Callable[[Mapping[int, int]], Shape], long: Sequence[int]) -> Shape | None:
    """The shape for these lengths, which is so many times each of them, and so many more. None:
    it is something else."""
    few = {n: _LONG + 3 * (k + 1) for k, n in enumerate(long)}
    try:
        base, beside = at(few), at({n: m + 2 for n, m in few.items()})
        ones = {n: at({**few, n: few[n] + 1}) for n in long}
    except (TypeError, ValueError):
        return None

    def shape(lengths: Mapping[int, int]) -> Shape:
        return tuple(
            was + sum((ones[n][axis] - was) * (lengths[n] - few[n]) for n in long)
            for axis, was in enumerate(base)
        )

    tried = shape({n: m + 2 for n, m in few.items()})
    return shape({n: n for n in long}) if tried == beside else None


def _shape(leaf: Any) -> Shape | None:
    t = leaf.type if type(leaf) is Value else type_of(leaf)
    if isinstance(t, ArrayType) or (type(leaf) is Value and isinstance(t, ScalarType)):
        return t.shape
    return None


def _hollow(lengths: Mapping[int, int], leaf: Any) -> Any:
    shape = _shape(leaf)
    return leaf if shape is None else np.ndarray([lengths.get(n, n) for n in shape], _NOTHING)


def _scaled(codes: Codes, small: Any) -> Type | None:
    t = type_of(small)
    if not isinstance(t, ArrayType):
        return None if isinstance(t, ObjectType) else t
    lengths = {code: length for length, code in codes.items()}
    if any(dim > 1 and dim not in lengths for dim in t.shape) or not t.aligned or not t.writeable:
        return None
    shape = tuple(lengths.get(dim, dim) for dim in t.shape)
    strides = packed(t, shape)
    return None if strides is None else ArrayType(t.dtype, shape, strides)


def packed(t: ArrayType, shape: Shape) -> Shape | None:
    """Strides of a dense array of this shape with its axes in t's order; None if t is not dense."""
    if 0 in shape:
        return np.empty(shape, t.dtype).strides
    order = sorted(range(t.ndim), key=lambda i: (t.strides[i], t.shape[i] > 1, -i))
    step, small_step = t.dtype.itemsize, t.dtype.itemsize
    strides = [0] * t.ndim
    for axis in order:
        if t.strides[axis] != small_step:
            return None
        strides[axis] = step
        step *= shape[axis]
        small_step *= t.shape[axis]
    return tuple(strides)
