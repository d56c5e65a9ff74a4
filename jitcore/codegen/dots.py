"""Products of two vectors in a routine: by orders of additions that are those of NumPy's BLAS.

A trial, once in a process, says which of the orders in csrc/dots.c gives NumPy's bits here; where
none does, that C code calls NumPy's loop. It is a trial of what this process runs: OpenBLAS chooses
its kernels when it is loaded, by the processor and by OPENBLAS_CORETYPE.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _C
from ..ir.graph import Node
from ..ir.types import ScalarType
from .inner import Inner, core_loop
from .places import Layout

if TYPE_CHECKING:
    from .writer import Writer


def has_orders(dtype: np.dtype[Any]) -> bool:
    return dtype.char == "d" and orders() != (None, None)


@cache
def orders() -> tuple[str | None, str | None]:
    """Of vectors in one piece, and of others."""
    inner = core_loop(np.matmul, "ddd")
    return (None, None) if inner is None else _C.try_dots((inner.capsule,), ())


def product(w: Writer, node: Node, a: Layout, b: Layout, inner: Inner) -> None:
    """Of one axis each, of one extent."""
    (out,) = node.outputs
    assert isinstance(out.type, ScalarType)
    name, loop = w.name(out), f"&world->loop[{w.loop(inner)}]"
    vectors = f"{a.extents[0]}, {a.pointer}, {a.steps[0]}, {b.pointer}, {b.steps[0]}"
    w.line(f"{name} = world->dot({loop}, {vectors});")
    w.watch(node, name, out.type)
