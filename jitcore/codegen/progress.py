"""A line on the terminal for what takes long: it comes after a second, and goes when it is done."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TextIO

AFTER = 1.0  # seconds


@contextmanager
def progress(text: str, after: float = AFTER) -> Iterator[None]:
    out = sys.stderr
    if not is_terminal(out):
        yield
        return
    line = f"jitcore: {text} ..."
    shown = []

    def show() -> None:
        shown.append(line)
        out.write(line)
        out.flush()

    timer = Timer(after, show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        if shown:
            out.write("\r" + " " * len(line) + "\r")
            out.flush()


def is_terminal(out: TextIO | None) -> bool:
    try:
        return out is not None and out.isatty()
    except (AttributeError, ValueError):  # something else stands there, or it is closed
        return False
