"""How long one piece may take to compile, in seconds of the thread's processor time.

    with within(seconds):     the piece
        look()                wherever much is done: Abandoned, once they have gone
        halfway()             when it has been captured: likewise, once half of them have gone
        foresee(seconds)      before a compiler is started, which takes about so long: likewise

Nothing of what the program sees depends on it, but how fast it runs.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from time import thread_time as clock  # programs replace what the module has

MORE = 2.0  # times as long: what it may take to get to the end, where nothing else is known


class Abandoned(BaseException):
    """The piece runs in CPython. No error: what expects those lets it pass."""

    def __init__(self, needed: float) -> None:
        super().__init__(needed)
        self.needed = needed  # seconds, about


class Piece:
    """What this thread compiles. There is one at a time."""

    __slots__ = ("began", "foreseen", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.began = clock()
        self.foreseen = 0.0  # what its compilers take: their time is not the thread's

    def needed(self) -> float:
        """Seconds so far."""
        return clock() - self.began + self.foreseen


class ThreadPiece(threading.local):
    piece: Piece | None = None


here = ThreadPiece()


@contextmanager
def within(seconds: float) -> Iterator[None]:
    before, here.piece = here.piece, Piece(seconds) if seconds < inf else None
    try:
        yield
    finally:
        here.piece = before


@contextmanager
def aside() -> Iterator[None]:
    """What is done meanwhile is not the piece's: modules are loaded."""
    piece, began = here.piece, clock()
    try:
        yield
    finally:
        if piece is not None:
            piece.began += clock() - began


def left() -> float:
    """Seconds."""
    piece = here.piece
    return inf if piece is None else max(piece.seconds - piece.needed(), 0.0)


def look() -> None:
    piece = here.piece
    if piece is not None and piece.needed() > piece.seconds:
        raise Abandoned(MORE * piece.seconds)


def halfway() -> None:
    """What is to come takes as long as what has been done, at least."""
    piece = here.piece
    if piece is not None and 2 * piece.needed() > piece.seconds:
        raise Abandoned(MORE * piece.seconds)


def foresee(seconds: float) -> None:
    piece = here.piece
    if piece is None:
        return
    piece.foreseen += seconds
    needed = piece.needed()
    if needed > piece.seconds:
        raise Abandoned(needed)
