"""fullgraph, graph_break, disable, is_compiling, and back ends of the user's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitcore

X = np.linspace(-1.0, 2.0, 7)


def breaks_of(fn: Any, *args: Any) -> list[str]:
    return [stop.code for stop in jitcore.explain(fn)(*args).breaks]


def test_fullgraph_raises_the_report_of_the_break() -> None:
    @jitcore.compile(fullgraph=True)
    def f(x):
        y = x * 2
        jitcore.graph_break()
        return y + 1

    with pytest.raises(jitcore.GraphBreakError) as caught:
        f(X)
    stop = caught.value.break_
    assert stop.code == "J207" and stop.filename == __file__
    assert stop.lineno == f.eager.__code__.co_firstlineno + 3
    assert str(caught.value).startswith(f"{stop}\n    jitcore.graph_break()\n    ^^^^^^^")
    assert "Hint:" in str(stop)
    assert isinstance(caught.value, jitcore.JitcoreError)


def test_fullgraph_is_silent_where_nothing_breaks() -> None:
    @jitcore.compile(fullgraph=True)
    def f(x):
        return np.exp(x) + 1

    assert [f(X).tobytes() for _ in range(3)] == [(np.exp(X) + 1).tobytes()] * 3


def test_graph_break_is_a_break_and_otherwise_nothing() -> None:
    @jitcore.compile
    def f(x):
        y = x * 2
        jitcore.graph_break()
        return y + 1

    assert jitcore.graph_break() is None
    assert breaks_of(f, X) == ["J207"]
    assert [f(X).tobytes() for _ in range(3)] == [(X * 2 + 1).tobytes()] * 3


def test_is_compiling_does_not_change_what_is_computed() -> None:
    @jitcore.compile
    def f(x):
        return x + 1 if jitcore.is_compiling() else x + 2

    for _ in range(3):
        assert f(X).tobytes() == f.eager(X).tobytes() == (X + 2).tobytes()
    assert f.cache_info().hits >= 2
    assert breaks_of(f, X) == []


def test_disable_as_a_decorator() -> None:
    seen = []

    @jitcore.disable
    def left(x):
        """Left alone."""
        seen.append(jitcore.is_compiling())
        return x * 3

    @jitcore.compile
    def f(x):
        return left(x + 1) - 1

    assert left.__name__ == "left" and left.__doc__ == "Left alone."
    for _ in range(3):
        assert f(X).tobytes() == ((X + 1) * 3 - 1).tobytes()
    assert seen == [False] * 3
    assert breaks_of(f, X)


def hits_of_a_call(fn: Any) -> int:
    before = fn.cache_info().hits
    assert fn(X).tobytes() == fn.eager(X).tobytes()
    return fn.cache_info().hits - before


def compiled_and_warm() -> Any:
    @jitcore.compile
    def f(x):
        return x * 3 + 1

    for _ in range(3):
        f(X)
    assert hits_of_a_call(f) == 1
    return f


def test_disable_as_a_context_manager() -> None:
    f = compiled_and_warm()
    with jitcore.disable():
        assert hits_of_a_call(f) == 0
        with jitcore.disable():
            assert hits_of_a_call(f) == 0
        assert hits_of_a_call(f) == 0
    assert hits_of_a_call(f) == 1


def test_disable_ends_when_its_body_raises() -> None:
    f = compiled_and_warm()
    with pytest.raises(KeyError), jitcore.disable():
        raise KeyError
    assert hits_of_a_call(f) == 1


def test_a_disabled_function_disables_what_it_calls() -> None:
    f = compiled_and_warm()
    left = jitcore.disable(lambda: hits_of_a_call(f))
    assert left() == 0
    assert hits_of_a_call(f) == 1


def test_disable_expects_a_callable() -> None:
    with pytest.raises(TypeError, match="expects a callable"):
        jitcore.disable(3)


def test_reset_forgets_and_functions_go_on() -> None:
    @jitcore.compile
    def f(x):
        return x * 3

    for _ in range(3):
        f(X)
    jitcore.reset()
    assert f.cache_info().entries == 0
    assert [f(X).tobytes() for _ in range(3)] == [(X * 3).tobytes()] * 3


def test_a_backend_of_the_users_gets_graph_and_inputs() -> None:
    seen: list[tuple[Any, tuple[Any, ...]]] = []

    def backend(graph, inputs):
        seen.append((graph, inputs))
        return lambda *args: (args[0] * 2 + 1,)

    jitcore.register_backend("twice", backend)

    @jitcore.compile(backend="twice")
    def f(x):
        return x * 2 + 1

    assert [f(X).tobytes() for _ in range(3)] == [(X * 2 + 1).tobytes()] * 3
    ((graph, inputs),) = seen
    assert "multiply" in str(graph)
    assert len(inputs) == 1 and inputs[0].shape == X.shape and inputs[0].dtype == X.dtype


def test_a_backend_that_fails_leaves_the_piece_to_cpython(caplog) -> None:
    def backend(graph, inputs):
        raise RuntimeError("no device")

    jitcore.register_backend("broken", backend)

    @jitcore.compile(backend="broken")
    def f(x):
        return x * 2 + 1

    with caplog.at_level("CRITICAL", logger="jitcore"):
        assert [f(X).tobytes() for _ in range(3)] == [(X * 2 + 1).tobytes()] * 3


@pytest.mark.parametrize("name", ["c", "numpy"])
def test_a_backend_cannot_take_a_name_of_ours(name) -> None:
    with pytest.raises(ValueError, match=repr(name)):
        jitcore.register_backend(name, lambda graph, inputs: lambda *args: args)


def test_a_backend_is_a_callable() -> None:
    with pytest.raises(TypeError, match="callable"):
        jitcore.register_backend("odd", 3)


def test_a_fault_of_ours_is_said_once_and_costs_nothing_after(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fault(*_: Any) -> None:
        raise RuntimeError("a fault")

    def f(x):
        return np.exp(x) + 1

    monkeypatch.setattr(jitcore.pipeline, "capture", fault)
    fn = jitcore.compile(f)
    with caplog.at_level("ERROR", logger="jitcore"):
        for _ in range(20):
            assert fn(X).tobytes() == f(X).tobytes()
    assert sum("internal error" in record.message for record in caplog.records) == 1
