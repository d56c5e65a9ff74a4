"""C lines of a loop → the same with comments that name the user's lines, for people."""

from __future__ import annotations

from jitcore.loops.emitter import LoopEmitter
from jitcore.toolchain.symbol_names import comment


def commented(w: LoopEmitter) -> list[str]:
    """A line before those that a node became, where it is another than before."""
    places = dict(w.user_lines)  # of nodes that became no line, the last
    found: list[str] = []
    last = None
    for number, line in enumerate(w.lines):
        where = places.get(number)
        said = comment(where) if where is not None else last
        if said != last:
            indent = line[: len(line) - len(line.lstrip())]
            found.append(f"{indent}{said}")
            last = said
        found.append(line)
    return found
