"""C* against C over CPython's own library: the same program with points or without."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import CodeType

import pytest
from support.by_bytecode import Row, handlers_of, rows_of
from support.library import library

from jitcore import _C
from jitcore.fallback.splice import splice
from jitcore.opcodes import tables
from jitcore.opcodes.decode import decode

MODULES = """contextlib asyncio/tasks dataclasses argparse inspect typing tarfile traceback
    test/test_patma test/test_coroutines test/test_except_star"""
CODES = library(MODULES)


def points_of(code: CodeType) -> dict[int, object]:
    decoded = decode(code)
    return {o: _C.Point(o, decoded.depths[o]) for o in decoded.allowed}


POINT = ["LOAD_CONST", "UNARY_INVERT", tables.JUMP_IF_TRUE]
LEAVE = ["LOAD_CONST", tables.LEAVE, "RETURN_VALUE"]


@pytest.mark.parametrize("everywhere", [False, True])
def test_instructions_positions_and_handlers_are_kept(everywhere: bool) -> None:
    """As the package `bytecode` reads C and C*: without what is ours they are the same."""
    for code in CODES:
        points = points_of(code) if everywhere else {}
        made = splice(decode(code), points)
        old, new = rows_of(code), rows_of(made.code)
        own = [row for row in new if row.offset >= 2 * made.at_instr[old[-1].offset // 2]][1:]
        assert [row.op for row in own] == LEAVE
        whence = {2 * made.at_instr[row.offset // 2]: row.offset for row in old}
        landing = {2 * made.at_point[row.offset // 2]: row.offset for row in old}
        handlers = by_offset(code, lambda offset: offset)
        moved = by_offset(made.code, landing.__getitem__)
        added: list[Row] = []
        kept = []
        for row in new[: -len(LEAVE)]:
            if row.offset not in whence:
                added.append(row)
                continue
            was = whence[row.offset]
            assert is_point(added, own[0]) if was in points else is_fence(added)
            assert all(moved.get(each.offset) == handlers.get(was) for each in (*added, row))
            kept.append(without_distance(row, was, landing))
            added = []
        assert kept == [without_distance(row, row.offset) for row in old]


def without_distance(row: Row, offset: int, places: Mapping[int, int] | None = None) -> Row:
    """At that offset; a jump by where it goes alone."""
    if row.target is None:
        return row._replace(offset=offset)
    target = row.target if places is None else places[row.target]
    return row._replace(offset=offset, arg=0, target=target)


def is_point(added: list[Row], leave: Row) -> bool:
    return [row.op for row in added] == POINT and added[-1].target == leave.offset


def is_fence(added: list[Row]) -> bool:
    return not added or (tables.THROW_LOOKS_BACK and [row.op for row in added] == ["NOP"])


def by_offset(code: CodeType, known: Callable[[int], int]) -> dict[int, tuple[int, int, bool]]:
    """The row of the exception table that holds for each code unit, its target as `known`."""
    found: dict[int, tuple[int, int, bool]] = {}
    for start, end, target, depth, lasti in handlers_of(code):
        for offset in range(start, end, 2):
            found.setdefault(offset, (known(target), depth, lasti))
    return found


def test_depths_are_the_same() -> None:
    for code in CODES:
        made = splice(decode(code), points_of(code))
        old, new = decode(code), decode(made.code)
        assert made.code.co_stacksize == code.co_stacksize
        for offset, depth in old.depths.items():
            assert new.depths[2 * made.at_instr[offset // 2]] == depth


@pytest.mark.skipif(not tables.THROW_LOOKS_BACK, reason="only there the unit before matters")
def test_the_unit_before_has_the_same_handler() -> None:
    for code in CODES:
        made = splice(decode(code), {})
        decoded = decode(made.code)
        for offset in decode(code).allowed:
            at = 2 * made.at_instr[offset // 2]
            assert decoded.handler_of(at) is decoded.handler_of(at - 2)


def test_a_point_may_follow_a_loop() -> None:
    def f(xs):
        for x in xs:
            print(x)
        return xs

    decoded = decode(f.__code__)
    (loop,) = [i for i in decoded.instrs if i.op == "FOR_ITER"]
    assert loop.target is not None
    assert loop.target + tables.FOR_ITER_SKIPS in decoded.allowed


def test_points_stay_out_of_await_and_calls() -> None:
    async def f(x):
        await x
        return x(a=1)

    decoded = decode(f.__code__)
    ops = {decoded.instrs[decoded.by_offset[o]].op for o in decoded.allowed}
    assert not ops & {"SEND", "YIELD_VALUE", "RESUME", "END_SEND", "CLEANUP_THROW"}
