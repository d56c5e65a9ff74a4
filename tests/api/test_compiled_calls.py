"""A compiled function that is called by another: when it is in its caller's graph, and when not."""

from __future__ import annotations

import gc
import sys
import types
import weakref

import numpy as np
import pytest

import jitcore
from jitcore import _C
from jitcore.runtime.adopt import twin
from jitcore.runtime.records import records

X = np.linspace(0.5, 2.0, 11)


def inner(x):
    return x * 3 + 1


def calling(callee):
    def f(x):
        return callee(np.sqrt(x)) * 2

    return f


def test_it_is_one_graph():
    seen = jitcore.explain(jitcore.compile(calling(jitcore.compile(inner))))(X)
    assert len(seen.graphs) == 1 and not seen.breaks
    assert seen.result.tobytes() == (inner(np.sqrt(X)) * 2).tobytes()


def test_also_under_fullgraph():
    f = jitcore.compile(calling(jitcore.compile(inner)), fullgraph=True)
    for _ in range(3):
        assert f(X).tobytes() == (inner(np.sqrt(X)) * 2).tobytes()


def test_methods_are_one_graph():
    class Model:
        k = 2.0

        @jitcore.compile
        def step(self, x):
            return x * self.k + 1

        @jitcore.compile
        def run(self, x):
            return self.step(self.step(x)) - x

        @staticmethod
        @jitcore.compile
        def half(x):
            return x / 2

        @property
        @jitcore.compile
        def twice(self):
            return self.k * 2

    def f(m, x):
        return m.run(x) + m.half(x) * m.twice

    seen = jitcore.explain(jitcore.compile(f))(Model(), X)
    assert len(seen.graphs) == 1 and not seen.breaks
    seen = jitcore.explain(jitcore.compile(Model().run))(X)
    assert len(seen.graphs) == 1 and not seen.breaks


@pytest.mark.parametrize("options", [{"numerics": "fast"}, {"backend": "numpy"}])
def test_other_options_keep_it_apart(options):
    f = jitcore.compile(calling(jitcore.compile(inner, **options)))
    seen = jitcore.explain(f)(X)
    (stop,) = seen.breaks
    assert stop.code == "J222" and next(iter(options.values())) in stop.reason
    assert "inner() is compiled with" in stop.reason


@pytest.mark.parametrize("options", [{"fullgraph": True}, {"dynamic": True}])
def test_options_that_change_no_result_do_not(options):
    f = jitcore.compile(calling(jitcore.compile(inner, **options)))
    assert not jitcore.explain(f)(X).breaks


def test_options_that_come_later_are_seen():
    """The same code under the same name: what was compiled for the one is not for the other."""
    own = twin(inner)
    world = {"np": np, "callee": jitcore.compile(own)}
    f = jitcore.compile(types.FunctionType((lambda x: callee(x) * 2).__code__, world))  # noqa: F821
    f(X), f(X)
    del world["callee"]
    gc.collect()
    world["callee"] = jitcore.compile(own, numerics="fast")
    seen = jitcore.explain(f)(X)
    assert [stop.code for stop in seen.breaks] == ["J222"]


def test_a_signature_is_checked():
    checked = jitcore.compile(inner, signature=[jitcore.ArraySpec((None,), np.float64)])
    f = jitcore.compile(calling(checked))
    seen = jitcore.explain(f)(X)
    assert [stop.code for stop in seen.breaks] == ["J222"] and "signature" in seen.breaks[0].reason
    with pytest.raises(jitcore.SignatureError):
        f(X.astype(np.float32))


def test_a_signature_that_comes_later_is_checked():
    own = twin(inner)
    world = {"np": np, "callee": jitcore.compile(own)}
    f = jitcore.compile(types.FunctionType((lambda x: callee(x) * 2).__code__, world))  # noqa: F821
    f(X), f(X)
    world["callee"] = jitcore.compile(own, signature=[jitcore.ArraySpec((3,), np.float64)])
    with pytest.raises(jitcore.SignatureError):
        f(X)


@pytest.mark.parametrize("jit", [lambda fn: fn, jitcore.compile], ids=["plain", "compiled"])
def test_globals_that_are_no_plain_dict_are_looked_up_by_cpython(jit):
    asked = []

    class Names(dict):
        def __getitem__(self, name):
            asked.append(name)
            return dict.__getitem__(self, name)

    world = Names(np=np, __builtins__=__builtins__)
    fn = types.FunctionType((lambda x: np.sqrt(x) * 3).__code__, world)
    f = calling(jit(fn))
    wanted = f(X)
    once, compiled = len(asked), jitcore.compile(f)
    for turn in range(4):
        assert (compiled(X) == wanted).all() and len(asked) == once * (turn + 2)


def test_what_is_disabled_stays_so():
    for left in (jitcore.disable(jitcore.compile(inner)), jitcore.disable(inner, recursive=False)):
        seen = jitcore.explain(jitcore.compile(calling(left)))(X)
        assert [stop.code for stop in seen.breaks] == ["J208"]
    jitcore.user.directives.left.clear()


def test_a_break_within_breaks_the_call_only():
    def asks(x):
        jitcore.graph_break()
        return x * 2 + 1

    inside = jitcore.compile(asks)
    f = jitcore.compile(calling(inside))
    for _ in range(3):
        assert f(X).tobytes() == (np.sqrt(X) * 2 + 1).__mul__(2).tobytes()
    seen = jitcore.explain(f)(X)
    assert [stop.code for stop in seen.breaks] == ["J207"]
    assert "asks" in str(seen.breaks[0])
    assert inside.cache_info().hits > 0  # it has graphs of its own


def test_nothing_is_kept_alive():
    def make():
        callee = jitcore.compile(types.FunctionType(inner.__code__.replace(), globals()))
        f = jitcore.compile(calling(callee))
        f(X), f(X)
        assert not jitcore.explain(f)(X).breaks
        return weakref.ref(callee), weakref.ref(callee._function), weakref.ref(f)

    refs = make()
    gc.collect()
    assert [ref() for ref in refs] == [None] * 3


def test_a_caller_that_lives_on_keeps_nothing():
    world = {"np": np}
    f = jitcore.compile(types.FunctionType((lambda x: callee(x) * 2).__code__, world))  # noqa: F821
    world["callee"] = jitcore.compile(types.FunctionType(inner.__code__.replace(), {"np": np}))
    ref = weakref.ref(world["callee"])
    f(X), f(X)
    del world["callee"]
    gc.collect()
    assert ref() is None
    with pytest.raises(NameError):
        f(X)


def test_references_are_counted():
    callee = jitcore.compile(inner)
    f = jitcore.compile(calling(callee))
    f(X), f(X)
    things = callee, callee._function, callee._options, X
    before = [sys.getrefcount(one) for one in things]
    for _ in range(1000):
        f(X)
    assert [sys.getrefcount(one) for one in things] == before


def test_options_are_a_text():
    with pytest.raises(TypeError, match="str"):
        _C.Dispatcher(inner)._set_options(3)
    assert _C.Dispatcher(inner)._options is None


# -- jitcore's own functions ----------------------------------------------------------------------


def test_functions_of_jitcores_own_are_cpythons():
    def f(x):
        y = np.sqrt(x) * 2
        n = jitcore.get_num_threads()
        return y + n

    compiled = jitcore.compile(f)
    seen = jitcore.explain(compiled)(X)
    (stop,) = seen.breaks
    assert stop.code == "J202" and "jitcore's own" in stop.reason
    assert stop.filename == __file__  # the user's line, none of jitcore's
    assert seen.result.tobytes() == f(X).tobytes()


def test_nothing_of_jitcores_own_is_compiled():
    """Not what dataclasses have made for its classes, either."""

    def f(x):
        made = jitcore.compile(twin(inner), dynamic=True)
        with jitcore.config(dynamic=True):
            other = jitcore.compile(twin(inner))
        return made(x) + other(x), made.cache_info() == other.cache_info()

    before = [code for _, code in records.with_codes()]
    compiled = jitcore.compile(f)
    for _ in range(12):
        assert compiled(X)[0].tobytes() == (inner(X) * 2).tobytes()
    codes = [code for _, code in records.with_codes()]
    met = [code for code in codes if not any(code is each for each in before)]
    assert met and all(code.co_filename == __file__ for code in met), met


def test_fail_on_break_is_about_the_programs_own():
    compiled = jitcore.compile(inner)
    with jitcore.stance("fail_on_break"):
        assert compiled(X).tobytes() == inner(X).tobytes()
        other = jitcore.compile(twin(inner), dynamic=True)
        assert other(X).tobytes() == inner(X).tobytes()
        assert compiled.cache_info().entries == 1 and compiled.cache_info() == compiled.cache_info()
        assert jitcore.explain(other)(X).result.tobytes() == inner(X).tobytes()
        spec = jitcore.ArraySpec((None,), np.float64)
        jitcore.compile(twin(inner), signature=[spec])(X)
        with jitcore.config(dynamic=True), jitcore.stance("compile"):
            jitcore.reset()
        jitcore.set_num_threads(jitcore.get_num_threads())
