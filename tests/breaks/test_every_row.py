"""Every row of the break table happens: where its program says, with the same bits as eager."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from support.breaking import Expected, found_in, marked_lines, nothing_special
from support.compiler import BACKENDS, REAL, find, forget, identity
from support.observe import internal_errors
from support.program import Found, execute, run, run_difference

import jitcore
from jitcore.fallback.breaks import KINDS, Break
from jitcore.fallback.hints import closer

HERE = Path(__file__).parent
ROWS = found_in(HERE)
SINCE = {"J101": (3, 12)}  # before, all that functions are made of has a row of its own
CASES = [pytest.param(found, expected, id=str(found)) for found, expected in ROWS]
pytestmark = pytest.mark.skipif(not REAL, reason="asks jitcore for its reports")


def world_of(expected: Expected) -> AbstractContextManager[Any]:
    return expected.world() if expected.world is not None else nothing_special()


def fresh(found: Found) -> tuple[Any, Any]:
    """The function and the maker of its inputs, from an execution of their own."""
    forget()
    fn = execute(found.path)[found.function]
    return fn, fn.__program__.inputs[0]


def one_break(stops: tuple[Break, ...], code: str) -> Break:
    matching = [stop for stop in stops if stop.code == code]
    assert matching, f"no {code} in {[str(stop) for stop in stops]}"
    return matching[0]


def expected_line(found: Found) -> int | None:
    """None: what was called has no lines."""
    lines = marked_lines(found)
    assert len(lines) <= 1, lines
    return lines[0] if lines else None


def test_every_row_has_a_program() -> None:
    programs = {found.program.name for found, _ in ROWS}
    needed = {code for code in KINDS if sys.version_info >= SINCE.get(code, (3, 11))}
    assert programs == needed, "give the row a program in tests/breaks, or remove it"


@pytest.mark.parametrize(("found", "expected"), CASES)
def test_explain_names_the_row_and_the_line(found: Found, expected: Expected) -> None:
    fn, inputs = fresh(found)
    with world_of(expected), internal_errors() as errors:
        compiled = jitcore.compile(fn, **dict(expected.options))
        if expected.iterated:
            expected.drive(compiled)(*inputs())
        explanation = expected.explained(jitcore.explain(compiled))(*inputs())
    stop = one_break(explanation.breaks, expected.code)
    line = expected_line(found)
    assert (stop.filename, stop.lineno) == (str(found.path) if line else "", line), str(stop)
    kind = KINDS[expected.code]
    assert stop.reason.startswith(stop.detail if kind.whole and stop.detail else kind.what)
    assert stop.hint == (closer(stop.code, stop.detail) or KINDS[expected.code].hint)
    assert f"{stop.code} {stop.place}" in str(explanation)
    assert bool(errors) is expected.logged, errors


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("found", "expected"), CASES)
def test_the_bits_are_eagers(found: Found, expected: Expected, backend: str) -> None:
    """First call, second call, and all others of a program's run."""

    def driven(jit: Any) -> Any:
        options = dict(expected.options)
        return lambda fn, **more: expected.drive(jit(fn, **{**more, **options}))

    eager = run(found, driven(identity))
    with world_of(expected), internal_errors() as errors:
        compiled = run(found, driven(find()), backend)
    forget()
    difference = run_difference(found, backend, eager, compiled)
    assert difference is None, difference
    assert bool(errors) is expected.logged, errors


@pytest.mark.parametrize(("found", "expected"), CASES)
def test_code_before_and_after_the_break_is_compiled(found: Found, expected: Expected) -> None:
    fn, inputs = fresh(found)
    with world_of(expected), internal_errors():
        compiled = jitcore.compile(fn, **dict(expected.options))
        driven = expected.drive(compiled)
        for _ in range(3):
            driven(*inputs())
        explanation = expected.explained(jitcore.explain(compiled))(*inputs())
    ran = [graph for graph in explanation.graphs if graph.entry.hits and graph.graph.body.nodes]
    before = [graph for graph in ran if expected.code in {stop.code for stop in graph.breaks}]
    after = [graph for graph in ran if before and graph.offset > before[0].offset]
    assert bool(before) is expected.graphs, str(explanation)
    assert bool(after) is (expected.graphs and expected.after), str(explanation)


@pytest.mark.parametrize(("found", "expected"), CASES)
def test_fullgraph_raises_the_row(found: Found, expected: Expected) -> None:
    fn, inputs = fresh(found)
    with world_of(expected), internal_errors():
        compiled = jitcore.compile(fn, fullgraph=True, **dict(expected.options))
        driven = expected.drive(compiled)
        if not expected.fullgraph:
            driven(*inputs())
            return
        if expected.raised is not None:
            with pytest.raises(expected.raised, match=expected.code):
                driven(*inputs())
            return
        with pytest.raises(jitcore.GraphBreakError) as caught:
            driven(*inputs())
    stop = caught.value.break_
    assert stop.code == expected.code, str(stop)
    assert stop.lineno == expected_line(found)
