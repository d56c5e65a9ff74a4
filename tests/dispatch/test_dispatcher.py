"""What jitcore.compile returns is to be told from the function by its speed only."""

from __future__ import annotations

import asyncio
import copy
import functools
import gc
import inspect
import pickle
import sys
import threading
import types
import weakref

import pytest
from dispatch_entries import compiled, entry_for

from jitcore import _C


def example(a: int, b: int = 2, *, c: int = 3) -> int:
    """Adds."""
    return a + b + c


example.note = "of the function"
jit = compiled(example)


class Owner:
    @_C.Dispatcher
    def method(self, x=1):
        """Of a method."""
        return self, x


@_C.Dispatcher
def by_name():
    return "by name"


def test_it_looks_like_the_function():
    for name in (
        "__name__", "__qualname__", "__doc__", "__module__", "__annotations__", "__defaults__",
        "__kwdefaults__", "__code__", "__globals__", "__closure__", "note",
    ):  # fmt: skip
        assert getattr(jit, name) is getattr(example, name), name
    assert jit.__wrapped__ is jit.eager is example
    assert inspect.signature(jit) == inspect.signature(example)
    assert inspect.getsource(jit) == inspect.getsource(example)
    assert inspect.unwrap(jit) is example
    assert inspect.isroutine(jit)
    assert callable(jit)
    assert "example" in repr(jit)


def test_attributes_of_its_own():
    def f():
        pass

    f.shared = 1
    d = _C.Dispatcher(f)
    d.own = 2
    assert d.shared == 1
    assert vars(d)["own"] == 2
    assert not hasattr(f, "own")
    d.__name__ = "other"
    d.__doc__ = "other doc"
    assert (d.__name__, d.__doc__, f.__name__, f.__doc__) == ("other", "other doc", "f", None)
    del d.own, d.__name__
    assert d.__name__ == "f"
    for name in ("__name__", "__doc__"):
        delattr(d, name) if name in vars(d) else None
        with pytest.raises(AttributeError):
            delattr(d, name)
    with pytest.raises(AttributeError):
        _ = d.own
    with pytest.raises(AttributeError):
        _ = d.nothing
    functools.update_wrapper(d, example)
    assert d.__name__ == "example"


def test_code_that_is_changed():
    def f(a):
        return "first", a

    def g(a):
        return "second", a

    d = compiled(f)
    assert d(1) == (1,)
    d.__code__ = g.__code__
    assert f.__code__ is g.__code__
    assert d(1) == ("second", 1)


def test_methods():
    owner = Owner()
    assert owner.method(5) == (owner, 5)
    assert owner.method() == (owner, 1)
    assert Owner.method(owner, 2) == (owner, 2)
    bound = owner.method
    assert type(bound) is types.MethodType
    assert bound.__self__ is owner
    assert bound.__func__ is Owner.method
    assert bound.__doc__ == "Of a method."
    assert bound(x=4) == (owner, 4)
    assert Owner.method is Owner.__dict__["method"]
    assert Owner.method.__get__(None, Owner) is Owner.method
    assert list(map(owner.method, [1, 2])) == [(owner, 1), (owner, 2)]
    with pytest.raises(TypeError, match=r"Owner.method\(\) takes from 1 to 2 positional"):
        owner.method(1, 2)


def test_methods_use_entries():
    class Bare:
        @compiled
        def method(self, x):
            raise AssertionError

    bare = Bare()
    assert bare.method(1) == (bare, 1)
    assert Bare.method._hits == 1


def test_class_and_static_methods():
    class Bare:
        @classmethod
        @compiled
        def of_class(cls, x):
            raise AssertionError

        @staticmethod
        @compiled
        def of_none(x):
            raise AssertionError

        @property
        @compiled
        def prop(self):
            raise AssertionError

    bare = Bare()
    assert bare.of_class(1) == (Bare, 1)
    assert Bare.of_none(1) == bare.of_none(1) == (1,)
    assert bare.prop == (bare,)


def test_pickle_and_copy():
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(by_name, protocol)) is by_name
        if protocol >= 4:
            assert pickle.loads(pickle.dumps(Owner.method, protocol)) is Owner.method
    assert copy.copy(by_name) is by_name
    assert copy.deepcopy([by_name])[0] is by_name
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(_C.Dispatcher(lambda: 1))


def test_weak_references_and_garbage():
    def make():
        def recursive():
            return d

        d = compiled(recursive)
        d.me = d
        return weakref.ref(d), weakref.ref(recursive)

    refs = make()
    gc.collect()
    assert [ref() for ref in refs] == [None, None]


def test_hash_and_equality():
    assert len({jit, by_name, jit}) == 2
    assert jit != example


def test_errors_are_the_function_s():
    def fails(x):
        raise ValueError(x)

    d = _C.Dispatcher(fails)
    with pytest.raises(ValueError, match="5") as caught:
        d(5)
    names = [entry.name for entry in caught.traceback]
    assert names[-1] == "fails" and len(names) == 2
    with pytest.raises(TypeError, match=r"fails\(\) missing 1 required positional argument: 'x'"):
        d()


def test_entries_are_tried_in_order():
    def f(a):
        return "plain"

    d = _C.Dispatcher(f)
    assert d(1) == "plain"
    d._add_frameless(entry_for(f))
    d._add_frameless(entry_for(f))
    assert d(1) == (1,)
    assert [entry.hits for entry in d._entries] == [1, 0]
    d._clear()
    assert d(1) == "plain"
    assert d._entries == ()
    with pytest.raises(TypeError):
        d._add_frameless(f)


def test_off_means_plain_calls():
    def f(a):
        return "plain"

    d = compiled(f)
    d._off = True
    assert d(1) == "plain"
    d._off = False
    assert d(1) == (1,)
    _C.busy_enter()
    assert d(1) == "plain"
    _C.busy_leave()
    assert d(1) == (1,)


def test_traced_and_profiled_calls_are_plain():
    def f(a):
        return "plain"

    d = compiled(f)
    seen = []
    for setter in (sys.settrace, sys.setprofile):
        setter(lambda frame, event, arg: seen.append(frame.f_code.co_name))
        try:
            result = d(1)
        finally:
            setter(None)
        assert result == "plain"
    assert seen.count("f") >= 2
    assert d(1) == (1,)


@pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="3.12")
def test_monitored_calls_are_plain():
    def f(a):
        return "plain"

    d = compiled(f)
    tool, events = 3, sys.monitoring.events
    sys.monitoring.use_tool_id(tool, "test")
    try:
        sys.monitoring.set_events(tool, events.PY_START)
        assert d(1) == "plain"
    finally:
        sys.monitoring.set_events(tool, 0)
        sys.monitoring.free_tool_id(tool)
    assert d(1) == (1,)


def depth():
    return _C.hook_depth()


def test_the_hook_is_there_during_a_call_only():
    seen = []
    d = _C.Dispatcher(lambda: seen.append(depth()))
    before = depth()
    d()
    assert seen == [(before[0] + 1, before[1])]
    assert depth() == before


def test_the_hook_goes_with_an_exception():
    before = depth()
    with pytest.raises(ZeroDivisionError):
        _C.Dispatcher(lambda: 1 / 0)()
    assert depth() == before


def generator():
    yield 1
    yield 2


async def coroutine():
    await asyncio.sleep(0)
    return 3


async def async_generator():
    yield 1


@pytest.mark.parametrize("fn", [generator, coroutine, async_generator])
def test_the_hook_stays_as_long_as_a_generator_lives(fn):
    users, held = depth()
    d = _C.Dispatcher(fn)
    first, second = d(), d()
    assert depth() == (users + 2, held + 2)
    for made in (first, second):
        if fn is coroutine:
            made.close()
    del first, made
    assert depth() == (users + 1, held + 1)
    cycle = [second]
    cycle.append(cycle)
    del second, cycle
    gc.collect()
    assert depth() == (users, held)


def test_generators_and_coroutines_run():
    assert list(_C.Dispatcher(generator)()) == [1, 2]
    assert asyncio.run(_C.Dispatcher(coroutine)()) == 3
    for fn in (generator, coroutine, async_generator):
        d = _C.Dispatcher(fn)
        for ask in ("isgeneratorfunction", "iscoroutinefunction", "isasyncgenfunction"):
            assert getattr(inspect, ask)(d) == getattr(inspect, ask)(fn)
    assert asyncio.run(collect()) == [1]


async def collect():
    return [item async for item in _C.Dispatcher(async_generator)()]


class Controls:
    cache_info = cache_clear = graphs = staticmethod(lambda which: (which, "told"))
    warmup = staticmethod(lambda *args, **kwargs: (args, kwargs))


def test_controls_are_what_was_set():
    d = _C.Dispatcher(example)
    for ask in (d.cache_info, d.cache_clear, d.warmup, lambda: d.graphs):
        with pytest.raises(RuntimeError, match="no controls"):
            ask()
    d._set_controls(Controls)
    assert d.cache_info() == d.cache_clear() == d.graphs == (d, "told")
    assert d.warmup(1, k=2) == ((d, 1), {"k": 2})
    with pytest.raises(TypeError):
        d.cache_clear(1)


def test_only_functions():
    for wrong in (len, Owner, 5, jit):
        with pytest.raises(TypeError):
            _C.Dispatcher(wrong)


def test_recursion_stops_as_without():
    @_C.Dispatcher
    def down(n):
        return down(n + 1)

    with pytest.raises(RecursionError):
        down(0)
    assert depth() == (0, 0) or depth()[0] == depth()[1]


def test_entries_replaced_while_one_runs():
    def f(a):
        return "plain"

    d = _C.Dispatcher(f)

    class Last:
        def __del__(self):
            d._clear()

    d._add_frameless(entry_for(f))
    for _ in range(3):
        d(Last())
    assert d._entries == ()


def test_threads():
    def f(a, b=2):
        return "plain"

    d = compiled(f)
    results = []

    def work():
        results.extend({d(i) == (i, 2) for i in range(2_000)})

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4
    assert d._hits == 8_000
