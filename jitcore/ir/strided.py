"""Views and shapes, as `numpy.lib.stride_tricks` makes them. The functions there call `np.array`
and `np.empty` as the program may have replaced them."""

from __future__ import annotations

import sys
from math import prod
from typing import Any

import numpy as np

from jitcore.ir.types import ArrayType, Shape


def phantom(t: ArrayType) -> np.ndarray[Any, Any]:
    """An array of this type whose memory must not be read: for asking NumPy about views."""
    item = np.empty(t.dtype.itemsize + 1, np.uint8)
    cell = np.ndarray((), t.dtype, item, offset=0 if t.aligned else 1)
    return strided(cell, t.shape, t.strides, t.writeable)


class Strided:
    """What NumPy asks for: as `numpy.lib.stride_tricks`, of which the functions call those that
    `np` has at the moment."""

    def __init__(self, array: np.ndarray[Any, Any], shape: Shape, strides: Shape) -> None:
        self.array = array
        self.__array_interface__ = {
            **array.__array_interface__,
            "shape": shape,
            "strides": strides,
        }


def strided(
    array: np.ndarray[Any, Any], shape: Shape, strides: Shape, writeable: bool = True
) -> np.ndarray[Any, Any]:
    """A view of the array's memory, whatever lies there."""
    view = np.asarray(Strided(array, shape, strides))
    if view.dtype is not array.dtype:  # the interface has no fields, and of equal types only one
        view = view.view(array.dtype)
    if view.flags.writeable and not writeable:
        view.flags.writeable = False
    return view


def broadcast(*shapes: Shape) -> Shape:
    """The shape of all together. ValueError: they do not fit, or no array is so large."""
    width = max(map(len, shapes), default=0)
    found = [1] * width
    for shape in shapes:
        for axis, extent in enumerate(shape, width - len(shape)):
            if extent != 1:
                if found[axis] not in (1, extent):
                    raise ValueError(f"shapes {' and '.join(map(str, shapes))} do not fit together")
                found[axis] = extent
    if prod(filter(None, found)) > sys.maxsize:
        raise ValueError(f"shapes {shapes} are too large")
    return tuple(found)
