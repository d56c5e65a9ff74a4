"""Hints, followed: the break is gone, and the result is what it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.breaking import found_in, nothing_special, ways_in
from support.compiler import REAL, forget
from support.observe import internal_errors
from support.program import execute

import jitcore
from jitcore.fallback.breaks import KINDS, Break, HintClass
from jitcore.fallback.hints import BEGUN, CLOSER, ELSE, WAYS, closer
from jitcore.runtime.notify import collect
from jitcore.runtime.records import Region

HERE = Path(__file__).parent
PATHS = sorted(HERE.glob("j[0-9]*.py"))
NEAR = HERE / "closer.py"
LEFT = {code for code, kind in KINDS.items() if kind.hint_class is HintClass.OUR_BUG}
pytestmark = pytest.mark.skipif(not REAL, reason="asks jitcore for its reports")


def cases(paths: list[Path]) -> Iterator[Any]:
    for path in paths:
        for name, number, of in ways_in(path):
            yield pytest.param(path, name, number, of, id=f"{of}-{name}")


def same(one: Any, other: Any) -> bool:
    """Values and types; where they lie in memory may differ."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(
        getattr(one, "dtype", None) == getattr(other, "dtype", None) and np.array_equal(one, other)
    )


def stops_of(call: Any) -> tuple[Any, list[Break]]:
    """What a call gives, and the breaks that are found meanwhile."""
    with collect() as found:
        result = call()
    regions = [item for item in found if isinstance(item, Region)]
    stops = [stop for region in regions for stop in region.breaks]
    return result, stops + [item for item in found if isinstance(item, Break)]


def breaking(path: Path, name: str) -> tuple[Any, Any, str]:
    """A program, its inputs, and the code of its row."""
    fn = execute(path)[name]
    if hasattr(fn, "__closely__"):
        code, inputs, _ = fn.__closely__
        return fn, inputs, code
    return fn, fn.__program__.inputs[0], fn.__expected__.code


def test_every_row_has_a_way_out() -> None:
    left = {expected.code for _, expected in found_in(HERE)} - LEFT
    shown = {breaking(path, of)[2] for path in PATHS for _, _, of in ways_in(path)}
    assert shown == left, "show in tests/breaks what a user would write instead"


@pytest.mark.parametrize(("path", "name", "number", "of"), [*cases([*PATHS, NEAR])])
def test_the_break_is_gone(path: Path, name: str, number: int, of: str) -> None:
    forget()
    names = execute(path)
    fn, example = names[name], names[of]
    way = fn.__ways__[number]
    _, inputs, code = breaking(path, of)
    expected = getattr(example, "__expected__", None)
    with expected.world() if expected and expected.world else nothing_special():
        before = expected.drive(example)(*inputs()) if expected else example.__driven_plain__()
    compiled = jitcore.compile(fn, **dict(way.options))
    given = way.inputs or inputs
    with internal_errors() as errors:
        after, stops = stops_of(lambda: way.drive(compiled)(*given()))
        stops += jitcore.explain(compiled)(*given()).breaks
    assert same(before, after), (before, after)
    assert {stop.code for stop in stops} <= set(way.others), (code, list(map(str, stops)))
    assert not errors


NEAR_CASES = [
    pytest.param(name, id=name) for name, fn in execute(NEAR).items() if hasattr(fn, "__closely__")
]


@pytest.mark.parametrize("name", NEAR_CASES)
def test_a_closer_hint_is_given(name: str) -> None:
    forget()
    fn = execute(NEAR)[name]
    code, _, inside = fn.__closely__
    _, stops = stops_of(fn.__driven__)
    if inside:
        hint = next(stop.hint for stop in stops if stop.via)
        assert hint.startswith(f"this is inside {inside}, which {NEAR}:"), hint
        assert hint.endswith(WAYS.get(inside, ELSE))
    else:
        stop = next(stop for stop in stops if stop.code == code)
        assert stop.hint == closer(code, stop.detail) != KINDS[code].hint, str(stop)


def test_every_closer_hint_has_a_program() -> None:
    given = set()
    for case in NEAR_CASES:
        forget()
        fn = execute(NEAR)[case.values[0]]
        _, _, inside = fn.__closely__
        _, stops = stops_of(fn.__driven__)
        given |= {closer(stop.code, stop.detail) for stop in stops if not inside}
    assert {hint for _, _, hint in CLOSER} - {BEGUN} <= given  # BEGUN: tests/switch
