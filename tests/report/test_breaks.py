"""The break table's own rules: what a row must say, and that the page made of it is current."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore.fallback import breaks
from jitcore.fallback.breaks import KINDS, BreakKind, BreakSignal, Place

ROOT = Path(__file__).parent.parent.parent
ROWS = sorted(KINDS.values(), key=lambda kind: kind.code)


@pytest.mark.parametrize("kind", ROWS, ids=lambda kind: kind.code)
def test_a_row_says_what_happened_what_runs_and_the_way_out(kind: BreakKind) -> None:
    assert re.fullmatch(r"J[123459]\d\d", kind.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", kind.name)
    for text in (kind.what, kind.runs, kind.hint):
        assert text.strip() == text and len(text) > 6
        assert not text.endswith(".") and "\n" not in text
        assert not text[0].isupper() or text.startswith(("NumPy", "Python", "CPython"))


def test_every_row_is_a_constant_of_the_module_and_names_are_unique() -> None:
    constants = [value for value in vars(breaks).values() if isinstance(value, BreakKind)]
    assert sorted(kind.code for kind in constants) == sorted(KINDS)
    assert len({kind.name for kind in ROWS}) == len(ROWS)
    assert len({kind.what for kind in ROWS}) == len(ROWS)


def test_a_signal_becomes_a_value_with_a_place() -> None:
    place = Place("model.py", 12, 12, 4, 20, "step")
    record = BreakSignal(breaks.PRINT, "print").at(place, via=[place])
    assert (record.code, record.filename, record.lineno) == ("J204", "model.py", 12)
    assert record.via == (place,)
    assert str(record) == (
        "J204 model.py:12 in step, called from model.py:12 in step: output is written: print. "
        "Hint: numbers and strings stay in the graph where standard output is a file, a pipe or a "
        "StringIO; print anything else after the array work, or where the function is called"
    )
    assert record.reason == "output is written: print"
    assert BreakSignal(breaks.PRINT).at(place).reason == "output is written"


def test_the_place_of_an_instruction_or_else_of_its_function() -> None:
    def function() -> None:
        pass

    code = function.__code__
    whole = breaks.place_of(code)
    assert whole.lineno == code.co_firstlineno and whole.function.endswith("<locals>.function")
    assert breaks.place_of(code, (7, 8, 1, 2)) == Place(__file__, 7, 8, 1, 2, code.co_qualname)
    assert breaks.place_of(code, (None, None, None, None)).lineno == code.co_firstlineno


def test_the_page_in_docs_is_current() -> None:
    tool = [sys.executable, "tools/break_docs.py", "--check"]
    done = subprocess.run(tool, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def strict(x: Any) -> Any:
    y = x * 2.0
    return y + sorted(y)[0]


def test_an_error_for_a_break_shows_the_expression() -> None:
    with pytest.raises(jitcore.GraphBreakError) as caught:
        jitcore.compile(strict, fullgraph=True)(np.arange(9.0))
    first, line, carets = str(caught.value).splitlines()
    assert first == str(caught.value.break_) and " Hint: " in first
    assert line == "    return y + sorted(y)[0]"
    assert carets == "               ^^^^^^^^^"
