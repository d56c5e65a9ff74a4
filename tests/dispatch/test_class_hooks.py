"""Methods that CPython makes static or class methods, if they are functions."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import jitcore


def compiled(fn: Any) -> Any:
    return jitcore.compile(fn)


def around(fn: Any) -> Any:
    return lambda *args, **words: fn(*args, **words)


class Closed(type):
    def __setattr__(cls, name: str, value: Any) -> None:
        raise AttributeError(name)


def hooks(jit: Any) -> list[Any]:
    seen: list[Any] = []

    class Base(metaclass=Closed):
        @jit
        def __new__(cls, *args):
            return super().__new__(cls)

        @jit
        def __init_subclass__(cls, **words):
            super().__init_subclass__()
            seen.append((cls.__name__, words))

        @jit
        def __class_getitem__(cls, item):
            return cls.__name__, item

        def again(self):
            return type(self.__new__(type(self))).__name__

    class Derived(Base, k=1):
        pass

    for _ in range(20):
        seen += [Base[3], Derived["a"], Base.__class_getitem__(4), Base().__class_getitem__(5)]
        seen += [Base().again(), Derived().again(), Derived().__init_subclass__(z=2)]
    seen += [(name, type(value).__name__) for name, value in vars(Base).items()]
    return [*seen, str(inspect.signature(Base.__class_getitem__))]


def stacked(jit: Any) -> list[Any]:
    """Who decorates it further makes a function of it, or says what it is."""
    seen: list[Any] = []

    class Base:
        @around
        @jit
        def __init_subclass__(cls, **words):
            seen.append((cls.__name__, words))

        @classmethod
        @jit
        def __class_getitem__(cls, item):
            return cls.__name__, item

        @jit
        @staticmethod
        def __new__(cls):
            return object.__new__(cls)

        hook = __new__

    class Derived(Base, k=1):
        pass

    return [*seen, Base[1], Derived[2], type(Base()).__name__, type(Base.hook(Derived)).__name__]


@pytest.mark.parametrize("jit", [compiled, jitcore.compile(dynamic=True)])
@pytest.mark.parametrize("program", [hooks, stacked])
def test_as_functions(program: Any, jit: Any) -> None:
    plain = str(program(lambda fn: fn))
    assert str(program(jit)).replace("Compiled", "function") == plain


def test_other_names_stay() -> None:
    fn = jitcore.compile(lambda *args: args[0])

    class Holder:
        method = fn
        __class_getitem__ = fn

    other = jitcore.compile(lambda x: x)
    assert vars(Holder)["method"] is fn and Holder[3] is Holder
    other.__set_name__(Holder, "__class_getitem__")  # it is not there
    assert vars(Holder)["__class_getitem__"].__func__ is fn
    with pytest.raises(TypeError):
        other.__set_name__(Holder)
