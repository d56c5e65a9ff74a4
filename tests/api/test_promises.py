"""jitcore.allow_in_graph and jitcore.assume_constant_result: what becomes of a graph, and what
guards it. That programs see nothing of it is for tests/programs/p42_allowed_calls.py."""

from __future__ import annotations

import gc
import math
import sys
import types
import weakref
from asyncio import CancelledError
from collections import namedtuple

import numpy as np
import pytest

import jitcore

X = np.linspace(0.5, 2.0, 11)


def explained(fn, *args):
    seen = jitcore.explain(jitcore.compile(fn))(*args)
    return seen, [stop.code for stop in seen.breaks]


# -- allow_in_graph -------------------------------------------------------------------------------


def test_a_call_is_a_node_and_no_break():
    @jitcore.allow_in_graph
    def opaque(x):
        return [x.sum()]

    def f(x):
        y = x * 2 + 1
        (total,) = opaque(y)
        return y * total - 1

    compiled = jitcore.compile(f, fullgraph=True)
    seen = jitcore.explain(compiled)(X)
    assert not seen.breaks
    first = seen.graphs[0]
    assert [node.op.name for node in first.graph.body.nodes][-1] == f"allowed.{opaque.__qualname__}"
    for _ in range(20):
        assert compiled(X).tobytes() == f(X).tobytes()
    assert compiled.graphs[0].entry.hits > 10


def test_without_the_promise_it_is_a_break():
    unknown = np.frompyfunc(math.hypot, 2, 1)

    def f(x):
        y = x * 2 + 1
        return y, unknown(y, 2.0)

    assert explained(f, X)[1] == ["J202"]
    jitcore.allow_in_graph(unknown)
    jitcore.reset()
    assert explained(f, X)[1] == []


def test_an_inlined_call_says_what_stands_in_the_way():
    @jitcore.allow_in_graph
    def opaque(x):
        return x + 1

    def inner(x):
        return opaque(x) * 2

    def f(x):
        return inner(x * 2)

    seen, codes = explained(f, X)
    assert codes == ["J409"] and "allow_in_graph" in seen.breaks[0].reason


def test_what_is_made_in_the_graph_is_not_handed_on():
    @jitcore.allow_in_graph
    def opaque(items):
        return items

    def f(x):
        y = x * 2
        return opaque([y, y])

    seen, codes = explained(f, X)
    assert codes == ["J514"] and "a list made in this function" in seen.breaks[0].reason
    assert seen.result[0] is seen.result[1]


class Model:
    @staticmethod
    def plain(x):
        return x

    @staticmethod
    @jitcore.compile
    def compiled(x):
        return x

    def method(self):
        return 1


def test_functions_are_handed_on_as_they_are():
    found = []

    @jitcore.allow_in_graph
    def opaque(*args):
        found.append(args)
        return 1.5

    @jitcore.assume_constant_result
    def constant(*args):
        return len(args)

    def f(x, model):
        y = x * 2 + 1
        args = y, Model.plain, Model.compiled, model.plain, Model, model, np, np.sin, len
        return y * opaque(*args) + constant(*args[1:])

    model = Model()
    seen, codes = explained(f, X, model)
    assert not codes and (seen.result == (X * 2 + 1) * 1.5 + 8).all()
    wanted = (Model.plain, Model.compiled, model.plain, Model, model, np, np.sin, len)
    for args in found:
        assert all(one is other for one, other in zip(args[1:], wanted, strict=True))


def test_the_callable_is_not_kept_alive():
    """Nor what it refers to, by a caller that lives on."""
    world = {}
    code = (lambda x: callee(x * 2 + 1) * 3).__code__  # noqa: F821
    f = jitcore.compile(types.FunctionType(code, world))

    def opaque(x, marker=lambda: None):
        return x + 1

    world["callee"] = jitcore.allow_in_graph(opaque)
    refs = weakref.ref(opaque), weakref.ref(opaque.__defaults__[0])
    for _ in range(3):
        f(X)
    del opaque, world["callee"]
    gc.collect()
    assert [ref() for ref in refs] == [None, None]
    with pytest.raises(NameError):
        f(X)


def test_references_are_counted():
    marker = object()

    @jitcore.allow_in_graph
    def opaque(x):
        return marker

    def f(x):
        y = x * 2 + 1
        return opaque(y), opaque(X)

    compiled = jitcore.compile(f)
    for _ in range(3):
        compiled(X)
    before = [sys.getrefcount(one) for one in (marker, opaque, X)]
    for _ in range(1000):
        compiled(X)
    assert [sys.getrefcount(one) for one in (marker, opaque, X)] == before


@pytest.mark.parametrize("name", ["allow_in_graph", "assume_constant_result"])
def test_what_can_be_named(name):
    promise = getattr(jitcore, name)
    for fn in (len, np.add, lambda: 0, print, types.SimpleNamespace):
        assert promise(fn) is fn
    with pytest.raises(TypeError, match="callable, not int"):
        promise(3)
    with pytest.raises(TypeError, match="in the class"):
        promise(types.MethodType(len, "abc"))
    for fn in (len, np.add, print, types.SimpleNamespace):  # they live as long as the process
        for row in (jitcore.user.assumptions.ALLOWED, jitcore.user.assumptions.CONSTANT):
            row._rows.pop(id(fn), None)


# -- assume_constant_result -----------------------------------------------------------------------

Pair = namedtuple("Pair", "a b")


class Settings:
    gain = 2.0


SETTINGS = Settings()
RESULTS = {
    "int": (3, lambda x, r: x * r),
    "float": (2.5, lambda x, r: x * r),
    "complex": (2j, lambda x, r: x * r),
    "bool": (True, lambda x, r: x * r),
    "none": (None, lambda x, r: x * 2 if r is None else x),
    "text": ("wide", lambda x, r: x * len(r)),
    "tuple": ((2, (3.0, "b")), lambda x, r: x * r[0] + r[1][0]),
    "array": (np.arange(11.0), lambda x, r: x * r),
    "whole array": (np.arange(6).reshape(2, 3), lambda x, r: (x + r.sum(), r)),
    "numpy number": (np.float32(3), lambda x, r: x.astype("f4") * r),
    "dtype": (np.dtype("f4"), lambda x, r: x.astype(r) * 2),
    "class": (float, lambda x, r: x * r("2")),
    "function": (np.tanh, lambda x, r: r(x) * 2),
    "lambda": (lambda x: x * 7, lambda x, r: r(x) + 1),
    "module": (math, lambda x, r: x * r.pi),
    "instance": (SETTINGS, lambda x, r: x * r.gain),
    "named tuple": (Pair(2.0, 3.0), lambda x, r: x * r.a + r.b),
    "compiled": (jitcore.compile(lambda x: x * 3 + 1), lambda x, r: r(x) * 2),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_constants(name):
    result, use = RESULTS[name]
    calls = []

    @jitcore.assume_constant_result
    def constant():
        calls.append(1)
        return result

    compiled = jitcore.compile(lambda x: use(x, constant()))
    expected = use(X, result)
    for turn in range(4):
        found = compiled(X)
        if turn == 0:
            made = len(calls)
        both = (r if type(r) is tuple else (r,) for r in (found, expected))
        for one, other in zip(*both, strict=True):
            assert one.dtype == other.dtype and one.tobytes() == other.tobytes()
    assert len(calls) == made <= 2 and len(compiled.graphs) == 1
    assert not jitcore.explain(compiled)(X).breaks


@pytest.mark.parametrize("result", [[1, 2], {"a": 1}, {1}, np.array([None])], ids=repr)
def test_results_that_are_no_constants(result):
    @jitcore.assume_constant_result
    def constant():
        return result

    seen, codes = explained(lambda x: (x * 2, constant()), X)
    assert "J202" in codes and "can change" in str(seen.breaks[codes.index("J202")])
    assert seen.result[1] is result


@pytest.mark.parametrize("error", [LookupError, SystemExit, GeneratorExit, CancelledError])
def test_an_exception_is_cpythons(error):
    @jitcore.assume_constant_result
    def constant():
        raise error("none")

    compiled = jitcore.compile(lambda x: (x * 2, constant()))
    for _ in range(3):
        with pytest.raises(error, match="none") as caught:
            compiled(X)
        assert caught.traceback[-1].name == "constant"


def test_an_exception_may_be_caught():
    @jitcore.assume_constant_result
    def constant():
        raise SystemExit("none")

    @jitcore.compile
    def outer(x):
        y = x * 2
        try:
            return y + constant()
        except SystemExit:
            return y - 1

    for _ in range(3):
        assert (outer(X) == X * 2 - 1).all()


def test_a_warning_is_cpythons():
    @jitcore.assume_constant_result
    def constant():
        return np.float64(1) / np.float64(0)

    compiled = jitcore.compile(lambda x: x * 2 + constant())
    for _ in range(3):
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            assert np.isinf(compiled(X)).all()


def test_the_name_and_the_code_are_guarded():
    world = {"np": np}

    def named():
        return 2.0

    world["constant"] = jitcore.assume_constant_result(named)
    code = (lambda x: x * constant() + 1).__code__  # noqa: F821
    f = jitcore.compile(types.FunctionType(code, world))
    assert (f(X) == X * 2 + 1).all() and (f(X) == X * 2 + 1).all()
    world["constant"] = lambda: 5.0
    assert (f(X) == X * 5 + 1).all()
    world["constant"] = named
    assert (f(X) == X * 2 + 1).all()
    named.__code__ = (lambda: 7.0).__code__
    assert (f(X) == X * 7 + 1).all() and (f(X) == X * 7 + 1).all()


def test_arguments_are_guarded():
    class Model:
        def __init__(self, k):
            self.k = k

        @jitcore.assume_constant_result
        def gain(self, name, scale=1):
            return self.k * scale * len(name)

        @jitcore.compile
        def step(self, x, scale):
            return x * self.gain("ab", scale) + 1

    one, two = Model(2.0), Model(3.0)
    for model in (one, two, one, two):
        for scale in (1, 2, 1):
            assert (model.step(X, scale) == X * model.k * scale * 2 + 1).all()


def test_arguments_that_only_run_time_knows_are_a_break():
    @jitcore.assume_constant_result
    def constant(a):
        return 2.0

    seen, codes = explained(lambda x: x * 2 + constant(x), X)
    assert codes and "constant()" in seen.breaks[0].reason
    assert (seen.result == X * 2 + 2).all()


def test_it_is_asked_anew_where_it_is_compiled_anew():
    state = [2.0]

    @jitcore.assume_constant_result
    def constant():
        return state[0]

    f = jitcore.compile(lambda x: x * constant() + 1)
    assert (f(X) == X * 2 + 1).all()
    state[0] = 3.0  # the promise is broken: nobody finds out
    assert (f(X) == X * 2 + 1).all()
    f.cache_clear()
    assert (f(X) == X * 3 + 1).all()


def test_results_end_with_what_holds_them():
    result = np.arange(11.0)
    ref = weakref.ref(result)

    def make(result):
        @jitcore.assume_constant_result
        def constant():
            return result

        f = jitcore.compile(lambda x: x * constant() + 1)
        f(X), f(X)
        return f

    f = make(result)
    del result
    assert ref() is not None and (f(X) == X * np.arange(11.0) + 1).all()
    f.cache_clear()
    del f
    gc.collect()
    assert ref() is None


def test_an_instance_that_ends_is_asked_for_again():
    @jitcore.assume_constant_result
    def settings():
        return Settings()

    f = jitcore.compile(lambda x: x * settings().gain + 1)
    for _ in range(12):
        assert (f(X) == X * 2 + 1).all()
        gc.collect()
