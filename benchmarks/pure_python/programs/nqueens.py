"""Generators that call themselves, sets and tuples."""

from collections.abc import Iterator


def place(
    n: int, row: int, columns: frozenset[int], up: frozenset[int], down: frozenset[int]
) -> Iterator[tuple[int, ...]]:
    if row == n:
        yield ()
        return
    for column in range(n):
        if column in columns or row + column in up or row - column in down:
            continue
        for rest in place(
            n, row + 1, columns | {column}, up | {row + column}, down | {row - column}
        ):
            yield (column, *rest)


def run() -> int:
    empty: frozenset[int] = frozenset()
    return sum(1 for _ in place(7, 0, empty, empty, empty))
