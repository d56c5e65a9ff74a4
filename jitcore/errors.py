"""What jitcore raises: to users, and about itself."""

from __future__ import annotations

from collections.abc import Iterable


class JitcoreError(Exception):
    """Base of all errors that are meant for a user."""


class InternalError(Exception):
    """Our bug. Raised in tests; in production it is logged and the frame runs in CPython."""


def blame(error: BaseException, place: object) -> None:
    """Of an error of our own: the place in the user's program that was looked at."""
    error.__dict__.setdefault("_jitcore_place", place)


def blamed(error: BaseException) -> object:
    """None: nobody has said."""
    return error.__dict__.get("_jitcore_place")


class SignatureError(JitcoreError, TypeError):
    """An argument is not what `jitcore.compile(fn, signature=...)` was told."""


class GraphBreakError(JitcoreError):
    """`fullgraph=True`, and the graph broke. `.break_` is the break, the message its report, with
    the source line."""

    def __init__(self, stop: object, lines: Iterable[str] = (), at: int = -1) -> None:
        super().__init__("\n".join([str(stop), *lines]))
        self.break_ = stop
        self._jitcore_at = at  # offset of the instruction that raises it; -1: where the frame is
