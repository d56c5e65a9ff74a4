"""C* against C over CPython's own library: the same program with points or without."""

from __future__ import annotations

from types import CodeType

import pytest
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


@pytest.mark.parametrize("everywhere", [False, True])
def test_instructions_positions_and_handlers_are_kept(everywhere: bool) -> None:
    for code in CODES:
        made = splice(decode(code), points_of(code) if everywhere else {})
        old, new = decode(code), decode(made.code)
        rows = {h: (2 * made.at_point[h.target // 2], h.depth, h.lasti) for h in old.handlers}
        rows[None] = None
        for instr in old.instrs:
            moved = new.instrs[new.by_offset[2 * made.at_instr[instr.offset // 2]]]
            assert moved.op == instr.op and moved.position == instr.position
            if instr.target is None:
                assert moved.arg == instr.arg
            else:
                assert moved.target == 2 * made.at_point[instr.target // 2]
            row = rows[old.handler_of(instr.offset)]
            assert row_of(new, moved.offset) == row
            assert row_of(new, 2 * made.at_point[instr.offset // 2]) == row


def row_of(code, offset):
    handler = code.handler_of(offset)
    return handler and (handler.target, handler.depth, handler.lasti)


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
