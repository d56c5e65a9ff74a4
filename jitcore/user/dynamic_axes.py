"""What users say of arrays' axes: which will vary, and which will not.

Arrays have no attributes, so marks are kept by identity, with a weak reference: a mark ends with
its array, and an address that is used again has none. Marks are looked at when something is
compiled, and decide what an entry is made for; the guards of an entry for many sizes turn away what
is to have one for each (`static_axes`, see csrc/guards/array_spec.c). So they change nothing but
the speed; but that NumPy does not resize an array in place that has weak references.
"""

from __future__ import annotations

import operator
import weakref
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from jitcore._C import static_axes
from jitcore.host.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Marks:
    dynamic: frozenset[int] = frozenset()
    static: frozenset[int] = frozenset()


NONE = Marks()
Ref = weakref.ref[Any]
Row = tuple[Ref, int, Marks, Ref]  # the number of axes: it may change; one for static_axes
by_id: dict[int, Row] = {}


def marks_of(array: Any) -> Marks:
    ref, ndim, marks, _ = by_id.get(id(array), (None, 0, NONE, None))
    known = ref is not None and ref() is array
    here: np.ndarray[Any, Any] = array
    return marks if known and here.ndim == ndim else NONE


def set_marks(array: Any, marks: Marks) -> None:
    key = id(array)

    known = weakref.ref(array, partial(by_id.pop, key))
    bits = weakref.ref(array, partial(static_axes.pop, key))
    by_id[key] = known, array.ndim, marks, bits
    static_axes[key] = array.ndim | sum(1 << 8 + axis for axis in marks.static)


def mark_dynamic(x: np.ndarray[Any, Any], axis: int | Iterable[int], /) -> None:
    """Say that the extent of an array along an axis will be another one in later calls.

    x     the very object that is given to compiled functions, or that they find in an attribute or
          a global; views and copies of it have no marks
    axis  one or several, negative ones from the end

    What is compiled with it from then on is compiled for all sizes of these axes at once, instead
    of waiting for a second size (as `jitcore.compile(fn, dynamic=True)` does for all axes). Where
    that has no form (extents of 0 and 1; code whose results depend on the size in another way) it
    is compiled for this size, as without. Results are the same either way; but NumPy's x.resize()
    refuses an array that has weak references, as one with marks has.

    TypeError if x is no array, IndexError for an axis that it does not have.
    """
    axes = axes_of(x, axis)
    before = marks_of(x)
    set_marks(x, Marks(before.dynamic | axes, before.static - axes))


def mark_static(x: np.ndarray[Any, Any], axis: int | Iterable[int] | None = None, /) -> None:
    """Say that the extent of an array along an axis is worth an entry for each size.

    x     as for mark_dynamic
    axis  one or several, negative ones from the end; None: all

    From then on calls with it have entries for the size that these axes have, also where there is
    one for many sizes: constants in the loops may be faster, and each size costs a compile, up to
    the limit for one place (`cache_limit` of jitcore.config). Results are the same.

    TypeError if x is no array, IndexError for an axis that it does not have.
    """
    axes = axes_of(x, range(x.ndim) if axis is None and isinstance(x, np.ndarray) else axis)
    before = marks_of(x)
    set_marks(x, Marks(before.dynamic - axes, before.static | axes))


def axes_of(x: Any, axis: Any) -> frozenset[int]:
    if not isinstance(x, np.ndarray):
        raise TypeError(f"an array is expected, not {type(x).__name__}")
    given = axis if isinstance(axis, Iterable) else (axis,)
    found = [operator.index(one) for one in given]
    for one in found:
        if not -x.ndim <= one < x.ndim:
            raise IndexError(f"axis {one} of an array with {x.ndim} axes")
    return frozenset(one % x.ndim for one in found)
