"""Frames that leave everywhere: generators, coroutines, threads, recursion, references."""

from __future__ import annotations

import asyncio
import dis
import gc
import inspect
import signal
import sys
import threading
import traceback

import pytest
from support.points import JUMP, null_everywhere, put

from jitcore import _C
from jitcore.opcodes.decode import decode

pytestmark = pytest.mark.usefixtures("hook")


def leaves_of(points):
    return sum(e.hits for p in points.values() for e in p.entries)


def test_generator_send_throw_close() -> None:
    def g(log):
        try:
            while True:
                try:
                    log.append((yield len(log)))
                except KeyError as e:
                    log.append(repr(e))
        finally:
            log.append("closed")

    points = null_everywhere(g)
    log = []
    it = g(log)
    assert [next(it), it.send("a"), it.throw(KeyError(1)), it.send("b")] == [0, 1, 2, 3]
    assert inspect.getgeneratorstate(it) == inspect.GEN_SUSPENDED
    it.close()
    assert log == ["a", "KeyError(1)", "b", "closed"]
    assert leaves_of(points) > 20


def test_yield_from_and_a_returned_value() -> None:
    def inner(n):
        total = 0
        for i in range(n):
            total += yield i
        return total

    def outer(n):
        result = yield from inner(n)
        yield result * 2

    null_everywhere(inner)
    points = null_everywhere(outer)
    it = outer(2)
    assert [next(it), it.send(3), it.send(4)] == [0, 1, 14]
    assert leaves_of(points) > 0


def test_coroutines() -> None:
    async def one(x):
        await asyncio.sleep(0)
        return x + 1

    async def two():
        async with asyncio.timeout(5):
            return [await one(i) for i in range(5)]

    null_everywhere(one)
    points = null_everywhere(two)
    assert asyncio.run(two()) == [1, 2, 3, 4, 5]
    assert leaves_of(points) > 0


def test_exception_state_of_a_generator() -> None:
    def g():
        try:
            raise KeyError
        except KeyError:
            yield sys.exception()
            yield sys.exception()

    null_everywhere(g)
    it = g()
    assert isinstance(next(it), KeyError)
    assert sys.exception() is None
    assert isinstance(next(it), KeyError)


def test_recursion_gives_back_what_it_takes() -> None:
    def f(n):
        return 0 if n == 0 else 1 + f(n - 1)

    points = null_everywhere(f)
    for _ in range(50):
        assert f(100) == 100
    assert leaves_of(points) > 1000

    def endless(n):
        return endless(n + 1)

    null_everywhere(endless)
    for _ in range(3):
        with pytest.raises(RecursionError):
            endless(0)
    assert f(100) == 100


def test_python_recursion_is_as_deep_as_without_the_hook() -> None:
    """Frames under the hook use C's stack; the program must not meet CPython's limit for that."""

    def depth(n):
        try:
            return depth(n + 1)
        except RecursionError:
            return n

    def many(n):
        return 0 if n == 0 else 1 + many(n - 1)

    limit = sys.getrecursionlimit()
    _C.release_hook()
    try:
        plain = depth(0)
    finally:
        _C.hold_hook()
    null_everywhere(depth)
    null_everywhere(many, 128)
    assert depth(0) == plain
    sys.setrecursionlimit(60_000)
    try:
        assert many(50_000) == 50_000
        users = _C.hook_depth()
        assert many(100) == 100
    finally:
        sys.setrecursionlimit(limit)
    assert _C.hook_depth() == users == (1, 1)


def test_the_hook_is_back_after_deep_recursion() -> None:
    def down(n):
        return 0 if n == 0 else down(n - 1)

    def f(x):
        return x

    down(900)
    points = null_everywhere(f)
    f(1)
    assert leaves_of(points) > 0


def test_threads() -> None:
    def f(n):
        total = 0
        for i in range(n):
            total += i
        return total

    points = null_everywhere(f, 128)
    results = []
    threads = [threading.Thread(target=lambda: results.append(f(20000))) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [sum(range(20000))] * 4
    assert leaves_of(points) > 1000


def test_frame_objects_survive() -> None:
    def inner():
        return sys._getframe(1)

    def f(x):
        y = x + 1
        frame = inner()
        z = y + 1
        return frame, frame.f_locals["y"], z

    null_everywhere(f)
    frame, y, z = f(1)
    assert (y, z) == (2, 3)
    assert frame.f_locals["x"] == 1 and frame.f_back is sys._getframe()
    assert frame.f_code.co_name == "f"


def test_f_back_and_stack_inside() -> None:
    def f():
        return [s.name for s in traceback.extract_stack()[-2:]]

    def g():
        return f()

    null_everywhere(f)
    null_everywhere(g)
    assert g() == ["g", "f"]


def test_traceback_lines_and_columns_are_those_of_plain_code() -> None:
    def f(x):
        try:
            return x.a + x.b
        finally:
            x.c()

    def look(fn):
        with pytest.raises(AttributeError) as caught:
            fn(1)
        return traceback.format_exception(caught.value)

    want = look(f)
    null_everywhere(f)
    assert look(f) == want


def test_locals_are_not_kept_longer() -> None:
    class Thing:
        pass

    def f(x):
        x = None
        return x

    null_everywhere(f)
    thing = Thing()
    before = sys.getrefcount(thing)
    for _ in range(100):
        f(thing)
    assert sys.getrefcount(thing) == before


def test_no_references_leak() -> None:
    def g(xs):
        for x in xs:
            yield x, [x]

    def f(xs):
        out = []
        try:
            with threading.Lock():
                for pair in g(xs):
                    out.append({"k": pair, **{"j": len(out)}})
            raise KeyError(out)
        except KeyError as e:
            return len(e.args[0])

    null_everywhere(g, 128)
    null_everywhere(f, 128)
    xs = [object() for _ in range(5)]
    for _ in range(20):
        f(xs)
    while gc.collect():  # what took references to garbage with it
        pass
    counts = [sys.getrefcount(x) for x in xs]
    objects = len(gc.get_objects())
    none, blocks = sys.getrefcount(None), sys.getallocatedblocks()
    for _ in range(500):
        f(xs)
    gc.collect()
    assert [sys.getrefcount(x) for x in xs] == counts
    # What earlier tests left may go meanwhile; one lost by each call would be 500.
    assert len(gc.get_objects()) - objects < 50
    assert abs(sys.getrefcount(None) - none) < 400
    assert sys.getallocatedblocks() - blocks < 200


def test_traced_frames_are_plain() -> None:
    def f(x):
        y = x
        return y

    points = null_everywhere(f)
    events = []

    def trace(frame, event, arg):
        events.append((frame.f_code.co_name, event, frame.f_lineno - f.__code__.co_firstlineno))
        return trace

    sys.settrace(trace)
    try:
        f(1)
    finally:
        sys.settrace(None)
    assert [e for e in events if e[0] == "f"] == [
        ("f", "call", 0),
        ("f", "line", 1),
        ("f", "line", 2),
        ("f", "return", 2),
    ]
    assert leaves_of(points) == 0


@pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="sys.monitoring is of 3.12")
def test_local_monitoring_events_come_from_plain_code() -> None:
    def f(x):
        return x

    points = null_everywhere(f)
    monitoring, tool = sys.monitoring, 3
    seen = []
    monitoring.use_tool_id(tool, "test")
    try:
        monitoring.register_callback(
            tool, monitoring.events.PY_START, lambda code, offset: seen.append(code)
        )
        monitoring.set_local_events(tool, f.__code__, monitoring.events.PY_START)
        f(1)
        monitoring.set_local_events(tool, f.__code__, 0)
    finally:
        monitoring.free_tool_id(tool)
    assert seen == [f.__code__] and leaves_of(points) == 0


def test_a_loop_of_leaves_lets_signals_in() -> None:
    """The whole body is skipped each time, so only the machinery can see that a signal waits."""

    def f(n):
        while True:
            n += 1

    code = f.__code__
    (header,) = {i.target for i in decode(code).instrs if "JUMP_BACKWARD" in i.op}
    put(code, {header: [_C.ScriptedEntry(JUMP, header, 1, (), (), None, -1)]})

    class Alarm(Exception):
        pass

    def ring(number, frame):
        raise Alarm

    old = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(Alarm):
            f(0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_a_running_frame_moves_to_the_newest_cstar() -> None:
    def f(xs):
        total = 0
        for x in xs:
            total += x
            install(x)
        return total

    code = f.__code__
    decoded = decode(code)
    second = {}

    def install(x):
        if x == 1:
            put(code, {o: [_C.NullEntry(o, 256, 1)] for o in (decoded.start,)})
            all_ = {o: [_C.NullEntry(o, 256, 1)] for o in decoded.allowed}
            second.update(put(code, all_))

    install.__globals__["install"] = install
    try:
        first = null_everywhere(f)
        assert f(range(5)) == 10
    finally:
        del install.__globals__["install"]
    assert leaves_of(first) > 0 and leaves_of(second) > 0


def test_a_code_object_may_die_before_its_generator() -> None:
    space = {}
    exec("def g():\n    x = yield 1\n    yield x", space)
    null_everywhere(space["g"])
    it = space["g"]()
    assert next(it) == 1
    space.clear()
    gc.collect()
    assert it.send(5) == 5
    it.close()


def test_many_arguments_need_extended_args() -> None:
    body = "\n".join(f"    if x == {i}: x = x + {i + 1000}" for i in range(300))
    space = {}
    exec(f"def f(x):\n{body}\n    return x", space)
    want = [space["f"](i) for i in range(0, 300, 17)]
    points = null_everywhere(space["f"], 128)
    assert [space["f"](i) for i in range(0, 300, 17)] == want
    assert leaves_of(points) > 500


def test_a_dead_point_becomes_a_jump() -> None:
    def f(x, y):
        total = 0
        for i in range(x):
            total += i * y
        return total

    points = null_everywhere(f, 128)
    want = f(50, 2)
    hits = leaves_of(points)
    entries = [e for p in points.values() for e in p.entries]
    for point in points.values():
        point.kill()
    for _ in range(30):  # past CPython's own rewriting of warm code
        assert f(50, 2) == want
    now = dis.get_instructions(_C.installed(f.__code__), adaptive=True)
    assert [i.opname for i in now].count("JUMP_FORWARD") == len(points)
    assert hits > 0 and sum(e.hits for e in entries) == hits
