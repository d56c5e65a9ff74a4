"""Program and nest → the C text of one kernel.

    for rows (outer loops)
        for chunks of a row (only where NumPy's loops are called)
            block: one C loop for a run of steps, vectorised by the compiler
            block: one call of a NumPy inner loop, on operands in place or on buffers in L1
            block: ...

A value lives in a register inside a run. What a later block or the caller needs is stored: into the
result's own memory, else into a buffer whose slot is used again after its last reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from . import folds
from .abi import SYMBOL, c_type, runtime_text
from .folds import Placed, Way
from .kept import SINK, SINKS, sink, unkept
from .literals import literal
from .loops import Nest, Walk
from .program import Const, Program, Step, Table, Temp

GRAIN = 64  # elements: chunks start at its multiples, as NumPy's vector loops divide a row
LONGEST = 2048  # elements of a chunk
L1 = 24576  # bytes for all buffers

# gcc and clang know these without a header; inside a loop they become one instruction.
NAMES = ("fabs", "sqrt", "floor", "ceil", "trunc", "rint", "copysign")

QUIET = """
/* gcc's vector form even of __builtin_isless raises flags for NaN: such operands become 0 first. */
#define RT_QUIET(T, U) \\
static inline u8 rt_lt_##T(T a, T b) { union { T t; U u; } x = {a}, y = {b}; \\
    U m = -(U)!__builtin_isunordered(a, b); x.u &= m; y.u &= m; return x.t < y.t; } \\
static inline u8 rt_le_##T(T a, T b) { union { T t; U u; } x = {a}, y = {b}; \\
    U o = !__builtin_isunordered(a, b), m = -o; x.u &= m; y.u &= m; return (x.t <= y.t) & o; }
RT_QUIET(f32, u32)
RT_QUIET(f64, u64)
#define rt_lt(a, b) _Generic((a), f32: rt_lt_f32, default: rt_lt_f64)(a, b)
#define rt_le(a, b) _Generic((a), f32: rt_le_f32, default: rt_le_f64)(a, b)
#define __builtin_isless(a, b) rt_lt(a, b)
#define __builtin_isgreater(a, b) rt_lt(b, a)
#define __builtin_islessequal(a, b) rt_le(a, b)
#define __builtin_isgreaterequal(a, b) rt_le(b, a)
"""

SELECT = """
#define RT_SELECT(T, U) \\
static inline T rt_select_##T(int c, T a, T b) { union { T t; U u; } x = {a}, y = {b}; \\
    U m = -(U)(c != 0); x.u = (x.u & m) | (y.u & (U)~m); return x.t; }
#define RT_SELECT_PAIR(T, P) \\
static inline T rt_select_##T(int c, T a, T b) { \\
    return (T){rt_select_##P(c, a.re, b.re), rt_select_##P(c, a.im, b.im)}; }
RT_SELECT(i8, u8)
RT_SELECT(u8, u8)
RT_SELECT(i16, u16)
RT_SELECT(u16, u16)
RT_SELECT(i32, u32)
RT_SELECT(u32, u32)
RT_SELECT(i64, u64)
RT_SELECT(u64, u64)
RT_SELECT(f32, u32)
RT_SELECT(f64, u64)
RT_SELECT_PAIR(c64, f32)
RT_SELECT_PAIR(c128, f64)
"""


@dataclass(frozen=True, slots=True)
class Block:
    """Steps that run together: a run of C steps, or one call."""

    steps: tuple[Step, ...]

    @property
    def is_call(self) -> bool:
        return self.steps[0].inner is not None

    def reads(self) -> set[int]:
        return {arg for step in self.steps for arg in step.args}

    def makes(self) -> set[int]:
        return {out for step in self.steps for out in step.outs}


@dataclass(slots=True)
class Text:
    """Lines with indentation."""

    lines: list[str] = field(default_factory=list)
    depth: int = 1

    def __call__(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def each(self, lines: Iterable[str]) -> None:
        for line in lines:
            self(line)

    def open(self, line: str) -> None:
        self(line)
        self.depth += 1

    def close(self) -> None:
        self.depth -= 1
        self("}")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a variable is found: operand k, a constant, or a buffer slot."""

    pointer: str  # C expression of type char *, at the chunk's start
    step: str  # bytes from element to element, a C expression
    walk: Walk


@dataclass(slots=True)
class Kernel:
    """What the emission has decided: blocks in order, and where each stored variable lives."""

    program: Program
    nest: Nest
    blocks: list[Block]
    places: dict[int, Place]
    slots: list[int]  # item sizes of the buffers
    stored: set[int]
    sunk: set[int]  # read for their flags' sake
    folds: dict[int, Placed]

    @property
    def trees(self) -> list[Placed]:
        return [one for one in self.folds.values() if one.way is Way.TREE]

    @property
    def chunked(self) -> bool:
        return bool(self.trees) or any(block.is_call for block in self.blocks)

    @property
    def chunk(self) -> int:
        per_element = sum(self.slots) + sum(one.dtype.itemsize for one in self.trees) or 1
        return max(GRAIN, min(LONGEST, L1 // per_element // GRAIN * GRAIN))


def emit(program: Program, nest: Nest) -> str:
    """The source of a library with one kernel. Operands: inputs in order, then outputs in order."""
    kernel = plan(program, nest)
    text = Text()
    declare(kernel, text)
    begin_trees(kernel, 0, text)
    for axis in range(nest.depth - 1):
        text.open(f"for (i64 i{axis} = 0; i{axis} < dim[{axis}]; i{axis}++) {{")
        begin_trees(kernel, axis + 1, text)
    pointers(kernel, text)
    if kernel.chunked:
        text.open(f"for (i64 at = 0; at < n; at += {kernel.chunk}) {{")
        text(f"const i64 m = n - at < {kernel.chunk} ? n - at : {kernel.chunk};")
    else:
        text("const i64 at = 0, m = n;")
    for block in kernel.blocks:
        (emit_call if block.is_call else emit_run)(kernel, block, text)
    for one in kernel.trees:
        text(folds.take(one))
    if kernel.chunked:
        text.close()
    for axis in reversed(range(nest.depth)):
        end_trees(kernel, axis, text)
        if axis > 0:
            text.close()
    for one in kernel.folds.values():
        text.each(folds.finish(one, nest.depth))
    text("return status;")
    helpers = (SINK,) if kernel.sunk else ()
    return "\n".join((prelude(kernel), *helpers, HEAD, *text.lines, "}", ""))


def begin_trees(kernel: Kernel, level: int, text: Text) -> None:
    for one in kernel.trees:
        if one.level == level:
            text.each(folds.start(one, kernel.nest.depth))


def end_trees(kernel: Kernel, level: int, text: Text) -> None:
    for one in kernel.trees:
        if one.level == level:
            text(folds.join(one, kernel.nest.depth))


HEAD = f"""__attribute__((visibility("default")))
int {SYMBOL}(char *const *p, const i64 *dim, const i64 *step, const rt_loop *loop)
{{"""


def prelude(kernel: Kernel) -> str:
    """The shared declarations, and those helpers that this program calls."""
    codes = " ".join(step.code for step in kernel.program.steps)
    parts = [runtime_text()]
    parts += [f"#define {name} __builtin_{name}" for name in NAMES if name in codes]
    parts += [f"#define {name}f __builtin_{name}f" for name in NAMES if name + "f" in codes]
    parts += [QUIET] if "__builtin_is" in codes else []
    parts += [SELECT] if "rt_select" in codes else []
    parts.append(folds.helpers([*kernel.folds.values()]))
    return "\n".join(parts)


# ---- deciding -----------------------------------------------------------------------------------


def blocks_of(steps: Sequence[Step]) -> list[Block]:
    """C steps that need no call between them form one run; a call stands alone."""
    level = levels(steps)
    rows: dict[int, list[Step]] = {}
    for step in steps:
        rows.setdefault(level[step.outs[0]], []).append(step)
    made = []
    for at in sorted(rows):
        made += [Block((step,)) for step in rows[at]] if at % 2 else [Block(tuple(rows[at]))]
    return made


def levels(steps: Sequence[Step]) -> dict[int, int]:
    """Variable → when it is made: even for C, odd for calls. C runs just before its first reader.

    Early, `sqrt(x*x + y*y)` of `exp(-x) * sqrt(x*x + y*y)` would wait in a buffer for the exp.
    """
    level: dict[int, int] = {}
    for step in steps:
        at = 0 if step.inner is None else 1
        for arg in step.args:
            if arg in level:
                at = max(at, level[arg] + (level[arg] % 2 != at % 2))
        level.update(dict.fromkeys(step.outs, at))
    first: dict[int, int] = {}  # variable → level of its first reader
    for step in reversed(steps):
        if step.inner is None:
            (out,) = step.outs
            level[out] = first.get(out, level[out]) // 2 * 2
        at = level[step.outs[0]]
        first.update((arg, min(at, first.get(arg, at))) for arg in step.args)
    return level


def with_copies(program: Program, nest: Nest) -> Program:
    """A call never writes into a result with gaps: C copies there."""
    made = Program(
        list(program.vars), list(program.steps), folds=program.folds, numbers=program.numbers
    )
    count = len(program.inputs())
    called = {out for step in program.steps if step.inner for out in step.outs}
    for k, (var, signature) in enumerate(program.outputs.items(), count):
        if var in called and nest.walks[k] is not Walk.UNIT:
            copy = made.var(Temp(program.vars[var].dtype))
            made.steps.append(Step((var,), (copy,), "{0}"))
            var = copy
        made.outputs[var] = signature
    return made


def plan(given: Program, nest: Nest) -> Kernel:
    program = with_copies(given, nest)
    blocks = blocks_of(program.steps)
    operands = program.operands()
    places = {var: operand_place(k, nest) for k, var in enumerate(operands)}
    first = len(operands) - len(program.folds)
    laid = {v: folds.placed(k, f, nest) for k, (v, f) in enumerate(program.folds.items(), first)}
    trees = {v: one for v, one in laid.items() if one.way is Way.TREE}
    places |= {
        v: Place(one.pointer, str(one.dtype.itemsize), Walk.UNIT) for v, one in trees.items()
    }
    stored = {*program.outputs, *program.folds}
    for block in blocks:
        others = {arg for other in blocks if other is not block for arg in other.reads()}
        stored |= block.makes() if block.is_call else block.makes() & others
    slots = buffers(program, blocks, stored, places)
    for var, found in enumerate(program.vars):
        if isinstance(found, Const):
            places[var] = Place(f"(char *)&k{var}", "0", Walk.STILL)
    return Kernel(program, nest, blocks, places, slots, stored, unkept(program, stored), laid)


def operand_place(k: int, nest: Nest) -> Place:
    walk = nest.walks[k]
    if walk is Walk.STILL:
        return Place(f"q{k}", "0", walk)
    return Place(f"(q{k} + at * s{k})", f"s{k}", walk)


def buffers(
    program: Program, blocks: list[Block], stored: set[int], places: dict[int, Place]
) -> list[int]:
    """Give each stored variable without memory of its own a slot, freed after its last reader."""
    last = {var: at for at, block in enumerate(blocks) for var in block.reads()}
    slots: list[int] = []
    busy: dict[int, int] = {}  # slot → last block that reads it
    for at, block in enumerate(blocks):
        for var in sorted(block.makes() & stored):
            if var in places:
                continue
            size = program.vars[var].dtype.itemsize
            free = (s for s, have in enumerate(slots) if have == size and busy[s] < at)
            slot = next(free, len(slots))
            if slot == len(slots):
                slots.append(size)
            busy[slot] = last.get(var, at)
            places[var] = Place(f"b{slot}", str(size), Walk.UNIT)
    return slots


# ---- writing ------------------------------------------------------------------------------------


def declare(kernel: Kernel, text: Text) -> None:
    text("int status = 0;")
    text(f"const i64 n = dim[{kernel.nest.depth - 1}];")
    for slot, size in enumerate(kernel.slots):
        text(f"_Alignas(64) char b{slot}[{size * kernel.chunk}];")
    for one in kernel.trees:
        text(folds.buffer(one, kernel.chunk))
    for one in kernel.folds.values():
        text.each(folds.fill(one, kernel.nest.depth))
    for var, found in enumerate(kernel.program.vars):
        if isinstance(found, Const):
            text(f"static const {c_type(found.dtype)} k{var} = {literal(found.value)};")
    first = len(kernel.nest.walks) * kernel.nest.depth
    for j in range(len(kernel.program.numbers)):
        text(f"const i64 c{j} = step[{first + j}];")
    for k, walk in enumerate(kernel.nest.walks):
        if walk is Walk.UNIT:
            text(f"enum {{ s{k} = {operand_size(kernel, k)} }};")
        elif walk is Walk.STRIDE:
            text(f"const i64 s{k} = step[{k * kernel.nest.depth + kernel.nest.depth - 1}];")


def operand_size(kernel: Kernel, k: int) -> int:
    return kernel.program.vars[kernel.program.operands()[k]].dtype.itemsize


def pointers(kernel: Kernel, text: Text) -> None:
    """Each operand at the start of the present row."""
    depth = kernel.nest.depth
    for k in range(len(kernel.nest.walks)):
        moves = "".join(f" + i{axis} * step[{k * depth + axis}]" for axis in range(depth - 1))
        text(f"char *const q{k} = p[{k}]{moves};")


def emit_call(kernel: Kernel, block: Block, text: Text) -> None:
    """Flags are read before the call, since some of NumPy's loops clear them."""
    (step,) = block.steps
    number = [other for other in kernel.program.steps if other.inner].index(step)
    places = [kernel.places[var] for var in (*step.args, *step.outs)]
    text.open("{")
    text(f"char *const a[] = {{{', '.join(place.pointer for place in places)}}};")
    text(f"const i64 s[] = {{{', '.join(place.step for place in places)}}};")
    text("const i64 count = m;")  # the address of m itself would hide how often the runs go round
    text("status |= rt_flags();")
    text(f"if (loop[{number}].fn(loop[{number}].context, a, &count, s, loop[{number}].aux) < 0)")
    text("    return RT_ERROR;")
    text.close()


def emit_run(kernel: Kernel, block: Block, text: Text) -> None:
    inside, made = block.reads() - block.makes(), block.makes()
    text.open("{")
    for var in sorted(inside):
        declare_source(kernel, var, text)
    for var in sorted(made & kernel.stored):
        declare_target(kernel, var, text)
    if any(step.within for step in block.steps):
        text("int outside = 0;")
    sunk = sorted(made & kernel.sunk)
    kinds = sorted({SINKS[kernel.program.vars[var].dtype.char][0] for var in sunk})
    for kind in kinds:
        text(f"{kind.replace('f', 'u')} sink_{kind} = 0;")
    text("RT_INDEPENDENT")
    text.open("for (i64 i = 0; i < m; i++) {")
    for var in sorted(inside):
        for line in load(kernel, var):
            text(line)
    for step in block.steps:
        for line in compute(kernel, step):
            text(line)
    for var in sunk:
        text(sink(var, kernel.program.vars[var].dtype.char))
    text.close()
    for kind in kinds:
        text(f'__asm__ volatile("" :: "r"(sink_{kind}));')
    for var in sorted(made & kernel.folds.keys()):
        if kernel.places[var].walk is Walk.STILL:
            kind, place = kernel.folds[var].kind, kernel.places[var]
            text(f"*({kind} *){place.pointer} = r{var};")
    if any(step.within for step in block.steps):
        text("status |= outside ? RT_DOUBT : 0;")
    text.close()


def declare_source(kernel: Kernel, var: int, text: Text) -> None:
    if isinstance(kernel.program.vars[var], Const):
        return
    place, kind = kernel.places[var], c_type(kernel.program.vars[var].dtype)
    if isinstance(kernel.program.vars[var], Table):
        text(f"const char *restrict x{var} = {place.pointer};")
    elif place.walk is Walk.STILL:
        text(f"const {kind} v{var} = *(const {kind} *){place.pointer};")
    elif place.walk is Walk.UNIT:
        text(f"const {kind} *restrict x{var} = (const {kind} *){place.pointer};")
    else:
        text(f"const char *restrict x{var} = {place.pointer};")


def declare_target(kernel: Kernel, var: int, text: Text) -> None:
    place, kind = kernel.places[var], c_type(kernel.program.vars[var].dtype)
    if place.walk is Walk.STILL:  # a fold; a loop has one place for it
        text(f"{kind} r{var} = *({kind} *){place.pointer};")
    elif place.walk is Walk.UNIT:
        text(f"{kind} *restrict y{var} = ({kind} *){place.pointer};")
    else:
        text(f"char *restrict y{var} = {place.pointer};")


def load(kernel: Kernel, var: int) -> Iterator[str]:
    found = kernel.program.vars[var]
    if isinstance(found, Const | Table):
        return
    place, kind = kernel.places[var], c_type(found.dtype)
    if place.walk is Walk.UNIT:
        yield f"const {kind} v{var} = x{var}[i];"
    elif place.walk is Walk.STRIDE:
        yield f"const {kind} v{var} = *(const {kind} *)(x{var} + i * {place.step});"


def name(kernel: Kernel, var: int) -> str:
    match kernel.program.vars[var]:
        case Const():
            return f"k{var}"
        case Table():
            return f"(x{var} + i * {kernel.places[var].step})"
        case _:
            return f"v{var}"


def compute(kernel: Kernel, step: Step) -> Iterator[str]:
    (out,) = step.outs
    kind = c_type(kernel.program.vars[out].dtype)
    names = [name(kernel, arg) for arg in step.args]
    if step.within:
        yield f"outside |= !({step.within.format(*names)});"
    yield f"const {kind} v{out} = {step.code.format(*names)};"
    if out not in kernel.stored:
        return
    place = kernel.places[out]
    target = {
        Walk.STILL: f"r{out}",
        Walk.UNIT: f"y{out}[i]",
        Walk.STRIDE: f"*({kind} *)(y{out} + i * {place.step})",
    }[place.walk]
    fold = kernel.folds.get(out)
    joins = fold is not None and fold.way is not Way.TREE
    yield f"{target} = {fold.combined(target, f'v{out}') if fold and joins else f'v{out}'};"
