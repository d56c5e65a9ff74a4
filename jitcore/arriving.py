"""Code that JITCORE=1 has found to work with arrays → C*, with points that wait until it is hot.

Only what is needed for that is loaded here; the compiler is loaded when the first point asks.
"""

from __future__ import annotations

import logging
from types import CodeType

from jitcore import _C
from jitcore.fallback.splice import splice
from jitcore.hush import hushed
from jitcore.opcodes.decode import Code, decode
from jitcore.runtime.arrivals import arrivals
from jitcore.runtime.rules import rules

log = logging.getLogger("jitcore")
MAX_CODE = 20_000  # bytes
MAX_POINTS = 100


def prepare(code: CodeType) -> None:
    """Our own bugs stay ours: the code is left to CPython."""
    try:
        with hushed("ignore"):
            if not rules.leave_everywhere(code) and len(code.co_code) <= MAX_CODE:
                place_points(decode(code))
    except Exception:
        log.exception("internal error: please report it; %s is left to CPython", code.co_name)


def place_points(code: Code) -> None:
    points = {}
    for offset in where(code):
        points[offset] = _C.Point(offset, code.depths[offset])
        points[offset].patient = True
    made = splice(code, points)
    arrivals.add(code.code, points)
    _C.install(code.code, made.code, made.at_point, made.at_instr, True)


def where(code: Code) -> list[int]:
    """The function's start, and where each loop's rounds begin: a frame that runs for long is
    compiled while it runs."""
    wanted = sorted({code.start, *code.loops} & code.allowed)
    return wanted[:MAX_POINTS]
