"""One native instruction of a code object."""

from __future__ import annotations

from typing import NamedTuple

Position = tuple[int | None, int | None, int | None, int | None]
NOWHERE: Position = (None, None, None, None)


class Instr(NamedTuple):
    """`[offset, end)` are its bytes, EXTENDED_ARG before it and caches after it included.

    `op` is the plain name, never a specialised one; `target` is the byte offset of a jump.
    """

    offset: int
    end: int
    op: str
    arg: int
    target: int | None
    position: Position
