"""The version tables against CPython's own: canonical forms, depths, packed tables, liveness."""

from __future__ import annotations

import dis
import gc
import weakref

from support.library import library

from jitcore.opcodes import tables
from jitcore.opcodes.canon import canonical
from jitcore.opcodes.decode import decode
from jitcore.opcodes.encode import pack_exception_table, pack_linetable

MODULES = """contextlib asyncio/tasks dataclasses argparse inspect typing traceback enum
    test/test_patma test/test_generators test/test_coroutines test/test_except_star"""
CODES = library(MODULES)
DECODED = [decode(code) for code in CODES]


def test_decode_agrees_with_dis() -> None:
    for code, decoded in zip(CODES, DECODED, strict=True):
        ours = {i.offset + 2 * (i.arg > 255) + 2 * (i.arg > 65535): i for i in decoded.instrs}
        theirs = [
            i for i in dis.get_instructions(code) if i.opname not in ("EXTENDED_ARG", "CACHE")
        ]
        assert len(ours) == len(theirs)
        for i in theirs:
            mine = ours[i.offset]
            assert (mine.op, mine.arg) == (i.opname, i.arg or 0)
            assert mine.position == tuple(i.positions or ())
            if mine.target is not None:
                assert mine.target == i.argval


def test_every_path_gives_the_same_depth_and_it_fits_the_stack() -> None:
    for decoded in DECODED:
        for offset, depth in decoded.depths.items():
            assert 0 <= depth <= decoded.code.co_stacksize
            for target, then in decoded._next_depths(offset, depth):
                assert decoded.depths[target] == then, (decoded.code, offset, target)


def test_for_iter_goes_on_where_the_iterator_is_gone() -> None:
    count = 0
    for decoded in DECODED:
        for i in decoded.instrs:
            if i.op == "FOR_ITER" and i.offset in decoded.depths:
                (canon,) = canonical(decoded.code, i)
                assert decoded.depths[canon.target] == decoded.depths[i.offset] - 1
                count += 1
    assert count > 300


def test_names_constants_and_layouts_are_resolved() -> None:
    seen = set()
    for decoded in DECODED:
        for i in decoded.instrs:
            for canon in canonical(decoded.code, i):
                seen.add(canon.op)
                if canon.op in ("LOAD_GLOBAL", "LOAD_METHOD", "LOAD_ATTR", "STORE_ATTR"):
                    assert canon.argval in decoded.code.co_names
                if canon.op in ("CALL", "LOAD_METHOD", "CALL_FUNCTION_EX"):
                    assert canon.layout == tables.LAYOUT
                if canon.op == "FOR_ITER" or canon.op.startswith(("JUMP", "POP_JUMP")):
                    assert canon.target in decoded.by_offset
    assert not {op for op in seen if "BACKWARD_IF" in op or "FORWARD_IF" in op}
    assert len(seen) > 70


def test_tables_round_trip() -> None:
    for code, decoded in zip(CODES, DECODED, strict=True):
        rows = [(h.start, h.end, h.target, h.depth, h.lasti) for h in decoded.handlers]
        assert pack_exception_table(rows) == code.co_exceptiontable
        items = [(i.position, (i.end - i.offset) // 2) for i in decoded.instrs]
        packed = code.replace(co_linetable=pack_linetable(items, code.co_firstlineno))
        assert list(packed.co_positions()) == list(code.co_positions())


def sample(n, xs):
    total, _dead = 0, 1
    for x in xs:
        try:
            total += x
        except TypeError:
            return n
    return total


def test_liveness_sees_handlers_and_loops() -> None:
    decoded = decode(sample.__code__)
    live = {o: {decoded.local_names[n] for n in found} for o, found in decoded.live.items()}
    (loop,) = [i.offset for i in decoded.instrs if i.op == "FOR_ITER"]
    assert live[0] == {"n", "xs"} and live[loop] == {"n", "total"}


def test_what_is_decoded_keeps_no_code_alive() -> None:
    code = compile("x = 1", "here", "exec")
    assert decode(code) is decode(code)
    gone = weakref.ref(code)
    del code
    gc.collect()
    assert gone() is None


def test_equal_codes_are_decoded_each() -> None:
    one, two = (compile("def f(): return [1]", "here", "exec") for _ in range(2))
    assert one == two and decode(one).code is one and decode(two).code is two


def test_only_the_last_are_kept() -> None:
    codes = [compile(f"x = {k}", "here", "exec") for k in range(40)]
    first = decode(codes[0])
    for code in codes:
        assert decode(code).code is code
    assert decode(codes[0]) is not first
