"""Code → its instructions below the user's lines, with marks before some of them.

12  y = np.sqrt(x * x)
    ── region point
       2  LOAD_GLOBAL  np
      12  LOAD_ATTR    sqrt
"""

from __future__ import annotations

import dis
import linecache
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType

from jitcore.opcodes.decode import Code

Marks = Mapping[int, Sequence[str]]  # lines before the instruction at this offset


def listing(decoded: Code, marks: Marks) -> str:
    return "\n".join(lines(decoded, marks))


def lines(decoded: Code, marks: Marks) -> Iterator[str]:
    code = decoded.code
    shown = arguments(code)
    width = max((len(instr.op) for instr in decoded.instrs), default=0)
    last = None
    for instr in decoded.instrs:
        line = instr.position[0]
        if line is not None and line != last:
            last = line
            yield f"{line:5}  {linecache.getline(code.co_filename, line).rstrip()}".rstrip()
        for mark in marks.get(instr.offset, ()):
            yield f"       {mark}"
        argument = next((shown[at] for at in range(instr.offset, instr.end, 2) if at in shown), "")
        yield f"       {instr.offset:5}  {instr.op:{width}}  {argument}".rstrip()


def arguments(code: CodeType) -> dict[int, str]:
    """As dis shows them, by the offset of the instruction, which is behind its EXTENDED_ARG."""
    return {
        instr.offset: instr.argrepr
        for instr in dis.get_instructions(code)
        if instr.opname != "EXTENDED_ARG"
    }
