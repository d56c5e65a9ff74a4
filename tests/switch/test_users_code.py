"""What the compiler looks at is not asked: no method runs that CPython would not run."""

from __future__ import annotations

import types

import numpy as np
import pytest

import jitcore

X = np.arange(50.0)
seen: list[str] = []


class Meta(type):
    def __getattribute__(cls, name):
        seen.append(f"class {name}")
        return super().__getattribute__(name)


def nosy(base: type, meta: type) -> type:
    class Nosy(base, metaclass=meta):
        def __getattribute__(self, name):
            seen.append(name)
            return super().__getattribute__(name)

        def __getattr__(self, name):
            seen.append(f"missing {name}")
            raise AttributeError(name)

        def __repr__(self):
            seen.append("repr")
            return "nosy"

        def __call__(self, *args):
            return 1.0

        __hash__ = base.__hash__
        __array_ufunc__ = None

    return Nosy


def calls(x, obj):
    return obj(x) + x * 2 + 1


def reads(x, obj):
    return x * 2 + obj.foo


def adds(x, obj):
    return (x * 2 + 1) + obj


def asks(x, obj):
    return x * 2 + hasattr(obj, "foo") + isinstance(obj, complex)


def branches(x, obj):
    return x * 2 if obj else x + 1


def raises(x, obj):
    raise obj if x.sum() > 0 else ValueError


def iterates(x, obj):
    y = x * 2 + 1
    for each in obj:
        y = y + each
    return y


def outcome(fn, obj):
    seen.clear()
    try:
        found = np.asarray(fn(X, obj)).tobytes()
    except Exception as error:
        found = type(error)
    return found, list(seen)


@pytest.mark.parametrize("meta", [type, Meta])
@pytest.mark.parametrize("base", [object, int, str, float, tuple, dict, list])
@pytest.mark.parametrize("fn", [calls, reads, adds, asks, branches, raises, iterates])
def test_objects_that_watch(fn, base, meta):
    obj = nosy(base, meta)()
    own = types.FunctionType(fn.__code__.replace(), globals(), fn.__name__)
    expected = outcome(own, obj)
    compiled = jitcore.compile(own)
    for _ in range(3):
        assert outcome(compiled, obj) == expected


class Names(dict):
    def __getitem__(self, name):
        seen.append(name)
        return dict.__getitem__(self, name)

    def __missing__(self, name):
        return 2.0


def reads_a_name(x):
    return x * 3.0 + x * scale  # noqa: F821


@pytest.mark.parametrize("builtins", [False, True])
def test_names_in_a_mapping(builtins):
    names: dict = Names(scale=4.0) if not builtins else {"__builtins__": Names()}
    fn = types.FunctionType(reads_a_name.__code__.replace(), names)
    seen.clear()
    expected, asked = fn(X).tobytes(), list(seen)
    assert bool(asked) or builtins
    compiled = jitcore.compile(fn)
    for _ in range(3):
        seen.clear()
        assert compiled(X).tobytes() == expected
        assert seen == asked


class Odd:
    """A name that says it is equal to any."""

    def __init__(self, like):
        self.like = like

    def __hash__(self):
        return hash(self.like)

    def __eq__(self, other):
        seen.append("equal")
        return False


def reads_of_an_object(x, obj):
    return x * 2.0 + obj.scale


class Scaled:
    pass


def test_names_that_are_no_str():
    obj = Scaled()
    obj.scale = 3.0
    obj.__dict__[Odd("scale")] = 1.0
    fn = types.FunctionType(reads_of_an_object.__code__.replace(), globals())
    expected = outcome(fn, obj)
    compiled = jitcore.compile(fn)
    for _ in range(3):
        assert outcome(compiled, obj) == expected


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_names_of_a_class_that_are_no_str():
    odd = type("odd", (), {"scale": 4.0, Odd("scale"): 5.0})
    fn = types.FunctionType(reads_of_an_object.__code__.replace(), globals())
    for obj in (odd, odd()):
        expected = outcome(fn, obj)
        compiled = jitcore.compile(fn)
        for _ in range(3):
            assert outcome(compiled, obj) == expected


class Asked(types.ModuleType):
    def __getattribute__(self, name):
        seen.append(name)
        return super().__getattribute__(name)


def test_a_module_that_answers_itself():
    module = Asked("m")
    module.scale = 2.0
    fn = types.FunctionType(reads_of_an_object.__code__.replace(), globals())
    expected = outcome(fn, module)
    compiled = jitcore.compile(fn)
    for _ in range(3):
        assert outcome(compiled, module) == expected


def test_a_list_in_itself(caplog):
    def f(x):
        around = [1.0]
        around.append(around)
        return x * 2.0 + 1.0, np.sum, around

    inside: list = [1]
    inside.append((inside,))

    def g(x):
        return x * 2.0 + np.size(inside[:1]), isinstance(inside, (list, tuple)), inside == inside

    for fn in (f, g):
        compiled = jitcore.compile(fn)
        for _ in range(2):
            assert compiled(X)[0].tobytes() == fn(X)[0].tobytes()
    assert not caplog.records


def test_a_module_without_a_name(caplog):
    module = types.ModuleType("m")
    del module.__name__

    def reads(x):
        y = x * 2 + 1
        return y + module.a

    compiled = jitcore.compile(reads)
    for _ in range(2):
        with pytest.raises(AttributeError):
            compiled(X)
    assert not caplog.records


def test_a_cut_table_of_lines(caplog):
    def f(x):
        return np.sqrt(x * 2 + 1) - x

    f.__code__ = f.__code__.replace(co_linetable=b"")
    assert jitcore.compile(f)(X).tobytes() == f(X).tobytes()
    assert not caplog.records  # internal errors are logged


def test_round_by_keyword(caplog):
    def f(x):
        return x * 2 + 1 + round(number=1.75)

    assert jitcore.compile(f)(X).tobytes() == f(X).tobytes()
    assert not caplog.records


def test_a_metaclass_that_shows_another_dict():
    class Shows(type):
        @property
        def __dict__(cls):
            seen.append("dict")

    class Shown(metaclass=Shows):
        scale = 2.0

    for obj in (Shown, Shown()):
        fn = types.FunctionType(reads_of_an_object.__code__.replace(), globals())
        expected = outcome(fn, obj)
        compiled = jitcore.compile(fn)
        for _ in range(3):
            assert outcome(compiled, obj) == expected


def test_a_range_that_is_too_long(caplog):
    def f(x):
        return x * 2.0 + 1.0 + (5 in range(1 << 70)), len(range(1 << 70))

    for fn in (f, jitcore.compile(f)):
        with pytest.raises(OverflowError):
            fn(X)
    assert not caplog.records


def test_a_step_of_zero(caplog):
    def f(x):
        return x * 2.0 + 1.0, [1, 2, 3][::0]

    for fn in (f, jitcore.compile(f)):
        with pytest.raises(ValueError, match="step"):
            fn(X)
    assert not caplog.records


def test_a_root_logger_that_shows_everything(caplog):
    def f(x):
        print(end="")
        return x * 2.0 + 1.0

    with caplog.at_level("DEBUG"):
        jitcore.compile(f)(X)
    assert not caplog.records
