"""Transfers into running frames: values, jumps, and exceptions at the right line and handler."""

from __future__ import annotations

import sys
import traceback

import pytest
from support.points import JUMP, RAISE, RETURN, offset_of, put, slot

from jitcore import _C
from jitcore.opcodes.decode import decode

pytestmark = pytest.mark.usefixtures("hook")


def body_start(code):
    return decode(code).start


def lines_of(error):
    return [t.tb_lineno - t.tb_frame.f_code.co_firstlineno for t in frames_of(error)]


def frames_of(error):
    tb = error.__traceback__
    while tb is not None:
        yield tb
        tb = tb.tb_next


def test_return() -> None:
    def f(x):
        return x + 1

    value = object()
    put(f.__code__, {body_start(f.__code__): [_C.ScriptedEntry(RETURN, 0, 0, (), (), value)]})
    assert f(1) is value
    assert f(1) == 2


def test_jump_with_locals_and_stack() -> None:
    def f(x):
        y = x
        z = x
        return (y, z)

    code = f.__code__
    target = offset_of(code, "RETURN_VALUE")
    entry = _C.ScriptedEntry(JUMP, target, 0, ((7, 8),), ((slot(code, "y"), 3),), None, 1)
    put(code, {body_start(code): [entry]})
    assert f(1) == (7, 8)
    assert f(1) == (1, 1)


def test_unbound_local_after_a_jump() -> None:
    def f(x):
        y = 1
        del x
        return locals()

    code = f.__code__
    target = offset_of(code, "LOAD_GLOBAL", line=3)
    locals_ = ((slot(code, "x"), _C.NULL), (slot(code, "y"), 5))
    put(code, {body_start(code): [_C.ScriptedEntry(JUMP, target, 0, (), locals_)]})
    assert f(1) == {"y": 5}


def test_null_on_the_stack() -> None:
    def f(x):
        return len(x)

    code = f.__code__
    layout = (_C.NULL, len) if sys.version_info < (3, 13) else (len, _C.NULL)
    put(code, {body_start(code): [_C.ScriptedEntry(JUMP, call_of(code), 0, (*layout, "abc"), ())]})
    assert f("x") == 3


def call_of(code):
    return offset_of(code, "PRECALL" if sys.version_info < (3, 12) else "CALL")


def nothing():
    return None


def raises_before(x):
    a = x.thing
    return a


def raises_at_try_start(x):
    nothing()
    try:
        x = -x
        return "no"
    except ValueError as e:
        return ("caught", e)


def raises_behind_try(x):
    try:
        nothing()
    except ValueError:
        return "wrong"
    y = -x
    return y


def raises_in_with(x, manager):
    with manager:
        x = -x
    return "after"


def raiser(code, op, error, line=None, stack=()):
    at = offset_of(code, op, line=line)
    put(code, {body_start(code): [_C.ScriptedEntry(RAISE, at, 0, stack, (), error)]})


def test_raise_has_the_line_of_its_instruction() -> None:
    error = ValueError("x")
    raiser(raises_before.__code__, "LOAD_ATTR", error, stack=(1,))
    with pytest.raises(ValueError) as caught:
        raises_before(1)
    assert caught.value is error
    assert lines_of(error)[-1] == 1
    summary = traceback.extract_tb(error.__traceback__)[-1]
    assert summary.line == "a = x.thing"
    assert summary.colno is not None


def test_raise_at_the_first_instruction_of_a_range() -> None:
    """UNARY_NEGATIVE's operand is the first covered instruction: LOAD_FAST raises here."""
    error = ValueError("x")
    raiser(raises_at_try_start.__code__, "LOAD_FAST", error, line=3)
    assert raises_at_try_start(1) == ("caught", error)
    assert lines_of(error)[-1] == 3


def test_raise_inside_a_range() -> None:
    error = ValueError("x")
    raiser(raises_at_try_start.__code__, "UNARY_NEGATIVE", error, stack=(1,))
    assert raises_at_try_start(1) == ("caught", error)


def test_raise_behind_a_range_is_not_caught() -> None:
    error = ValueError("x")
    raiser(raises_behind_try.__code__, "LOAD_FAST", error, line=5)
    with pytest.raises(ValueError):
        raises_behind_try(1)
    assert lines_of(error)[-1] == 5


class Manager:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, tb):
        self.seen = error
        return True


def test_raise_in_a_with_calls_its_exit() -> None:
    code = raises_in_with.__code__
    manager, error = Manager(), ValueError("x")
    at = offset_of(code, "LOAD_FAST", line=2)
    put(
        code,
        {at: [_C.ScriptedEntry(RAISE, at, 0, (manager.__exit__,), (), error)]},
    )
    assert raises_in_with(1, manager) == "after"
    assert manager.seen is error


def test_context_of_a_raise_is_kept() -> None:
    inner, error = KeyError("inner"), ValueError("x")
    error.__context__ = inner

    def f(x):
        try:
            raise TypeError
        except TypeError:
            return -x

    code = f.__code__
    at = offset_of(code, "UNARY_NEGATIVE")
    start = offset_of(code, "LOAD_FAST")
    # under an active handler the stack holds the exception that was handled before
    put(code, {start: [_C.ScriptedEntry(RAISE, at, 0, (None, 1), (), error)]})
    with pytest.raises(ValueError):
        f(1)
    assert error.__context__ is inner


def test_every_raise_place_finds_the_handler_of_its_instruction() -> None:
    """A function of nested ranges: raise at each place, and compare with the exception table."""

    def f(x):
        try:
            try:
                a = -x
                b = -a
            except KeyError:
                b = 3
            c = -b
        except IndexError:
            c = 4
        return c

    code = f.__code__
    decoded = decode(code)
    tested = 0
    for instr in decoded.instrs:
        depth = decoded.depths.get(instr.offset, -1)
        line = (instr.position[0] or 0) - code.co_firstlineno
        if depth < 0 or line not in (3, 4, 7, 10) or instr.offset < decoded.start:
            continue
        covered = decoded.handler_of(instr.offset)
        error = IndexError(instr.offset)
        put(
            code,
            {decoded.start: [_C.ScriptedEntry(RAISE, instr.offset, 0, (0,) * depth, (), error)]},
        )
        if covered is None:
            with pytest.raises(IndexError):
                f(1)
        else:
            assert f(1) == 4, instr
        assert lines_of(error)[-1] == line, instr
        tested += 1
    assert tested > 8
