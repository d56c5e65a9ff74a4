"""Program and nest → the C text of one kernel.

for rows (outer loops)
    for chunks of a row (only where NumPy's loops are called)
        block: one C loop for a run of steps, vectorised by the compiler  (block.py)
        block: one call of a NumPy inner loop, on operands in place or on buffers in L1
        block: ...
"""

from __future__ import annotations

from collections.abc import Iterator

from jitcore.ir.c_expression import CKind
from jitcore.kernels.body import Constant, KernelBody
from jitcore.kernels.emit import reductions
from jitcore.kernels.emit.block import call, emit_call, emit_run, stored_dtype
from jitcore.kernels.emit.buffers import Block, Kernel, plan
from jitcore.kernels.emit.c_lines import Text
from jitcore.kernels.emit.reduction_c import KEY_TEXT, RANK_TEXT
from jitcore.kernels.emit.register_tile import AS_IT_IS, around
from jitcore.kernels.iteration_space import IterationSpace, StrideClass
from jitcore.toolchain.abi import SYMBOL, c_type, runtime_text
from jitcore.toolchain.c_helpers import QUIET, SELECT, SINK, WHOLE, once
from jitcore.toolchain.literals import literal

EXPORTED = f'__attribute__((visibility("default")))\nint {SYMBOL}'
PARAMETERS = "(char *const *p, const i64 *dim, const i64 *step, const rt_loop *loop)\n{"

# gcc and clang know these without a header; inside a loop they become one instruction.
NAMES = ("fabs", "sqrt", "floor", "ceil", "trunc", "rint", "copysign")


def emit(
    program: KernelBody,
    nest: IterationSpace,
    held: int = 0,
    head: str = EXPORTED,
    shown: bool = False,
) -> str:
    """The source of a library with one kernel. Operands: inputs in order, then outputs in order.
    `held`: elements of a row of results that stays in registers, see register_tile.py. `head`: of
    the function, up to its parameters. `shown`: with the user's lines."""
    kernel = plan(program, nest, held)
    text = Text(places=program.places if shown else {})
    laid = [*kernel.folds.values()]
    parts = bool(laid) and reductions.joined(laid, nest.depth)
    text("int status = 0;")
    first = len(nest.walks) * nest.depth
    for j in range(len(program.numbers)):
        text(f"const i64 number{j} = step[{first + j}];")
    for one in laid:
        text.each(reductions.count(one, nest.depth))
    if parts:
        begin_parts(kernel, text)
    declare(kernel, text)
    begin_runs(kernel, 0, text)
    loops = nest.depth - 2 if kernel.tiled else nest.depth - 1
    inside = around(nest, [one.k for one in laid]) if kernel.held else -1
    for axis in range(loops):
        if axis == inside:
            text.each(take_up(kernel, inside))
        text.open(f"for (i64 i{axis} = 0; i{axis} < dim[{axis}]; i{axis}++) {{")
        begin_runs(kernel, axis + 1, text)
    (emit_tiles if kernel.tiled else emit_rows)(kernel, text)
    for axis in reversed(range(loops + 1)):
        end_runs(kernel, axis, text)
        if axis > 0:
            text.close()
        if kernel.held and axis == inside + 1:
            text.each(put_down(kernel))
    if parts:
        text.close()
        text("if (todo == RT_PART) return status;")
    for one in laid:
        text.each(reductions.finish(one, nest.depth))
    text("return status;")
    return "\n".join((*prelude(kernel), f"{head}{PARAMETERS}", *text.lines, "}", ""))


def emit_rows(kernel: Kernel, text: Text) -> None:
    """One row, in chunks where blocks must wait for one another."""
    pointers(kernel, text)
    text.each(carried(kernel))
    if kernel.chunked:
        text.open(f"for (i64 at = 0; at < n; at += {kernel.chunk}) {{")
        text(f"const i64 m = n - at < {kernel.chunk} ? n - at : {kernel.chunk};")
    else:
        text("const i64 at = 0, m = n;")
    for block in kernel.blocks:
        (emit_call if block.is_call else emit_run)(kernel, block, text)
    take(kernel, text)
    if kernel.chunked:
        text.close()


def take_up(kernel: Kernel, inside: int) -> Iterator[str]:
    """Rows of results, for loops that add to them alone."""
    for one in kernel.folds.values():
        k, kind, depth = one.k, one.kind, kernel.nest.depth
        moves = "".join(f" + i{axis} * step[{k * depth + axis}]" for axis in range(inside))
        yield f"{kind} *const t{k} = ({kind} *)(p[{k}]{moves});"
        yield f"_Alignas(32) {kind} r{k}[{kernel.held}];"
        yield f"for (i64 i = 0; i < {kernel.held}; i++) r{k}[i] = t{k}[i];"


def put_down(kernel: Kernel) -> Iterator[str]:
    for one in kernel.folds.values():
        yield f"for (i64 i = 0; i < {kernel.held}; i++) t{one.k}[i] = r{one.k}[i];"


def take(kernel: Kernel, text: Text) -> None:
    for one in kernel.taken:
        text(reductions.take(one, kernel.program.searches().get(one.fold, -1)))


def emit_tiles(kernel: Kernel, text: Text) -> None:
    """As many short rows as fit into the buffers: each block does them all, and a NumPy loop in one
    call, where its operands go on from row to row."""
    axis, last = kernel.nest.depth - 2, kernel.nest.depth - 1
    text.open(f"for (i64 from = 0, many = {kernel.chunk} / n; from < dim[{axis}]; from += many) {{")
    text(f"const i64 end = from + many < dim[{axis}] ? from + many : dim[{axis}];")
    for block in kernel.blocks:
        if block.is_call:
            emit_tiled_call(kernel, block, text)
            continue
        begin_row(kernel, text)
        emit_run(kernel, block, text)
        text.close()
    if kernel.taken:
        begin_row(kernel, text)
        begin_runs(kernel, last, text, waiting=False)
        take(kernel, text)
        end_runs(kernel, last, text)
        text.close()
    text.close()


def begin_row(kernel: Kernel, text: Text) -> None:
    """Of a tile, with its own part of each buffer."""
    axis = kernel.nest.depth - 2
    text.open(f"for (i64 i{axis} = from; i{axis} < end; i{axis}++) {{")
    text("const i64 at = 0, m = n;")
    in_tile(kernel, text)


def in_tile(kernel: Kernel, text: Text) -> None:
    pointers(kernel, text)
    row = f"(i{kernel.nest.depth - 2} - from) * n"
    for slot, size in enumerate(kernel.slots):
        text(f"char *const b{slot} = tile_b{slot} + {row} * {size};")
    for one in kernel.buffered:
        text(f"char *const h{one.k} = tile_h{one.k} + {row} * {one.stored.itemsize};")
    for one in kernel.trees:
        text(f"i64 have{one.k} = 0;")


def emit_tiled_call(kernel: Kernel, block: Block, text: Text) -> None:
    (step,) = block.steps
    places = [kernel.places[var] for var in (*step.args, *step.outs)]
    text.open("{")
    text(f"const i64 i{kernel.nest.depth - 2} = from, at = 0;")
    in_tile(kernel, text)
    text(f"char *a[] = {{{', '.join(place.pointer for place in places)}}};")
    text(f"const i64 s[] = {{{', '.join(place.step for place in places)}}};")
    text(f"const i64 rows[] = {{{', '.join(place.row for place in places)}}};")
    text("int whole = 1;")
    text(f"for (int j = 0; j < {len(places)}; j++) whole &= rows[j] == n * s[j];")
    text("const i64 count = whole ? (end - from) * n : n;")
    text.open("for (i64 row = from; row < end; row += whole ? end - from : 1) {")
    call(kernel, step, text)
    text(f"for (int j = 0; j < {len(places)}; j++) a[j] += rows[j];")
    text.close()
    text.close()


def begin_parts(kernel: Kernel, text: Text) -> None:
    """What is to be done, before the loop or instead of it."""
    text("const i64 todo = dim[1];")
    text.open("if (todo == RT_JOIN) {")
    for one in kernel.folds.values():
        text(reductions.join_parts(one, len(kernel.nest.walks)))
    text("return 0;")
    text.close()
    text.open("if (todo != RT_FINISH) {")


def begin_runs(kernel: Kernel, level: int, text: Text, waiting: bool = True) -> None:
    for one in kernel.runs:
        if one.level == level:
            text.each(reductions.start(one, kernel.nest.depth, waiting))


def end_runs(kernel: Kernel, level: int, text: Text) -> None:
    for one in kernel.runs:
        if one.level == level:
            text(reductions.join(one, kernel.nest.depth))


def prelude(kernel: Kernel) -> Iterator[str]:
    """The shared declarations, and those helpers that this program calls."""
    codes = [step.code for step in kernel.program.steps if step.code]
    calls, kinds = {code.calls for code in codes}, {code.kind for code in codes}
    yield runtime_text()
    yield from (f"#define {n} __builtin_{n}" for n in NAMES if calls & {n, f"{n}f"})
    yield from (f"#define {n}f __builtin_{n}f" for n in NAMES if f"{n}f" in calls)
    parts = [QUIET] if CKind.QUIET in kinds else []
    parts += [SELECT] if CKind.SELECTS in kinds else []
    parts += [WHOLE] if CKind.CONVERTS in kinds else []
    parts += [SINK] if kernel.sunk else []
    parts += [AS_IT_IS] if kernel.held else []
    parts += [KEY_TEXT, RANK_TEXT] if CKind.RANKS in kinds else []
    yield from map(once, (*parts, *reductions.helpers([*kernel.folds.values()])))


def declare(kernel: Kernel, text: Text) -> None:
    text(f"const i64 n = {kernel.held or f'dim[{kernel.nest.depth - 1}]'};")
    tile = "tile_" * kernel.tiled
    for slot, size in enumerate(kernel.slots):
        text(f"_Alignas(64) char {tile}b{slot}[{size * kernel.chunk}];")
    for one in kernel.buffered:
        text(reductions.buffer(one, kernel.chunk, tile))
    for one in kernel.folds.values():
        text(reductions.fill(one))
    for var, found in enumerate(kernel.program.vars):
        if isinstance(found, Constant):
            text(f"static const {c_type(found.dtype)} k{var} = {literal(found.value)};")
    operands = kernel.program.operands()
    for k, walk in enumerate(kernel.nest.walks):
        if walk is StrideClass.UNIT:
            text(f"enum {{ s{k} = {stored_dtype(kernel, operands[k]).itemsize} }};")
        elif walk is StrideClass.STRIDE:
            text(f"const i64 s{k} = step[{k * kernel.nest.depth + kernel.nest.depth - 1}];")


def pointers(kernel: Kernel, text: Text) -> None:
    """Each operand at the start of the present row."""
    depth = kernel.nest.depth
    for k in range(len(kernel.nest.walks)):
        moves = "".join(f" + i{axis} * step[{k * depth + axis}]" for axis in range(depth - 1))
        text(f"char *const q{k} = p[{k}]{moves};")


def carried(kernel: Kernel) -> Iterator[str]:
    """What steps carry from element to element, at the start of a row."""
    for step in kernel.program.steps:
        if step.carried:
            (out,) = step.outs
            yield f"{c_type(kernel.program.vars[out].dtype)} r{out} = {step.carried};"
