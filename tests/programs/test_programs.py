"""Every program of the course, eager against compiled, on each back end."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.compiler import BACKENDS, find
from support.program import Found, compare, in_folder

PROGRAMS = in_folder(Path(__file__).parent)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("found", PROGRAMS, ids=str)
def test_program(found: Found, backend: str) -> None:
    """The same bits, warnings, exceptions, prints and state, call by call."""
    difference = compare(found, find(), backend)
    assert difference is None, difference


def test_course_is_large_enough() -> None:
    """At least 400 programs, each with a name of its own in its file."""
    assert len(PROGRAMS) >= 400
    assert len({str(found) for found in PROGRAMS}) == len(PROGRAMS)
