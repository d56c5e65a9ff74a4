"""a[...] and a[...] = x.

ints, slices, None, Ellipsis, field names    a view, or a NumPy scalar for a whole element
arrays and lists of ints among them          a gather, asked in miniature
masks                                        known at run time only
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.call_facts import ANSWERS
from jitcore.ir.infer.by_sample import asked
from jitcore.ir.op import Args, Inferred, Kwargs, Op, Unsupported, leaf_type
from jitcore.ir.strided import phantom, strided
from jitcore.ir.types import NONE, ArrayType, DynArrayType, ObjectType, ScalarType, type_of
from jitcore.ir.value import Value, leaves, map_tree


def infer_getitem(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    container, index = args
    t = leaf_type(container)
    if isinstance(t, DynArrayType) and len(_parts(index)) == t.ndim and _basic(index):
        return ScalarType(t.dtype)
    if not isinstance(t, ArrayType):
        raise Unsupported(f"item of {t}")
    if _basic(index):
        return _item_type(t, index)
    if any(_is_mask(leaf) for leaf in leaves(index)) or not _gathers(index):
        return None
    return _gathered(op, t, index, kwargs)


def _gathered(op: Op, t: ArrayType, index: Any, kwargs: Kwargs) -> Inferred:
    """NumPy takes the slices first, and so are they here: in miniature they would be others. Any
    int of the table's axis gives the same type."""
    parts = _parts(index)
    every = slice(None)
    before = tuple(
        p if type(p) is slice or p is Ellipsis else every for p in parts if p is not None
    )
    sliced = type_of(phantom(t)[before])
    assert isinstance(sliced, ArrayType)
    kinds = {slice: every, int: 0}
    rest = tuple(kinds.get(type(part), part) for part in parts)
    return asked(op, (Value(sliced), rest), kwargs)


def _parts(index: Any) -> tuple[Any, ...]:
    return index if type(index) is tuple else (index,)


def _basic(index: Any) -> bool:
    return all(_basic_part(part) for part in _parts(index))


def _basic_part(part: Any) -> bool:
    if part is None or part is Ellipsis or type(part) in (int, slice, str):
        return True
    t = leaf_type(part)
    return isinstance(t, ScalarType) and t.dtype.kind in "iu"


def _is_mask(leaf: Any) -> bool:
    t = leaf_type(leaf)
    return not isinstance(t, ObjectType) and t.dtype.kind == "b"


def _gathers(index: Any) -> bool:
    """Whether nothing but arrays of ints, and constants, are indices."""
    for part in _parts(index):
        t = leaf_type(part)
        if isinstance(t, ArrayType) and t.dtype.kind in "iu":
            continue
        if any(type(leaf) is Value for leaf in leaves(part)):
            return False
    return True


def copies(index: Any) -> bool:
    """Whether the index certainly gives a new array: no view of the container."""
    types = [leaf_type(part) for part in _parts(index)]
    return any(isinstance(t, ArrayType) and t.ndim and t.dtype.kind in "iu" for t in types)


Key = tuple[Any, ...]


def key_of(index: Any) -> Key | None:
    """A basic index as a thing to look up: slices as tuples, ints that vary as 0. None: there is
    more in it than ints, slices of them, None and an ellipsis."""
    found: list[Any] = []
    for part in _parts(index):
        if type(part) is slice:
            part = (part.start, part.stop, part.step)
            if not _WHOLE.issuperset(map(type, part)):
                return None
        elif type(part) is Value:
            part = 0
        elif type(part) is not int and part is not None and part is not Ellipsis:
            return None
        found.append(part)
    return tuple(found)


_WHOLE = frozenset((int, type(None)))


@dataclass(frozen=True, slots=True)
class IndexedItem:
    """What stands at an index, and how many bytes after the array's first element."""

    type: Inferred
    offset: int


@lru_cache(maxsize=ANSWERS)
def item(t: ArrayType, char: str, key: Key) -> IndexedItem:
    """Equal dtypes may be of two chars."""
    index = tuple(slice(*part) if type(part) is tuple else part for part in key)
    array = phantom(t)
    view = array[index if Ellipsis in index else (*index, ...)]
    return IndexedItem(_view(t, index), address(view) - address(array))


def address(array: np.ndarray[Any, Any]) -> int:
    start: int = array.__array_interface__["data"][0]
    return start


def _item_type(t: ArrayType, index: Any) -> Inferred:
    key = key_of(index) if t.aligned else None
    return _view(t, index) if key is None else item(t, t.dtype.char, key).type


def _view(t: ArrayType, index: Any) -> Inferred:
    if not t.aligned:
        return None
    if _varying_slices(index):
        return None
    known = map_tree(_index_constant, index)
    # All elements of `point` are its one element: reading it is safe, and NumPy checks the bounds.
    point = strided(np.zeros((), t.dtype), t.shape, (0,) * t.ndim, t.writeable)
    found = point[known]
    if type(found) is not np.ndarray:
        scalar = type_of(found)
        return scalar if isinstance(scalar, ScalarType) else None
    viewed = type_of(phantom(t)[known])
    return viewed if isinstance(viewed, ArrayType) else None


def _index_constant(leaf: Any) -> Any:
    """An int that is known at run time only stands for any: all give views of the same type."""
    return 0 if type(leaf) is Value else leaf


def _varying_slices(index: Any) -> bool:
    slices = [part for part in _parts(index) if type(part) is slice]
    return any(type(leaf) is Value for leaf in leaves(slices))


def infer_setitem(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """None is what a store gives back; the container must be an array that may be written."""
    container, _, _ = args
    t = leaf_type(container)
    if isinstance(t, DynArrayType):
        return NONE
    if not isinstance(t, ArrayType):
        raise Unsupported(f"item of {t}")
    if not t.writeable:
        raise Unsupported("assignment destination is read-only")
    return NONE
