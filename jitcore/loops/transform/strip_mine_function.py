"""What rounds do to blocks of strands (strip_mine_body.py) → a C function of its own.

It is asked first how many rounds can be done at all: numbers, and so indices and branches, are the
same for all strands. Where a flag was raised, it undoes what it has done, the last round first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.types import DynArrayType
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import Fact, Variable
from jitcore.loops.transform.strip_mine import StripMinePlan, unread
from jitcore.loops.transform.strip_mine_body import Strands
from jitcore.toolchain.abi import C_TYPES

WIDE = 256  # strands of a block
TILES = 24
FAILED = "{ if (mode == RT_LOOK) goto bad; }"
OUTER = re.compile(r"\b(?:[vt]\d+|[ns]\d+_\d+|p\d+)\b")


@dataclass(slots=True)
class StripFunction:
    """`captured`: the routine's variables that it reads. `width`: bytes of log for one element;
    `work`: lines of C."""

    text: list[str]
    captured: list[tuple[str, str]]
    width: int
    work: int


@contextmanager
def of_its_own(w: LoopEmitter) -> Iterator[list[str]]:
    """Lines and variables that are not the routine's."""
    kept = w.lines, w.declared, w.names, w.layouts, w.watching, w.instead, w.depth
    w.lines, w.declared, w.names = [], [*w.declared], dict(w.names)
    w.layouts, w.watching, w.instead, w.depth = dict(w.layouts), {}, FAILED, 3
    try:
        with w.block():
            yield w.lines
    finally:
        w.lines, w.declared, w.names, w.layouts, w.watching, w.instead, w.depth = kept


def function(w: LoopEmitter, plan: StripMinePlan, name: str, ndim: int) -> StripFunction:
    """`ndim`: axes of a strand's index."""
    assert plan.first is not None
    for value in plan.given():
        w.name(value)
    before, facts = len(w.declared), len(w.facts)
    made = len(w.calls), len(w.loops), w.rooms
    strands = Strands(w, plan, [f"extent{k}" for k in range(ndim)])
    strands.unread = {*unread(plan.body)}
    with of_its_own(w) as lines:
        w.names[plan.index] = "round_at"
        for param, _ in plan.carried:
            strands.tiles[param] = w.fresh("tile")
            strands.tile(param)
        strands.nodes(plan.body)
        w.settle()
        strands.next_round(plan.first)
        strands.close()
        own = w.declared[before:]
    if made != (len(w.calls), len(w.loops), w.rooms) or len(strands.wanted) > TILES:
        raise CannotLower("it takes more than elementwise arithmetic: a call of NumPy, or memory")
    written = w.facts[facts:]
    if Fact.ASKS in written or not strands.width:
        raise CannotLower("it takes more than elementwise arithmetic: a call, or a way out")
    dropped = {k for k, tile in strands.fills.items() if tile not in strands.wanted}
    lines = [line for k, line in enumerate(lines) if k not in dropped]
    captured = outer(w, lines, own)
    text = whole(w, strands, name, lines, own, captured, Fact.LEAVES in written)
    return StripFunction(text, captured, strands.width, strands.work)


def outer(w: LoopEmitter, lines: Sequence[str], own: Sequence[Variable]) -> list[tuple[str, str]]:
    names = dict.fromkeys(found for line in lines for found in OUTER.findall(line))
    mine = {one.name for one in own if not one.count}
    types = {one.name: one.ctype for one in w.declared if not one.count}
    found = []
    for name in names:
        if name in mine:
            continue
        kind = "char *" if name[0] == "p" else "i64" if name in w.axes else types.get(name)
        if kind is None:
            raise CannotLower(f"the variable {name} of the C text is not known before the loop")
        found.append((kind, name))
    return found


def whole(
    w: LoopEmitter,
    strands: Strands,
    name: str,
    lines: Sequence[str],
    own: Sequence[Variable],
    captured: Sequence[tuple[str, str]],
    leaves: bool,
) -> list[str]:
    extents, carried = strands.extents, strands.plan.carried
    last = extents[-1]
    fields = [*captured, *[("i64", one) for one in extents]]
    fields += [("char *", f"{one}{k}") for k in range(len(carried)) for one in ("given", "made")]
    outer_places = []
    for k in reversed(range(len(extents) - 1)):
        outer_places += [f"        const i64 o{k} = line % extent{k}; line /= extent{k};"]
    head = [
        f"#define LOG_WIDTH {strands.width}",
        "typedef struct {",
        "    rt_strands of;",
        "    i64 wide, count;",
        *(f"    {kind} {one};" for kind, one in fields),
        f"}} {name}_job;",
        f"static __attribute__((noinline)) int {name}(rt_strands *own, const rt_strands *all)",
        "{",
        f"    const {name}_job *const job = (const {name}_job *)all;",
        "    const int mode = own->mode;",
        "    char *const own_log = own->log;",
        "    const i64 wide = job->wide, count = job->count;",
        *(f"    {kind} const {one} = job->{one};" for kind, one in fields),
        *(f"    {text}" for text in own),
        *(f"    {kind} {tile}[{WIDE}];" for tile, kind in strands.wanted.items()),
        "    i64 r = 0;",
        f"    const i64 pieces = ({last} + wide - 1) / wide;",
        "    (void)own_log, (void)count;",
        "    rt_clear();",
        "    for (i64 block = own->from; block < own->to; block++) {",
        "        i64 line = pieces > 0 ? block / pieces : 0;",
        "        const i64 low = pieces > 0 ? block % pieces * wide : 0;",
        f"        const i64 left = {last} - low, width = left < wide ? left : wide;",
        f"        const i64 at = line * {last} + low;",
        "        (void)at, (void)width;",
        *outer_places,
    ]
    rounds = [
        "        for (i64 turn = 0; turn < own->rounds; turn++) {",
        "            r = mode == RT_UNDO ? own->rounds - 1 - turn : turn;",
        "            const i64 round_at = own->first + r;",
        *(lines),
        "        }",
    ]
    return [
        *head,
        *copies(strands, "given"),
        *rounds,
        *copies(strands, "made"),
        "    }",
        f"    return mode == RT_DO ? rt_flags() & {w.mask} : 0;",
        *(["bad:", "    own->rounds = r;", "    return 0;"] if leaves else []),
        "}",
        "#undef LOG_WIDTH",
    ]


def copies(strands: Strands, which: str) -> Iterator[str]:
    """Of what rounds carry on: before the first one, and after the last one."""
    for k, (param, _) in enumerate(strands.plan.carried):
        assert isinstance(param.type, DynArrayType)
        kind = C_TYPES[param.type.dtype.char]
        size, tile = param.type.dtype.itemsize, strands.tiles[param]
        there = f"*({kind} *)({which}{k} + (at + b) * {size})"
        pair = (f"{tile}[b]", there) if which == "given" else (there, f"{tile}[b]")
        yield "        if (mode == RT_DO) {"
        yield "            RT_INDEPENDENT"
        yield f"            for (i64 b = 0; b < width; b++) {pair[0]} = {pair[1]};"
        yield "        }"
