"""Rows: what only the bodies of loops have. They have targets of their own: the table finds rows by
them.

range.count  start, stop, step -> how many items a range has
range.step   step -> the same, which is not 0
range.item   start, step, k -> its k-th item
range.next   k -> k + 1, of a count that a range bounds
poll         may leave: a signal, or another thread, waits
leave        for good? -> leaves: what comes next is CPython's
items.from   array, first -> how many elements there are from the first on
items.before array, first -> how many, backward
seq.item     a list, tuple, str, bytes, bytearray and an index -> what it has there
seq.store    a list or bytearray, an index and a number
seq.append   a list, and a number or character: it has one item more
ord          a character -> its code point
least        a, b -> the smaller of two counts
left         how far a range is -> whether items are left
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jitcore.ir.op import Args, Effect, Inferred, Kind, Kwargs, Op
from jitcore.ir.types import NONE, PYBOOL, PYINT


class LeftEarly(Exception):
    """A graph was left before its end, which only a compiled one can do."""


def range_count(start: int, stop: int, step: int) -> int:
    return len(range(start, stop, step))


def range_step(step: int) -> int:
    range(0, 0, step)
    return step


def range_item(start: int, step: int, k: int) -> int:
    return start + k * step


def range_next(k: int) -> int:
    return k + 1


def items_from(array: Any, first: int) -> int:
    return max(len(array) - first, 0)


def items_before(array: Any, first: int) -> int:
    return first + 1 if first < len(array) else 0


def least(a: int, b: int) -> int:
    return min(a, b)


def seq_item(over: Any, index: int) -> Any:
    return over[index]


def seq_store(over: Any, index: int, value: Any) -> None:
    over[index] = value


def seq_append(over: list[Any], value: Any) -> None:
    over.append(value)


def code_point(character: str) -> int:
    return ord(character)


def left(k: int, count: int) -> bool:
    return k < count


def poll() -> None:
    return None


def leave(for_good: bool) -> None:
    raise LeftEarly


def whole(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    return PYINT


def truth(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    return PYBOOL


def nothing(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    return NONE


def _row(name: str, call: Callable[..., Any], rule: Any, effect: Effect = Effect.SILENT) -> Op:
    return Op(name, call, Kind.INDEX, effect, rule)


RANGE_COUNT = _row("range.count", range_count, whole)
RANGE_STEP = _row("range.step", range_step, whole)
RANGE_ITEM = _row("range.item", range_item, whole)
RANGE_NEXT = _row("range.next", range_next, whole)
ITEMS_FROM = _row("items.from", items_from, whole)
ITEMS_BEFORE = _row("items.before", items_before, whole)
LEAST = _row("least", least, whole)
SEQ_ITEM = _row("seq.item", seq_item, nothing)
SEQ_STORE = _row("seq.store", seq_store, nothing, Effect.LOUD)
SEQ_APPEND = _row("seq.append", seq_append, nothing, Effect.LOUD)
ORD = _row("ord", code_point, whole)
LEFT = _row("left", left, truth)
POLL = _row("poll", poll, nothing, Effect.LOUD)
LEAVE = _row("leave", leave, nothing, Effect.LOUD)
ROWS: tuple[Op, ...] = (
    RANGE_COUNT,
    RANGE_STEP,
    RANGE_ITEM,
    RANGE_NEXT,
    ITEMS_FROM,
    ITEMS_BEFORE,
    LEAST,
    SEQ_ITEM,
    SEQ_STORE,
    SEQ_APPEND,
    ORD,
    LEFT,
    POLL,
    LEAVE,
)
