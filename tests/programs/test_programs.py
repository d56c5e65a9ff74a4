"""Every program of the course, eager against compiled, on each back end."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.compiler import BACKENDS, REAL, find
from support.program import Found, compare, in_folder

HERE = Path(__file__).parent
PROGRAMS = in_folder(HERE)
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


def known_differences() -> dict[str, str]:
    """Program number → what differs, on this Python."""
    known = {}
    for line in (HERE / "known_differences.txt").read_text().splitlines():
        number, _, reason = line.partition(" ")
        version, _, rest = reason.partition(" ")
        if not line or line[0] == "#":
            continue
        if version[:2] == "3." and version != VERSION:
            continue
        known[number] = rest if version[:2] == "3." else reason
    return known


KNOWN = known_differences() if REAL else {}
# What these are about is NumPy's, and the kernels': their instructions are in the others, too.
OF_NUMPY = (
    *("p01", "p02", "p03", "p04", "p05", "p06", "p07", "p08", "p09", "p28", "p30", "p31"),
    *("p32_errstate", "p33_moving", "p33_spans", "p37", "p38"),
)


def case(found: Found) -> object:
    reason = KNOWN.get(found.number)
    marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason is not None else []
    marks += [pytest.mark.by_turns] if found.path.stem.startswith(OF_NUMPY) else []
    return pytest.param(found, id=str(found), marks=marks)


@pytest.mark.parametrize("found", [case(found) for found in PROGRAMS])
def test_program(found: Found) -> None:
    """The same bits, warnings, exceptions, prints and state, call by call."""
    difference = compare(found, find(), "c")
    assert difference is None, difference


@pytest.mark.by_turns
@pytest.mark.parametrize("backend", BACKENDS[1:])
@pytest.mark.parametrize("found", [case(found) for found in PROGRAMS])
def test_program_on_another_back_end(found: Found, backend: str) -> None:
    difference = compare(found, find(), backend)
    assert difference is None, difference


def test_course_is_large_enough() -> None:
    """At least 400 programs, each with a name of its own in its file."""
    assert len(PROGRAMS) >= 400
    assert len({str(found) for found in PROGRAMS}) == len(PROGRAMS)


def test_known_differences_are_programs() -> None:
    assert set(KNOWN) <= {found.number for found in PROGRAMS}
