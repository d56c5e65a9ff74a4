"""Two results → the first difference in their bits, in words, or the empty string."""

from __future__ import annotations

from typing import Any

import numpy as np


def difference(eager: Any, other: Any, place: str = "result") -> str:
    """Types, dtypes, shapes, strides and bytes; containers item by item."""
    if type(eager) is not type(other):
        return f"{place}: {type(eager).__name__}, and {type(other).__name__}"
    match eager:
        case np.ndarray():
            return array_difference(eager, other, place)
        case np.generic():
            same = eager.dtype == other.dtype and eager.tobytes() == other.tobytes()
            return "" if same else f"{place}: {eager!r}, and {other!r}"
        case tuple() | list():
            if len(eager) != len(other):
                return f"{place}: {len(eager)} items, and {len(other)}"
            pairs = enumerate(zip(eager, other, strict=True))
            found = (difference(a, b, f"{place}[{k}]") for k, (a, b) in pairs)
            return next(filter(None, found), "")
    return "" if repr(eager) == repr(other) else f"{place}: {eager!r}, and {other!r}"


def array_difference(eager: Any, other: Any, place: str) -> str:
    for name in ("dtype", "shape", "strides"):
        a, b = getattr(eager, name), getattr(other, name)
        if a != b:
            return f"{place}.{name}: {a}, and {b}"
    if eager.tobytes() == other.tobytes():
        return ""
    with np.errstate(all="ignore"):
        differ = np.flatnonzero((eager != other).ravel())
    if not differ.size:
        return f"{place}: signs of zeros or NaN"
    first = int(differ[0])
    a, b = eager.ravel()[first], other.ravel()[first]
    return f"{place}: {differ.size} of {eager.size} elements, item {first} is {a!r}, and {b!r}"
