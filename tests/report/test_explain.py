"""jitcore.explain: one call → graphs, breaks, guards, times, the result, and a readable report."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import jitcore
from jitcore.runtime.notify import collect
from jitcore.toolchain import cache_dir

X = np.linspace(-1.0, 2.0, 64)


def half(x):
    y = np.sqrt(x * x + 1.0)
    print("half way", y[:0])
    return y * 2 + np.exp(y)


def test_an_explanation_has_all_parts(capsys) -> None:
    explanation = jitcore.explain(jitcore.compile(half))(X)
    assert capsys.readouterr().out == "half way []\n"
    assert explanation.result.tobytes() == half(X).tobytes()
    (stop,) = explanation.breaks
    assert stop.code == "J204" and stop.filename == __file__
    assert stop.lineno == half.__code__.co_firstlineno + 2
    assert stop.reason.startswith("output is written") and stop.hint
    assert len(explanation.graphs) == 2
    assert [len(g.graph.body.nodes) for g in explanation.graphs] == [4, 3]
    assert explanation.guards and all(isinstance(guard, str) for guard in explanation.guards)
    assert 0 < explanation.times["compiling"] < explanation.times["call"]


def test_those_who_collect_may_end_in_any_order() -> None:
    """Explanations on two threads, or one within another; all that found nothing are equal."""
    first, second = collect(), collect()
    mine, other = first.__enter__(), second.__enter__()
    second.__exit__(None, None, None)
    jitcore.compile(lambda x: np.sqrt(x * x + 0.25))(X)
    first.__exit__(None, None, None)
    jitcore.compile(lambda x: np.sqrt(x * x + 0.75))(X)
    assert (len(mine), len(other)) == (1, 0)


def test_the_report_reads_as_text(capsys) -> None:
    text = str(jitcore.explain(jitcore.compile(half))(X))
    line = half.__code__.co_firstlineno + 2
    assert text.splitlines()[0].startswith("half: 2 graphs, 1 break; the call took ")
    assert f"J204 {__file__}:{line} in half: output is written" in text
    assert "hint: numbers and strings stay in the graph" in text
    assert "ms of it compiling" in text


def test_a_second_explanation_tells_what_was_compiled_before(capsys) -> None:
    compiled = jitcore.compile(half)
    first = jitcore.explain(compiled)(X)
    second = jitcore.explain(compiled)(X)
    assert [g.offset for g in second.graphs] == [g.offset for g in first.graphs]
    assert second.breaks == first.breaks and second.times["compiling"] == 0


def test_the_source_of_a_kernel_on_request() -> None:
    def f(x):
        return np.sqrt(x * x + 1.0)

    explanation = jitcore.explain(jitcore.compile(f))(X)
    assert "sqrt" in explanation.source(0) and "{" in explanation.source()
    with pytest.raises(IndexError):
        explanation.source(1)


def test_a_plain_function_is_compiled_to_be_explained() -> None:
    def f(x):
        return np.sqrt(x * x + 1.0)

    explanation = jitcore.explain(f)(X)
    assert explanation.result.tobytes() == f(X).tobytes()
    assert len(explanation.graphs) == 1 and explanation.breaks == ()


def test_a_bound_method_is_explained() -> None:
    class Model:
        gain = 2.0

        @jitcore.compile
        def forward(self, x):
            return np.sqrt(x * x + self.gain)

    explanation = jitcore.explain(Model().forward)(X)
    assert explanation.result.tobytes() == np.sqrt(X * X + 2.0).tobytes()
    assert len(explanation.graphs) == 1
    assert str(explanation).startswith(f"{Model.forward.__qualname__}: 1 graph, 0 breaks")


def test_an_exception_of_the_call_is_the_callers() -> None:
    def f(x):
        return (x + 1) @ x[:3]

    with pytest.raises(ValueError) as wanted:
        f(X)
    with pytest.raises(ValueError) as got:
        jitcore.explain(jitcore.compile(f))(X)
    assert str(got.value) == str(wanted.value)


def test_two_explanations_at_once_do_not_mix() -> None:
    def inner(x):
        return np.sqrt(x * x + 1.0)

    inner_compiled = jitcore.compile(inner)
    seen = []

    def outer(x):
        seen.append(jitcore.explain(inner_compiled)(x))
        return x - 1

    explanation = jitcore.explain(outer)(X)
    assert explanation.result.tobytes() == (X - 1).tobytes()
    assert seen[0].result.tobytes() == inner(X).tobytes()


@pytest.mark.parametrize(
    ("fn", "args"), [(len, ("abc",)), (functools.partial(len, "ab"), ()), (np.add, (1, 2))]
)
def test_a_function_without_code_is_explained_as_such(fn, args) -> None:
    explanation = jitcore.explain(fn)(*args)
    assert explanation.result == fn(*args)
    assert explanation.graphs == ()
    assert [stop.code for stop in explanation.breaks] == ["J909"]
    assert "0 graphs, 1 break;" in str(explanation)


def test_what_has_no_code_cannot_be_explained_but_says_so() -> None:
    with pytest.raises(TypeError):
        jitcore.explain(3)


def test_what_was_said_in_the_log_stands_in_the_report(monkeypatch) -> None:
    monkeypatch.setattr(cache_dir, "SAID", {"compiler": "the C compiler cc is not used: it is out"})
    about = jitcore.explain(lambda x: x * 2 + x)(np.arange(3.0))
    assert about.notes == ("the C compiler cc is not used: it is out",)
    assert str(about).endswith("\n  note: the C compiler cc is not used: it is out")


def test_the_time_of_a_call_is_accounted_for(capsys) -> None:
    def f(x):
        y = np.sqrt(x * x + 1.0)
        print("half way", y[:0])
        sum(range(200_000))
        return np.exp(-y) * 2.0

    compiled = jitcore.compile(f)
    compiled(X)
    several = [jitcore.explain(compiled)(X) for _ in range(5)]
    seen = max(several, key=lambda one: one.accounted)  # nobody else had the processor in between
    assert seen.accounted > 0.5
    owners = sum(seen.run.totals.seconds)
    assert seen.accounted == pytest.approx(owners / seen.times["call"])
    lines = seen.annotated.splitlines()
    assert any("sqrt" in line and "kernel 0" in line for line in lines)
    assert any('print("half way", y[:0])' in line and "J204" in line for line in lines)
    assert "J204" in seen._repr_html_() and "kernel 0" in seen._repr_html_()


def test_an_entry_for_many_sizes_says_so() -> None:
    f = jitcore.compile(lambda x: np.sqrt(x * x + 1.0) * np.exp(-x))
    for n in (2000, 3000):
        f(np.ones(n))
    assert ", the largest of x (2 to " in str(jitcore.explain(f)(np.ones(4000)))
