"""A call → how many operations its ufuncs do on elements: for the roofline.

An addition is one, and so is an exponential; a reduction has as many as its input has elements, a
matrix product twice the products. Copies, selections and gathers have none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.registry import Args


class Counted(np.ndarray[Any, Any]):
    """An array that adds up the operations of every ufunc that it meets."""

    total = 0

    def __array_ufunc__(self, ufunc: Any, method: Any, *inputs: Any, **kwargs: Any) -> Any:
        if "out" in kwargs:
            kwargs["out"] = tuple(map(plain, kwargs["out"]))
        result = getattr(ufunc, method)(*map(plain, inputs), **kwargs)
        Counted.total += operations(ufunc, method, inputs, result)
        return counted(result)


def operations(ufunc: np.ufunc, method: str, inputs: Args, result: Any) -> int:
    if method != "__call__":
        return int(np.size(inputs[0]))
    first = result[0] if isinstance(result, tuple) else result
    each = 1 if ufunc.signature is None else 2 * np.shape(inputs[0])[-1]
    return int(each * np.size(first))


def plain(x: Any) -> Any:
    return x.view(np.ndarray) if isinstance(x, Counted) else x


def counted(x: Any) -> Any:
    if isinstance(x, tuple):
        return tuple(map(counted, x))
    return x.view(Counted) if isinstance(x, np.ndarray) else x


def count(function: Callable[..., Any], args: Args) -> int:
    """Of one call; arguments that it writes to are changed."""
    Counted.total = 0
    function(*map(counted, args))
    return Counted.total
