"""A tree that is walked by generators in generators."""

from __future__ import annotations

from collections.abc import Iterator


class Node:
    def __init__(self, left: Node | None, value: int, right: Node | None) -> None:
        self.left, self.value, self.right = left, value, right

    def __iter__(self) -> Iterator[int]:
        if self.left is not None:
            yield from self.left
        yield self.value
        if self.right is not None:
            yield from self.right


def tree(low: int, high: int) -> Node | None:
    if low >= high:
        return None
    middle = (low + high) // 2
    return Node(tree(low, middle), middle, tree(middle + 1, high))


def run() -> int:
    root = tree(0, 2000)
    assert root is not None
    return sum(value for _ in range(4) for value in root)
