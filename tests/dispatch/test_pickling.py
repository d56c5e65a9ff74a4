"""Compiled functions in pickles: by name where a name leads to them, else as what they are made
of."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore.user import backends

cloudpickle: Any = pytest.importorskip("cloudpickle", reason="it takes functions by value")

X = np.arange(4.0)
MODULE = sys.modules[__name__]
PICKLERS = (pickle.dumps, pickle._dumps)  # type: ignore[attr-defined]


@jitcore.compile
def doubled(x: Any) -> Any:
    return x * 2 + 1


class Model:
    @jitcore.compile
    def run(self, x: Any) -> Any:
        return x * 3


def plain(x: Any, k: float = 5.0) -> Any:
    return np.sqrt(x * x + k)


around = jitcore.compile(plain, numerics="fast", fullgraph=True)
around.note = "mine"


def closure(k: float, **options: Any) -> Any:
    def scaled(x):
        return np.sqrt(x * x + 1.0) * k

    return jitcore.compile(scaled, **options)


def countdown() -> Any:
    @jitcore.compile
    def down(n, *, step=1):
        return n if n <= 0 else down(n - step)

    down.note = [1, 2]
    return down


def by_value(fn: Any) -> Any:
    return cloudpickle.loads(cloudpickle.dumps(fn))


@pytest.mark.parametrize("dumps", PICKLERS)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_name_leads_to_the_very_function(dumps: Any, protocol: int) -> None:
    assert pickle.loads(dumps(doubled, protocol)) is doubled
    if protocol >= 4:  # older ones have no name of an attribute
        assert pickle.loads(dumps(Model.run, protocol)) is Model.run


def test_what_was_set_since_stays_where_a_name_leads_to_it(monkeypatch: Any) -> None:
    data = pickle.dumps(doubled)
    monkeypatch.setitem(doubled.__dict__, "note", 3)
    assert pickle.loads(data).note == 3 and data == pickle.dumps(doubled)


@pytest.mark.parametrize("dumps", PICKLERS)
def test_without_a_name_plain_pickle_says_what_it_says_of_the_function(dumps: Any) -> None:
    for fn in (closure(2.0), jitcore.compile(lambda x: x)):
        with pytest.raises((pickle.PicklingError, AttributeError)) as ours:
            dumps(fn)
        with pytest.raises((pickle.PicklingError, AttributeError)) as of_function:
            dumps(fn.eager)
        assert str(ours.value) == str(of_function.value)


def test_compiled_under_another_name() -> None:
    back = pickle.loads(pickle.dumps(around))
    assert back.eager is plain and back.note == "mine"
    assert back._config.numerics == "fast" and back._config.fullgraph
    assert np.allclose(back(X), plain(X))


@pytest.mark.parametrize("fn", [closure(2.5), jitcore.compile(lambda x: x * 2.5)])
def test_by_value(fn: Any) -> None:
    back = by_value(fn)
    assert type(back) is type(fn) and back is not fn
    assert back.__qualname__ == fn.__qualname__ and back.eager.__qualname__ == fn.__qualname__
    assert vars(back) == {"__wrapped__": back.eager}
    for _ in range(3):
        assert back(X).tobytes() == fn.eager(X).tobytes()


def test_by_value_again() -> None:
    """What came by value goes by value."""
    back = by_value(by_value(closure(2.5)))
    assert back(X).tobytes() == closure(2.5).eager(X).tobytes()


def test_options_and_a_signature_go_along() -> None:
    spec = jitcore.ArraySpec((None,), np.float64)
    back = by_value(closure(2.0, dynamic=True, numerics="fast", signature=[spec]))
    assert back._config.dynamic is True and back._config.numerics == "fast"
    assert back(X).shape == X.shape
    with pytest.raises(jitcore.SignatureError):
        back("text")


def test_one_that_calls_itself() -> None:
    down = countdown()
    back = by_value(down)
    assert back(5) == 0 and back.note == [1, 2]
    assert back.__closure__[0].cell_contents is back
    assert back.__kwdefaults__ == {"step": 1} and back.__qualname__ == down.__qualname__


def test_a_module_that_goes_by_value() -> None:
    """As the main script does."""
    cloudpickle.register_pickle_by_value(MODULE)
    try:
        data = [cloudpickle.dumps(fn) for fn in (doubled, Model, around)]
    finally:
        cloudpickle.unregister_pickle_by_value(MODULE)
    back, model, other = map(cloudpickle.loads, data)
    assert back is not doubled and back(X).tobytes() == doubled(X).tobytes()
    assert back.__qualname__ == back.eager.__qualname__ == "doubled"
    assert vars(back) == {"__wrapped__": back.eager} and "doubled()" in message_of(back)
    assert type(model.run) is type(doubled)
    assert model().run(X).tobytes() == (X * 3).tobytes()
    assert other.note == "mine" and other.eager is not plain


def message_of(fn: Any) -> str:
    with pytest.raises(TypeError) as caught:
        fn()
    return str(caught.value)


def test_by_name_elsewhere() -> None:
    assert cloudpickle.loads(cloudpickle.dumps(doubled)) is doubled


def test_what_comes_again_is_compiled_once() -> None:
    data = cloudpickle.dumps(closure(7.0))
    first, second = cloudpickle.loads(data), cloudpickle.loads(data)
    for _ in range(3):
        first(X)
    before = first.cache_info()
    assert before.compiles
    assert second(X).tobytes() == first(X).tobytes()
    other = cloudpickle.loads(cloudpickle.dumps(closure(8.0)))  # the same code
    assert other(X).tobytes() == closure(8.0).eager(X).tobytes()
    assert second.cache_info().compiles == first.cache_info().compiles
    assert second.eager.__code__ is first.eager.__code__


def test_functions_that_come_along_are_known_again() -> None:
    """As the helpers of a main script."""
    space: dict[str, Any] = {"__name__": "__main__", "jitcore": jitcore}
    text = """
def helper(x):
    return inner(x) * 2

def inner(x):
    return [one + 1 for one in x]

@jitcore.compile
def f(x):
    return helper(x), x * x + 1
"""
    exec(compile(text, "a_script.py", "exec"), space)
    data = cloudpickle.dumps(space["f"])
    came = [cloudpickle.loads(data) for _ in range(3)]
    assert len({id(one.eager) for one in came}) == 3
    for name in ("helper", "inner"):
        codes = [one.eager.__globals__.get(name) for one in came if name in one.eager.__globals__]
        assert len({id(one.__code__) for one in codes}) == 1


def test_equal_code_of_two_files_stays_apart() -> None:
    made = []
    for name in ("one.py", "two.py"):
        space: dict[str, Any] = {"jitcore": jitcore, "__name__": "nowhere"}
        exec(compile("f = jitcore.compile(lambda x: x + 1)", name, "exec"), space)
        made.append(by_value(space["f"]).__code__.co_filename)
    assert made == ["one.py", "two.py"]


def test_a_backend_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "_registered", {})
    jitcore.register_backend("passing", lambda graph, inputs: None)
    data = cloudpickle.dumps(closure(2.0, backend="passing"))
    backends._registered.clear()
    with pytest.raises(ValueError, match="backend 'passing'"):
        cloudpickle.loads(data)
