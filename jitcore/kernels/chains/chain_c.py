"""Chain → the C text of one kernel: its stages' loops, each a function, and what calls them.

    for panels of columns
        for bands of rows
            stage 0   what is needed again moves to its buffers' start; the new rows are computed
            stage 1   …

Extents, steps and offsets are numbers behind the frame's steps, so that a text serves all sizes:

    rows and columns of the frame, of a tile; bytes of all buffers
    stage by stage: its rows and columns, `low`, `high`, elements of a column, extents within;
        for each operand its steps along rows and columns and where it begins; its buffers; steps
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, prod

from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.kernels.chains.stages import (
    LINE,
    Chain,
    Outside,
    Shift,
    Stage,
    buffer_size,
    buffer_steps,
    stage_nest,
)
from jitcore.kernels.emit.kernel_c import EXPORTED, PARAMETERS, emit
from jitcore.kernels.parallel_split import LEAST, NOWHERE, Cut, cost
from jitcore.toolchain.abi import SYMBOL

FEW = 16384  # bytes of buffers that lie on the stack
COMMON = 5  # numbers
LEAST_BANDS = 4  # of a part: its first rows are computed twice
MANY = 16  # bands, so that the parts of several threads are about equal
OWN = 7  # numbers of a stage before its operands

HELPERS = """
static inline i64 rt_least(i64 a, i64 b) { return a < b ? a : b; }
static inline void rt_keep(char *at, i64 skipped, i64 kept, i64 row)
{
    if (skipped > 0 && kept > 0)
        __builtin_memmove(at, at + skipped * row, (unsigned long)(kept * row));
}
"""


@dataclass(frozen=True, slots=True)
class StageLayout:
    """Where in the numbers a stage's are, and in memory its buffers."""

    first: int
    within: int  # extents
    operands: int  # three each
    buffers: int  # two each: the byte where it begins, and its rows' step
    steps: int  # and the program's own numbers behind them
    depth: int
    end: int


def layouts(chain: Chain) -> list[StageLayout]:
    found, at = [], COMMON
    for stage in chain.stages:
        nest, _ = stage_nest(chain, stage)
        within = at + OWN
        operands = within + nest.depth - 2
        buffers = operands + 3 * len(nest.steps)
        steps = buffers + 2 * stage.writes.count(None)
        end = steps + nest.depth * len(nest.steps) + len(stage.program.numbers)
        found.append(StageLayout(at, within, operands, buffers, steps, nest.depth, end))
        at = end
    return found


def numbers(chain: Chain) -> list[int]:
    made = [*chain.frame, *chain.tile, memory(chain)]
    offsets = buffer_offsets(chain)
    for k, stage in enumerate(chain.stages):
        nest, unit = stage_nest(chain, stage)
        made += [*stage.shape[:2], *stage.low, *stage.high, unit, *nest.dim[2:]]
        for place, steps in zip((*stage.reads, *stage.writes), nest.steps, strict=True):
            row, column = (steps[1], 0) if stage.narrow else (steps[0], steps[1] * unit)
            made += [row, column, begins(place, row, column)]
        for n, write in enumerate(stage.writes):
            if write is None:
                made += [offsets[k, n], buffer_steps(chain, stage, n)[0]]
        made += [step for steps in nest.steps for step in steps]
        made += stage.program.numbers
    return made


def begins(place: Shift | Outside | None, row: int, column: int) -> int:
    if isinstance(place, Shift):
        return place.rows * row + place.columns * column
    return 0 if place is None else place.offset


def buffer_offsets(chain: Chain) -> dict[tuple[int, int], int]:
    found: dict[tuple[int, int], int] = {}
    at = 0
    for k, stage in enumerate(chain.stages):
        for n, write in enumerate(stage.writes):
            if write is None:
                found[k, n] = at
                at += buffer_size(chain, stage, n)
    return found


def memory(chain: Chain) -> int:
    return sum(
        buffer_size(chain, stage, n)
        for stage in chain.stages
        for n, write in enumerate(stage.writes)
        if write is None
    )


def loops(chain: Chain) -> list[object]:
    return [loop for stage in chain.stages for loop in stage.program.loops()]


def chain_cut(chain: Chain) -> Cut:
    """Between bands."""
    rows = chain.tile[0]
    if chain.frame[0] <= rows:
        return NOWHERE
    band = duration(chain) / chain.frame[0] * rows
    least = LEAST_BANDS if any(stage.high[0] for stage in chain.stages) else 1
    return 0, rows, max(least, ceil(LEAST / band)), 0


def divided(chain: Chain, least: int) -> Chain:
    """Where all of it would be one band, though it pays to cut it: several. `least`: rows."""
    rows = max(least, ceil(chain.frame[0] / MANY))
    if chain.sized or rows >= chain.tile[0] or duration(chain) < 2 * LEAST:
        return chain
    return replace(chain, tile=(rows, chain.tile[1]))


def duration(chain: Chain) -> float:
    """Nanoseconds, more or less."""
    return sum(
        cost(stage.program, stage_nest(chain, stage)[0]) * prod(stage.shape)
        for stage in chain.stages
    )


# ---- text ----------------------------------------------------------------------------------------


def chain_text(chain: Chain, depth: int, shown: bool = False) -> str:
    """`depth`: of the frame's loops. `shown`: with the user's lines."""
    texts = [stage_text(chain, stage, k, shown) for k, stage in enumerate(chain.stages)]
    head = f"{EXPORTED}{PARAMETERS}"
    return "\n".join((*texts, HELPERS, head, *driver(chain, depth), "}", ""))


def stage_text(chain: Chain, stage: Stage, k: int, shown: bool) -> str:
    nest, _ = stage_nest(chain, stage)
    head = f"static __attribute__((noinline)) int {SYMBOL}_{k}"
    return emit(stage.program, nest, head=head, shown=shown)


def driver(chain: Chain, depth: int) -> Iterator[str]:
    operands = chain.given + len(chain.results)
    yield f"    const i64 *c = step + {operands * depth};"
    yield f"    const i64 from = dim[{depth + 1}], to = from + dim[0];"
    for j in range(operands):
        yield f"    char *const q{j} = p[{j}] - from * step[{j * depth}];"
    yield f"    _Alignas({LINE}) char few[{FEW}];"
    more = f"__builtin_malloc((unsigned long)c[4] + {LINE})"
    yield f"    char *const room = c[4] <= {FEW} ? few : {more};"
    yield "    if (room == (char *)0) return RT_DOUBT;"
    yield f"    char *const memory = room + (-(u64)room & {LINE - 1});"
    yield "    int status = 0;"
    for k in range(len(chain.stages)):
        yield f"    i64 row{k} = 0, column{k} = 0, done{k} = 0;"
    yield "    for (i64 f1 = 0; f1 < c[1]; f1 += c[3])"
    yield "    for (i64 f0 = from; f0 < to; f0 += c[2]) {"
    at = 0
    for k, (stage, layout) in enumerate(zip(chain.stages, layouts(chain), strict=True)):
        yield from called(chain, stage, k, layout, at)
        at += len(stage.program.loops())
    yield "    }"
    yield "    if (room != few) __builtin_free(room);"
    yield "    return status;"


def called(chain: Chain, stage: Stage, k: int, at: StageLayout, loop: int) -> Iterator[str]:
    """One stage, for one band."""
    n = at.first
    yield "    {"
    yield f"        const i64 first = f0 == 0 ? 0 : rt_least(c[{n}], f0 + c[{n + 2}]);"
    yield f"        const i64 left = f1 == 0 ? 0 : rt_least(c[{n + 1}], f1 + c[{n + 3}]);"
    yield (
        f"        const i64 end = f0 + c[2] >= c[0] ? c[{n}] "
        f": rt_least(c[{n}], f0 + c[2] + c[{n + 4}]);"
    )
    yield (
        f"        const i64 right = f1 + c[3] >= c[1] ? c[{n + 1}] "
        f": rt_least(c[{n + 1}], f1 + c[3] + c[{n + 5}]);"
    )
    yield f"        const i64 begin = f0 == from ? first : done{k};"
    buffers = range(at.buffers, at.buffers + 2 * stage.writes.count(None), 2)
    for number in buffers:
        yield (
            f"        if (f0 != from) rt_keep(memory + c[{number}], first - row{k}, "
            f"done{k} - first, c[{number + 1}]);"
        )
    yield f"        row{k} = first, column{k} = left, done{k} = end;"
    yield "        if (begin < end && left < right) {"
    yield f"            char *a[] = {{{', '.join(pointers(chain, stage, k, at))}}};"
    within = "".join(f", c[{at.within + j}]" for j in range(at.depth - 2))
    extents = f"end - begin, (right - left) * c[{n + 6}]"
    extents = "1, end - begin" if stage.narrow else extents
    yield f"            const i64 d[] = {{{extents}{within}, 0, 0}};"
    yield f"            status |= {SYMBOL}_{k}(a, d, c + {at.steps}, loop + {loop});"
    yield "            status |= rt_flags();"
    yield "        }"
    yield "    }"


def pointers(chain: Chain, stage: Stage, k: int, at: StageLayout) -> Iterator[str]:
    """Of each operand, to the first new row and column."""
    buffers = {
        (number, output): layout.buffers + 2 * one.writes[:output].count(None)
        for number, (one, layout) in enumerate(zip(chain.stages, layouts(chain), strict=True))
        for output, write in enumerate(one.writes)
        if write is None
    }
    places = [*stage.reads, *stage.writes]
    for j, place in enumerate(places):
        row, column, offset = (f"c[{at.operands + 3 * j + i}]" for i in range(3))
        if isinstance(place, Outside):
            number = place.operand + (chain.given if place.made or j >= len(stage.reads) else 0)
            yield f"q{number} + {offset} + begin * {row} + left * {column}"
            continue
        output = j - len(stage.reads)
        maker, number = (k, output) if place is None else (place.maker, place.output)
        yield (
            f"memory + c[{buffers[maker, number]}] + {offset} "
            f"+ (begin - row{maker}) * {row} + (left - column{maker}) * {column}"
        )
