"""Memory that nobody has written: np.empty gives other bits each time, on both sides.

In a rehearsal such arrays are filled with a mark; elements that still have it afterwards are not
compared. A region in which NumPy's loops leave elements out (`where=`), or in whose loops in C such
arrays are made, has no marks, and is not compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np

from jitcore.ir.graph import Node

MARK = 0xA5
UNWRITTEN = frozenset(("empty", "empty_like"))


@cache
def marked(make: Callable[..., Any]) -> Callable[..., Any]:
    """The same, with the mark in each byte."""

    def filled(*args: Any, **kwargs: Any) -> Any:
        made = make(*args, **kwargs)
        if type(made) is np.ndarray and not made.dtype.hasobject:
            dense = made.ravel(order="K").view(np.uint8) if made.flags.forc else None
            if dense is not None and made.size and np.shares_memory(dense, made):
                dense.fill(MARK)
            else:
                made[...] = np.frombuffer(bytes([MARK]) * made.itemsize, made.dtype)[0]
        return made

    return filled


def is_unwritten(node: Node) -> bool:
    return node.op.name in UNWRITTEN


def leaves_out(nodes: Iterable[Node]) -> bool:
    """Elements that it does not write, in an array of its own."""
    return any("where" in node.kwargs and node.kwargs.get("out") is None for node in nodes)


def is_mark(item: Any) -> bool:
    """Each byte of it."""
    return bool((np.frombuffer(bytes(np.asarray(item).tobytes()), np.uint8) == MARK).all())
