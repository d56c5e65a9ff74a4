"""Code that JITCORE=1 has found to work with arrays → C*, with points that wait until it is hot.

Only what is needed for that is loaded here; the compiler is loaded when the first point asks.
"""

from __future__ import annotations

import logging
from types import CodeType

from jitcore import _C
from jitcore.auto.cold_points import decode, place_points
from jitcore.config import environment
from jitcore.host.warning_filter import hushed
from jitcore.runtime.exclusions import rules
from jitcore.runtime.integrity import is_sound
from jitcore.runtime.pending_points import arrivals
from jitcore.user.directives import is_left

log = logging.getLogger("jitcore")


def prepare(code: CodeType) -> None:
    """Our own bugs stay ours: the code is left to CPython."""
    if not is_sound():
        return
    try:
        with hushed("ignore"):
            if not is_left(code) and not rules.leave_everywhere(code):
                place_points(decode(code))
    except Exception:
        if environment().strict:
            raise
        where = f"{code.co_filename}:{code.co_firstlineno} in {code.co_qualname}"
        log.exception("internal error: please report it; %s runs in CPython", where)


def review() -> None:
    """What was given points before there was NumPy, and so before there were rules."""
    for code, points in arrivals.all():
        if rules.leave_everywhere(code):
            for point in points.values():
                point.kill()
            _C.leave_alone(code)
