"""jitcore.compile: what it accepts, what it returns, and how it says no."""

from __future__ import annotations

import asyncio
import functools
import inspect
import math
import pickle
import signal
import types
import warnings
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore.host.user_exceptions import codes_of
from jitcore.ir.op import Op
from jitcore.verify.contain import guarded

X = np.linspace(-1.0, 2.0, 7)


def scale(x, k=2.0, *, shift=0.0):
    """Twice, or more."""
    return x * k + shift


@jitcore.compile
def at_module_level(x):
    return x * 3.0


def same(got: Any, wanted: Any) -> bool:
    return type(got) is type(wanted) and np.array_equal(got, wanted)


@pytest.mark.parametrize("arguments", [((X,), {}), ((X, 3.0), {}), ((X,), {"shift": 1, "k": 4})])
def test_arguments_are_bound_as_by_the_function(arguments) -> None:
    args, kwargs = arguments
    compiled = jitcore.compile(scale)
    for _ in range(3):
        assert same(compiled(*args, **kwargs), scale(*args, **kwargs))


def test_a_compiled_function_looks_like_its_original() -> None:
    compiled = jitcore.compile(scale)
    assert compiled.__wrapped__ is scale and compiled.eager is scale
    assert compiled.__name__ == "scale" and compiled.__doc__ == "Twice, or more."
    assert compiled.__qualname__ == scale.__qualname__ and compiled.__module__ == scale.__module__
    assert inspect.signature(compiled) == inspect.signature(scale)
    assert inspect.unwrap(compiled) is scale


def test_a_decorator_with_and_without_arguments() -> None:
    @jitcore.compile
    def one(x):
        return x + 1

    @jitcore.compile()
    def two(x):
        return x + 2

    @jitcore.compile(backend="numpy", numerics="exact", dynamic=None, fullgraph=False)
    def three(x):
        return x + 3

    for number, fn in enumerate((one, two, three), 1):
        assert [same(fn(X), X + number) for _ in range(3)] == [True] * 3


def test_compiling_twice_is_compiling_the_original() -> None:
    once = jitcore.compile(scale)
    twice = jitcore.compile(once, backend="numpy")
    assert twice.__wrapped__ is scale
    assert same(twice(X), scale(X))


@pytest.mark.parametrize(
    ("options", "choices"),
    [
        ({"numerics": "quick"}, ["exact"]),
        ({"numerics": ""}, ["exact"]),
        ({"backend": "cuda"}, ["c", "numpy"]),
    ],
)
def test_an_unknown_option_names_the_choices(options, choices) -> None:
    with pytest.raises(ValueError) as caught:
        jitcore.compile(scale, **options)
    (value,) = options.values()
    assert repr(value) in str(caught.value)
    assert all(choice in str(caught.value) for choice in choices)


@pytest.mark.parametrize("nothing", [3, "text", None.__class__(), X])
def test_what_cannot_be_called_is_refused(nothing) -> None:
    if nothing is None:
        assert callable(jitcore.compile(nothing))
        return
    with pytest.raises(TypeError, match="expects a callable"):
        jitcore.compile(nothing)


def test_wrong_arguments_raise_what_the_function_raises() -> None:
    compiled = jitcore.compile(scale)
    for args, kwargs in [((), {}), ((X, 1, 2), {}), ((X,), {"other": 1}), ((X,), {"x": X})]:
        with pytest.raises(TypeError) as wanted:
            scale(*args, **kwargs)
        with pytest.raises(TypeError) as got:
            compiled(*args, **kwargs)
        assert str(got.value) == str(wanted.value)


class Model:
    gain = 3.0

    def __init__(self, bias: float) -> None:
        self.bias = bias

    @jitcore.compile
    def method(self, x):
        return x * self.gain + self.bias

    @jitcore.compile
    @staticmethod
    def plain(x):
        return x - 1.0

    @staticmethod
    @jitcore.compile
    def inner_plain(x):
        return x - 2.0

    @jitcore.compile
    @classmethod
    def of_class(cls, x):
        return x * cls.gain

    @property
    @jitcore.compile
    def doubled(self):
        return np.asarray([self.bias, self.gain]) * 2

    def __call__(self, x):
        return x / self.bias


class Child(Model):
    gain = 5.0


def test_an_inherited_call_is_compiled() -> None:
    compiled = jitcore.compile(Child(0.5))
    assert same(compiled(X), X / 0.5)
    assert hasattr(compiled, "cache_info")


def test_a_warning_does_not_end_compiling() -> None:
    """A step that fails leaves the work to CPython; other shapes are still compiled."""

    @jitcore.compile
    def f(x, y):
        return x / y + 1

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            f(X, np.zeros_like(X))
    before = f.cache_info().entries
    f(X[1:].copy(), np.ones(X.size - 1))
    assert f.cache_info().entries == before + 1


def test_what_compiled_code_calls_and_leaves_may_be_compiled_by_name() -> None:
    names: dict[str, Any] = {}
    text = "def size(x):\n    return float((x * 3.0 + x).sum())"
    exec(compile(text, "/programs/left_by_name.py", "exec"), names)
    size = names["size"]
    jitcore.ignore_module("left_by_name")

    @jitcore.compile
    def largest(x):
        return max([x, x + 1], key=size)

    for _ in range(3):
        assert same(largest(X), X + 1)
    compiled = jitcore.compile(size)
    for _ in range(3):
        assert compiled(X) == size(X)
    assert compiled.cache_info().entries == 1


def test_methods_of_every_kind() -> None:
    for _ in range(3):
        for cls in (Model, Child):
            model = cls(0.5)
            assert same(model.method(X), X * cls.gain + 0.5)
            assert same(cls.method(model, X), X * cls.gain + 0.5)
            assert same(model.plain(X), X - 1.0) and same(cls.plain(X), X - 1.0)
            assert same(cls.inner_plain(X), X - 2.0)
            assert same(cls.of_class(X), X * cls.gain) and same(model.of_class(X), X * cls.gain)
            assert same(model.doubled, np.array([1.0, 2 * cls.gain]))


def test_a_bound_method_and_a_callable_object() -> None:
    model = Model(4.0)
    bound, called = jitcore.compile(Model(2.0).method), jitcore.compile(model)
    for _ in range(3):
        assert same(bound(X), X * 3.0 + 2.0)
        assert same(called(X), X / 4.0)
    model.bias = 8.0
    assert same(called(X), X / 8.0)


def test_a_partial_is_called_with_its_arguments() -> None:
    compiled = jitcore.compile(functools.partial(scale, k=5.0))
    for _ in range(3):
        assert same(compiled(X, shift=1.0), X * 5.0 + 1.0)


@pytest.mark.parametrize(
    ("fn", "args"), [(math.hypot, (3.0, 4.0)), (len, ("abc",)), (np.add, (X, 1))]
)
def test_a_function_without_code_still_works(fn, args) -> None:
    assert same(jitcore.compile(fn)(*args), fn(*args))


def test_a_function_without_code_leaves_a_note(caplog) -> None:
    with caplog.at_level("INFO", logger="jitcore"):
        jitcore.compile(math.hypot)
    assert ["no Python code" in record.getMessage() for record in caplog.records] == [True]


def test_a_class_is_refused_with_a_way_out() -> None:
    with pytest.raises(TypeError, match="Model: decorate its methods"):
        jitcore.compile(Model)


def test_functions_without_source() -> None:
    namespace: dict[str, Any] = {}
    exec("def f(x):\n    return x * 2 + 1\n", namespace)
    made = jitcore.compile(namespace["f"])
    anonymous = jitcore.compile(eval("lambda x: x * 2 + 1"))
    for _ in range(3):
        assert same(made(X), X * 2 + 1) and same(anonymous(X), X * 2 + 1)


def test_a_coroutine_function_and_generators() -> None:
    @jitcore.compile
    async def later(x):
        y = x * 2
        await asyncio.sleep(0)
        return y + 1

    @jitcore.compile
    def parts(x):
        y = x * 2
        got = yield y
        yield y + got
        return y

    @jitcore.compile
    async def stream(x):
        for k in range(2):
            yield x * k

    async def collected() -> list[Any]:
        return [item async for item in stream(X)]

    for _ in range(3):
        assert same(asyncio.run(later(X)), X * 2 + 1)
        generator = parts(X)
        assert same(next(generator), X * 2) and same(generator.send(1.0), X * 2 + 1.0)
        with pytest.raises(StopIteration):
            next(generator)
        assert all(map(same, asyncio.run(collected()), (X * 0, X * 1)))


def test_pickled_by_reference() -> None:
    assert pickle.loads(pickle.dumps(at_module_level)) is at_module_level


def test_closures_of_one_code_object_keep_apart() -> None:
    def outer(k):
        @jitcore.compile
        def inner(x):
            return x * k

        return inner

    inners = [outer(k) for k in (2.0, 3.0, 4.0)]
    for _ in range(3):
        assert all(same(fn(X), X * k) for fn, k in zip(inners, (2.0, 3.0, 4.0), strict=True))


def test_cache_info_counts() -> None:
    jitcore.reset()

    @jitcore.compile
    def f(x):
        return np.sqrt(x * x + 1.0)

    assert f.cache_info() == jitcore.CacheInfo(0, 0, 0, 0, 0)
    for _ in range(4):
        f(X)
    info = f.cache_info()
    assert info.hits >= 3 and info.compiles == 1 and info.entries == 1 and info.misses >= 1
    f(X.astype("f4"))
    again = f.cache_info()
    assert again.entries == 2 and again.compiles == 2 and again.misses > info.misses
    jitcore.reset()
    assert f.cache_info() == jitcore.CacheInfo(0, 0, 0, 0, 0)
    assert same(f(X), np.sqrt(X * X + 1.0))


class Alarm(Exception):
    pass


def rings(*_: object) -> None:
    raise Alarm


class Rings:
    """Nothing is asked of it but to be called."""

    def __init__(self, *_: object) -> None:
        raise Alarm

    def __call__(self, *_: object) -> None:
        raise Alarm

    def method(self, *_: object) -> None:
        raise Alarm

    def __getattribute__(self, name: str) -> Any:
        if name == "__class__":  # CPython 3.13's signal.signal asks for it
            return Rings
        raise AssertionError(name)


class Static:
    @staticmethod
    def __call__(*_: object) -> None:
        raise Alarm


BELL = object.__new__(Rings)
HANDLERS = {
    "function": rings,
    "partial": functools.partial(rings, 1),
    "partial of a partial": functools.partial(functools.partial(BELL), 2),
    "partial of a method": functools.partial(types.MethodType(Rings.method, BELL)),
    "method": types.MethodType(Rings.method, BELL),
    "object": BELL,
    "static": Static(),
    "class": Rings,
}


@pytest.fixture(params=HANDLERS)
def alarm(request):
    before = signal.signal(signal.SIGUSR1, HANDLERS[request.param])
    yield functools.partial(signal.raise_signal, signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, before)


def test_what_a_signal_handler_raises_while_we_compile_is_raised(alarm) -> None:
    """And not taken for an error of ours."""

    def interrupted(*_: object) -> None:
        alarm()

    with pytest.raises(Alarm):
        guarded(interrupted)()


def test_nothing_is_added_to_what_a_signal_handler_raises(alarm, monkeypatch) -> None:
    infer = Op.infer
    jitcore.reset()

    def interrupted(*args: Any, **kwargs: Any) -> Any:
        alarm()
        return infer(*args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(Op, "infer", interrupted)
        f = jitcore.compile(lambda x: np.sqrt(x * x + 3.0))
        with pytest.raises(Alarm) as caught:
            f(X)
    assert vars(caught.value) == {}
    assert same(f(X), np.sqrt(X * X + 3.0))


@pytest.mark.parametrize("handler", [None, print, signal.SIG_DFL, [].append, int, np.sqrt])
def test_of_handlers_in_c_nothing_is_known(handler) -> None:
    assert [*codes_of(handler)] == []


def test_callables_that_go_round_come_to_an_end() -> None:
    class Round:
        pass

    Round.__call__ = Round()
    assert [*codes_of(Round())] == []


def test_options_are_of_the_compiled_function_not_of_its_code() -> None:
    def f(x):
        y = x * 2 + 1
        print(end="")
        return y * y - x

    plain = jitcore.compile(f)
    strict = jitcore.compile(f, fullgraph=True)
    again = jitcore.compile(f)
    x = np.arange(4.0)
    for _ in range(3):
        assert np.array_equal(plain(x), f(x)) and np.array_equal(again(x), f(x))
        with pytest.raises(jitcore.GraphBreakError):
            strict(x)
    assert strict.__wrapped__ is plain.__wrapped__ is f
    assert strict.__qualname__ == f.__qualname__ and strict.__name__ == "f"
    assert plain.cache_info().compiles > 0


def test_raising_error_states_do_not_use_up_the_versions() -> None:
    @jitcore.compile
    def f(x):
        return x * 2 + 1

    x = np.arange(4.0)
    with np.errstate(all="raise"):
        for _ in range(30):
            f(x)
    before = f.cache_info().misses
    with np.errstate(all="raise"):
        for _ in range(30):
            f(x)
    assert f.cache_info().misses == before
    f(x)
    f(x)
    assert f.cache_info().hits > 0


def test_a_function_compiled_with_other_options_as_well_follows_it():
    """The second one runs a copy: what is changed of the function later is changed of it, too."""

    def f(x, s=2.0, *, k=0.0):
        return x * s + k

    first, other = jitcore.compile(f), jitcore.compile(f, dynamic=True)
    caller = jitcore.compile(lambda x: other(x) * 1.0, dynamic=True)
    x = np.arange(4.0)

    def agree():
        for fn in (first, other, other.eager, caller):
            assert fn(x).tobytes() == f(x).tobytes()

    assert other.eager is other.__wrapped__ is f and other.__code__ is f.__code__
    agree()
    agree()
    f.__defaults__ = (5.0,)
    f.__kwdefaults__ = {"k": 1.0}
    agree()
    f.__kwdefaults__["k"] = 3.0
    agree()
    f.__defaults__ = None
    with pytest.raises(TypeError, match="missing 1 required positional argument: 's'"):
        other(x)
    other.__defaults__ = (7.0,)
    assert f.__defaults__ == (7.0,)
    agree()
    f.__code__ = (lambda x, s, *, k: x - s - k).__code__
    agree()
    f.__kwdefaults__ = None
    with pytest.raises(TypeError, match="'k'"):
        other(x)
