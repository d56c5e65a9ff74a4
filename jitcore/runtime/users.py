"""Is an exception the program's own, raised where our code ran?"""

from __future__ import annotations

import signal
import traceback

SIGNALS = tuple(map(int, signal.valid_signals()))


def is_users(error: BaseException) -> bool:
    """Raised by the handler of a signal that came meanwhile: nobody would raise it again."""
    handlers = {getattr(signal.getsignal(n), "__code__", None) for n in SIGNALS}
    ran = {frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)}
    return not handlers.isdisjoint(ran)
