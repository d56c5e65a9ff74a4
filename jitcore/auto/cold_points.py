"""Code → C* with points that wait until it is hot. Nothing here needs NumPy."""

from __future__ import annotations

from jitcore import _C
from jitcore.fallback.splice import splice
from jitcore.opcodes.decode import Code, decode
from jitcore.runtime.pending_points import arrivals

MAX_CODE = 20_000  # bytes
MAX_POINTS = 100

__all__ = ["MAX_CODE", "decode", "place_points"]


def place_points(code: Code) -> None:
    if len(code.code.co_code) > MAX_CODE:
        return
    points = {}
    for offset in where(code):
        points[offset] = _C.Point(offset, code.depths[offset])
        points[offset].cold = True
    made = splice(code, points)
    arrivals.add(code.code, points)
    _C.install(code.code, made.code, made.at_point, made.at_instr, True)


def where(code: Code) -> list[int]:
    """The function's start, and where each loop's rounds begin: a frame that runs for long is
    compiled while it runs."""
    wanted = sorted({code.start, *code.loops} & code.allowed)
    return wanted[:MAX_POINTS]
