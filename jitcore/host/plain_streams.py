"""Which streams are written to without running code of the program's: files, and texts in memory,
as the interpreter makes them.

`print` looks them up, and writes to them, by names that an instance may have of its own.
"""

from __future__ import annotations

import io
import sys
from typing import Any

ANY_TEXT = ("utf-8", "utf8")
ASCII_TEXT = (*ANY_TEXT, "ascii", "us-ascii", "latin-1", "iso8859-1", "iso-8859-1")


class NotPlain(Exception):
    """Writing there may run anything."""


def is_plain(stream: Any, is_ascii: bool) -> bool:
    """`is_ascii`: what is written has no other letters, which a handler of errors would see."""
    if type(stream) is io.StringIO:
        return not vars(stream)
    if type(stream) is not io.TextIOWrapper or not vars(stream).keys() <= {"mode"}:
        return False
    if stream.encoding.lower() not in (ASCII_TEXT if is_ascii else ANY_TEXT):
        return False
    below = getattr(stream, "buffer", None)
    if type(below) is io.BufferedWriter and not vars(below):
        below = getattr(below, "raw", None)
    return type(below) is io.FileIO and vars(below).keys() <= {"name"}


def check(stream: Any, is_ascii: bool) -> None:
    """A step of a graph before `print`; None: where that writes by itself."""
    if not is_plain(sys.stdout if stream is None else stream, is_ascii):
        raise NotPlain
