"""A function, and a region of it that has just been compiled → files in its folder.

source.py                           the user's text
code.txt                            its bytecode, with region points, regions and their exits
region-2-1.txt                      guards, and the graph at each stage; 2: offset, 1: version
region-2-1.multiply_sqrt.0.c        the C text of a kernel, or of loops, with the user's lines
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from jitcore.dump.exits import exit_lines
from jitcore.dump.folder import folder_of, safe, write
from jitcore.dump.steps import Names, captured_lines, live_lines, plan_lines
from jitcore.fallback.breaks import place_of
from jitcore.kernels.kernel import name_of
from jitcore.kernels.kernel import source_of as c_text
from jitcore.opcodes.decode import Code
from jitcore.opcodes.disassembly import listing
from jitcore.opcodes.source_text import source_of
from jitcore.plan.assemble import Assembled
from jitcore.plan.segments import Schedule
from jitcore.runtime.records import Record
from jitcore.symbolic.state import Capture

LONGEST = 60  # characters of a kernel's name in a file's


def show(
    top: Path, record: Record, decoded: Code, offset: int, capture: Capture, made: Assembled | None
) -> None:
    """OSError where it cannot be written."""
    folder = folder_of(top, decoded.code, not record.shown)
    if not record.shown:
        absent = f"# {place_of(decoded.code)}: the source is not there\n"
        write(folder / "source.py", source_of(decoded.code) or absent)
    names: Names = {}
    version = sum(region.offset == offset for region in record.regions)
    name = f"region-{offset}-{version}"
    plan = made.plan if made is not None else None
    write(folder / f"{name}.txt", region_text(decoded, offset, capture, plan, names))
    for kernel, text in c_texts(plan):
        write(folder / f"{name}.{kernel}.c", text)
    outcome = f"-- {name}: {'where its guards hold' if plan else 'nothing to gain, so no entry'}"
    left = [f"       {line}" for line in exit_lines(capture.exit, names, decoded)] if plan else []
    record.shown.setdefault(offset, []).extend([outcome, *left])
    write(folder / "code.txt", code_text(record, decoded))


def code_text(record: Record, decoded: Code) -> str:
    marks: dict[int, list[str]] = defaultdict(list)
    for offset in record.points:
        marks[offset] = ["-- region point", *record.shown.get(offset, ())]
    return f"# {place_of(decoded.code)}\n{listing(decoded, marks)}"


def region_text(
    decoded: Code, offset: int, capture: Capture, plan: Schedule | None, names: Names
) -> str:
    position = decoded.instrs[decoded.by_offset[offset]].position
    parts: list[tuple[str, Iterable[str]]] = [
        ("guards", map(str, capture.guards)),
        ("captured", captured_lines(capture, names, decoded)),
    ]
    if capture.stop is not None:
        parts.append(("why it ends", [str(capture.stop)]))
    if plan is not None:
        live = live_lines(plan.live, names)
        parts.append(("after stores are joined to windows, and dead nodes dropped", live))
        parts.append(("after fusion: kernels and NumPy calls", plan_lines(plan, names)))
    head = f"# a region from {place_of(decoded.code, position)}, offset {offset}"
    return "\n".join([head, *(line for part in parts for line in section(*part))])


def section(title: str, lines: Iterable[str]) -> Iterator[str]:
    yield f"\n# {title}\n"
    yield from lines


def c_texts(plan: Schedule | None) -> Iterator[tuple[str, str]]:
    """The file's name, and the text."""
    if plan is None:
        return
    for number, group in enumerate(plan.kernels):
        yield f"{safe(name_of(group))[:LONGEST]}.{number}", c_text(group, shown=True)
    loops = [one.routine for one in plan.segments if one.routine is not None]
    for number, routine in enumerate(loops):
        yield f"loops.{number}", routine.shown
