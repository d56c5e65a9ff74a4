"""A compiled function stands wherever the plain one stood."""

from __future__ import annotations

import copy
import functools
import gc
import inspect
import pickle
import sys
import typing
import weakref
from typing import Any

import numpy as np
import pytest

import jitcore

X = np.arange(4.0)
MODULE = sys.modules[__name__]


@jitcore.compile
def scaled(x: Any, factor: float = 2.0) -> Any:
    """Doc."""
    return x * factor + 1


class Model:
    def __init__(self, w: float) -> None:
        self.w = w

    @jitcore.compile
    def run(self, x: Any) -> Any:
        return x * self.w

    @jitcore.compile
    @staticmethod
    def plain(x: Any) -> Any:
        return x + 1

    @jitcore.compile
    @classmethod
    def of(cls, x: Any) -> Any:
        return cls.__name__, x * 2

    @property
    @jitcore.compile
    def half(self) -> Any:
        return X * self.w / 2

    __call__ = run


def test_methods() -> None:
    model, other = Model(3.0), Model(5.0)
    for _ in range(4):
        assert np.array_equal(model.run(X), X * 3)
        assert np.array_equal(Model.run(other, X), X * 5)
        assert np.array_equal(model(X), X * 3)
        assert np.array_equal(Model.plain(X), X + 1)
        assert np.array_equal(model.plain(X), X + 1)
        assert model.of(X)[0] == Model.of(X)[0] == "Model"
        assert np.array_equal(model.half, X * 1.5)
    assert model.run.__self__ is model
    assert model.run.__func__ is Model.run is vars(Model)["run"]
    assert model.run == model.run
    bound = jitcore.compile(model.run)
    assert bound.__self__ is model
    assert np.array_equal(bound(X), X * 3)


def test_binding_as_functions_bind() -> None:
    def f(x):
        return x

    compiled = jitcore.compile(f)
    assert compiled.__get__(None, Model) is compiled
    assert compiled.__get__(None, type(None)) is compiled
    assert compiled.__get__(5)() == f.__get__(5)() == 5


def test_names_and_signature() -> None:
    plain = scaled.eager
    assert scaled.__wrapped__ is plain
    for name in ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__"):
        assert getattr(scaled, name) == getattr(plain, name)
    for name in ("__defaults__", "__kwdefaults__", "__code__", "__globals__", "__closure__"):
        assert getattr(scaled, name) is getattr(plain, name)
    assert inspect.signature(scaled) == inspect.signature(plain)
    assert inspect.unwrap(scaled) is plain
    assert inspect.getsource(scaled) == inspect.getsource(plain)
    assert typing.get_type_hints(scaled) == typing.get_type_hints(plain)
    assert callable(scaled)
    assert "scaled" in repr(scaled)
    with pytest.raises(AttributeError):
        scaled.__closure__ = ()


def test_pickle_and_copy() -> None:
    assert pickle.loads(pickle.dumps(scaled)) is scaled
    assert pickle.loads(pickle.dumps(Model.run)) is Model.run
    assert copy.copy(scaled) is scaled
    assert copy.deepcopy([scaled]) == [scaled]


def test_own_name_decides_about_pickling(monkeypatch: pytest.MonkeyPatch) -> None:
    renamed = jitcore.compile(scaled.eager)
    monkeypatch.setattr(MODULE, "renamed", renamed, raising=False)
    with pytest.raises(pickle.PicklingError):
        pickle.dumps(renamed)
    renamed.__name__ = renamed.__qualname__ = "renamed"
    assert scaled.__name__ == "scaled"
    assert pickle.loads(pickle.dumps(renamed)) is renamed


def test_attributes_of_any_name() -> None:
    def f(x):
        f_.calls += 1
        return x * f_.calls

    f.tag = "kept"
    f_ = jitcore.compile(f)
    assert f_.tag == "kept"
    for name in (
        "calls",
        "hits",
        "entries",
        "off",
        "clear",
        "eager",
        "cache_info",
        "dict",
        "graphs",
        "warmup",
    ):
        setattr(f_, name, 0)
        assert getattr(f_, name) == 0
    for n in range(1, 5):
        assert np.array_equal(f_(X), X * n)
    assert f_.calls == 4
    del f_.calls
    with pytest.raises(AttributeError):
        f_(X)
    f_.__dict__ = {"calls": 7}
    assert np.array_equal(f_(X), X * 8)
    assert not hasattr(f, "calls")


def test_wraps_both_ways() -> None:
    @functools.wraps(scaled)
    def around(*args: Any) -> Any:
        return scaled(*args)

    assert around.__wrapped__ is scaled
    assert around.__doc__ == "Doc."

    def inner(x: int) -> int:
        """Inner."""
        return x

    @functools.wraps(inner)
    @jitcore.compile
    def outer(*args):
        return inner(*args) * 2.0

    assert outer.__wrapped__ is inner
    assert outer.__name__ == "inner"
    assert outer.__doc__ == "Inner."
    assert inspect.signature(outer) == inspect.signature(inner)
    assert np.array_equal(outer(X), X * 2)
    assert np.array_equal(jitcore.compile(outer)(X), X * 2)
    assert outer.cache_info().compiles > 0
    del outer.__wrapped__
    assert outer.__wrapped__ is outer.eager
    with pytest.raises(AttributeError):
        del outer.__wrapped__


def test_other_wrappers() -> None:
    assert np.array_equal(functools.partial(scaled, factor=3.0)(X), X * 3 + 1)
    assert list(map(scaled, [1.0, 2.0])) == [3.0, 5.0]
    assert functools.lru_cache(scaled)(1.0) == 3.0
    assert functools.singledispatch(scaled)(1.0) == 3.0


def test_another_code() -> None:
    def f(x):
        return x + 1

    def g(x):
        return x * 10

    compiled = jitcore.compile(f)
    for _ in range(3):
        assert np.array_equal(compiled(X), X + 1)
    compiled.__code__ = g.__code__
    assert f.__code__ is g.__code__
    for _ in range(3):
        assert np.array_equal(compiled(X), X * 10)
    f.__code__ = (lambda: 5).__code__
    assert compiled() == 5
    with pytest.raises(TypeError):
        compiled(X)


def test_it_dies() -> None:
    def make() -> Any:
        big = np.zeros(10)

        def f(x, again=False):
            return compiled(x) if again else x + big

        compiled = jitcore.compile(f)
        for _ in range(3):
            compiled(X[:1])
        return compiled, weakref.ref(compiled), weakref.ref(f), weakref.ref(big)

    compiled, *refs = make()
    assert compiled(X[:1], True).shape == (10,)
    del compiled
    gc.collect()
    assert [ref() for ref in refs] == [None] * 3


def test_nothing_leaks() -> None:
    def f(x, *, y=3.0):
        return x + y

    compiled = jitcore.compile(f)
    word = 2.5
    watched = [X, word, f, compiled, f.__kwdefaults__["y"]]
    for _ in range(4):
        compiled(X), compiled(x=X, y=word)
    before = [sys.getrefcount(obj) for obj in watched]
    for _ in range(50):
        compiled(X), compiled(x=X, y=word), compiled(x=X)
        with pytest.raises(TypeError):
            compiled(X, X)
        with pytest.raises(TypeError):
            compiled("a")
    assert [sys.getrefcount(obj) for obj in watched] == before
    assert compiled._hits > 50


def test_clearing_a_running_function() -> None:
    def f(x):
        jitcore.reset()
        return x * 2 + 1

    compiled = jitcore.compile(f)
    for _ in range(4):
        assert np.array_equal(compiled(X), X * 2 + 1)
    f.__code__ = (lambda x: x * 3 + 1).__code__
    for _ in range(3):
        assert np.array_equal(compiled(X), X * 3 + 1)


def test_only_functions() -> None:
    with pytest.raises(TypeError):
        jitcore._C.Dispatcher(len)
    with pytest.raises(TypeError):
        scaled._add_frameless(object())
