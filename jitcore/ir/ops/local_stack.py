"""Rows: a list that is a routine's own (StackType), from which items are taken and to which others
come: the stack or the queue of a search.

pile        its first items -> the list                pile.push   one item more, at its end
pile.pop    its last item, which is gone then           pile.item   that at an index
pile.count  how many there are                         pile.clear  all are gone

Items are numbers of one type, or tuples of numbers; of a tuple each number is a result.
"""

from __future__ import annotations

from typing import Any

from jitcore.ir.op import Args, Effect, Inferred, Kind, Kwargs, Op, leaf_type
from jitcore.ir.types import NONE, PYINT, StackType


def new(*items: Any) -> list[Any]:
    return [*items]


def push(pile: list[Any], item: Any) -> None:
    pile.append(item)


def pop(pile: list[Any]) -> Any:
    return pile.pop()


def item_at(pile: list[Any], index: int) -> Any:
    return pile[index]


def count(pile: list[Any]) -> int:
    return len(pile)


def clear(pile: list[Any]) -> None:
    pile.clear()


def item(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    kind = leaf_type(args[0])
    assert isinstance(kind, StackType)
    return kind.kinds if kind.tuples else kind.kinds[0]


def whole(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    return PYINT


def nothing(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    return NONE


PILE = Op("pile", new, Kind.INDEX, Effect.LOUD)
PILE_PUSH = Op("pile.push", push, Kind.INDEX, Effect.LOUD, nothing)
PILE_POP = Op("pile.pop", pop, Kind.INDEX, Effect.LOUD, item)
PILE_ITEM = Op("pile.item", item_at, Kind.INDEX, Effect.LOUD, item)
PILE_COUNT = Op("pile.count", count, Kind.INDEX, Effect.LOUD, whole)
PILE_CLEAR = Op("pile.clear", clear, Kind.INDEX, Effect.LOUD, nothing)
ROWS: tuple[Op, ...] = (PILE, PILE_PUSH, PILE_POP, PILE_ITEM, PILE_COUNT, PILE_CLEAR)
