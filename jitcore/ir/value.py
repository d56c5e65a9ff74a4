"""A value, and trees of arguments with values at their leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.types import Type


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Value:
    """Defined once: by a node, or as a parameter of a body. Its identity is its name."""

    type: Type

    def __repr__(self) -> str:
        return f"<Value {self.type}>"


# Exact classes only: a subclass (a named tuple, a user's list) is a constant leaf.
def map_tree(fn: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with fn applied to its leaves; tuples, lists, dicts and slices nest."""
    cls = type(tree)
    if cls is tuple or cls is list:
        return cls(map_tree(fn, item) for item in tree)
    if cls is dict:
        return {key: map_tree(fn, item) for key, item in tree.items()}
    if cls is slice:
        parts = (tree.start, tree.stop, tree.step)
        return slice(*(map_tree(fn, part) for part in parts))
    return fn(tree)


def substitute(tree: Any, mapping: Mapping[Value, Any]) -> Any:
    """The tree with values replaced."""
    return map_tree(lambda leaf: mapping.get(leaf, leaf) if type(leaf) is Value else leaf, tree)


def leaves(tree: Any) -> list[Any]:
    """In order."""
    found: list[Any] = []
    gather(tree, found)
    return found


def gather(tree: Any, into: list[Any]) -> None:
    cls = type(tree)
    if cls not in _NESTING:
        into.append(tree)
        return
    if cls is dict:
        tree = tree.values()
    elif cls is slice:
        tree = (tree.start, tree.stop, tree.step)
    for item in tree:
        if type(item) in _NESTING:
            gather(item, into)
        else:
            into.append(item)


_NESTING = frozenset((tuple, list, dict, slice))


def has_list(tree: Any) -> bool:
    """A list or a dict in it, of which a call gets a copy."""
    if type(tree) is tuple:
        return any(map(has_list, tree))
    return type(tree) in (list, dict)


def arguments(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Any]:
    """The leaves of a call's arguments."""
    found: list[Any] = []
    gather(args, found)
    if kwargs:
        gather(dict(kwargs), found)
    return found


def given(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Value]:
    """The values among them."""
    return [leaf for leaf in arguments(args, kwargs) if type(leaf) is Value]


def values(tree: Any) -> list[Value]:
    """The values at the leaves, in order."""
    return [leaf for leaf in leaves(tree) if type(leaf) is Value]
