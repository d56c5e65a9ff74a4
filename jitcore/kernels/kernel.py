"""Group → a kernel that csrc/kernel/launch.c can launch, or None: NumPy runs the nodes one by
one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jitcore import _C, logs
from jitcore.config import Config
from jitcore.host.deadline import look
from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.op import Effect, Kind
from jitcore.kernels.body import BodyStep, Input, KernelBody
from jitcore.kernels.chains.chain_c import chain_cut, chain_text, numbers
from jitcore.kernels.chains.chain_c import loops as chained
from jitcore.kernels.chains.stages import frame_nest
from jitcore.kernels.emit.kernel_c import emit
from jitcore.kernels.fast_math import declarations
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.iteration_space import IterationSpace, nest_of
from jitcore.kernels.lower import signature
from jitcore.kernels.parallel_split import cost, cut
from jitcore.kernels.store_rules import STORE
from jitcore.toolchain.abi import ASK_ERRSTATE, Signature
from jitcore.toolchain.c_source import CSource, c_source
from jitcore.toolchain.cache import libraries
from jitcore.toolchain.dlopen import Library
from jitcore.toolchain.parallel_map import width

SHOWN = 6  # operations in a kernel's name
COPY = 1.0  # nanoseconds of an element: what it costs to keep what was there


def kernel(group: FusionGroup, config: Config) -> _C.Kernel | None:
    """Compile `group`, or find it compiled. None without a C compiler, or where it fails."""
    return kernels([group], config)[group]


def kernels(groups: Sequence[FusionGroup], config: Config) -> dict[FusionGroup, _C.Kernel | None]:
    """Of all groups of a graph, compiled together."""
    if not groups:
        return {}
    loops = [loop_nest(group) for group in groups]
    sources = []
    for group, loop in zip(groups, loops, strict=True):
        look()
        sources.append(source_on(group, loop))
    found = libraries(sources, config, width)
    for group, source in zip(groups, sources, strict=True):
        logs.kernels.info("%s: a kernel of %d characters of C", name_of(group), len(source.text))
        logs.kernels.debug("%s:\n%s", name_of(group), source.text)
    made = zip(groups, loops, sources, found, strict=True)
    return {g: launchable(g, loop, text, code) if code else None for g, loop, text, code in made}


def kernels_to_come(groups: Sequence[FusionGroup]) -> dict[FusionGroup, _C.Kernel]:
    """The same without code: every launch is refused until load_all has found it."""
    loops = [loop_nest(group) for group in groups]
    made = zip(groups, loops, strict=True)
    return {g: launchable(g, loop, source_on(g, loop), NO_CODE) for g, loop in made}


def load_all(kernels: Mapping[FusionGroup, _C.Kernel], config: Config) -> bool:
    """Compile what is to come, or find it compiled. False: not all of it can be."""
    found = libraries([CSource(one.source, g.label) for g, one in kernels.items()], config)
    if None in found:
        return False
    for one, code in zip(kernels.values(), found, strict=True):
        assert code is not None
        one.load(code.address, code.handle)
    return True


NO_CODE = Library(0, None)
Row = tuple[str, int, tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class KernelSpec:
    """What a kernel is but for its code, as csrc/kernel/kernel.h has it."""

    name: str
    inputs: tuple[Row, ...]  # kind, NumPy's type number, extents, strides
    reads: tuple[tuple[int, int], ...]  # input, offset
    results: tuple[Row, ...]
    dim: tuple[int, ...]
    step: tuple[int, ...]
    loops: tuple[object, ...]
    flags: int
    source: CSource
    cut: tuple[int, int, int, int]
    write: tuple[int, int, int, bool, bool, bool, bool] | tuple[()]
    taken: tuple[tuple[int, int], ...]
    targets: tuple[tuple[int, int], ...]

    def numbers(self) -> list[int]:
        """What may depend on sizes, in the order of csrc/kernel/dynamic_sizes.c."""
        operands = (*self.inputs, *self.results)
        found = [number for _, _, shape, strides in operands for number in (*shape, *strides)]
        found += [offset for _, offset in (*self.reads, *self.targets)]
        return [*found, *self.dim, *self.step, self.write[2] if self.write else 0]

    def rest(self) -> tuple[object, ...]:
        """What must not, but for where the loop is cut, which is a matter of speed."""
        operands = ((kind, num, len(shape)) for kind, num, shape, _ in self.inputs + self.results)
        places = tuple(at for at, _ in self.reads), tuple(at for at, _ in self.targets)
        sizes = len(self.inputs), len(self.dim), len(self.step)
        written = (*self.write[:2], *self.write[3:]) if self.write else ()
        loops = tuple(map(id, self.loops))
        return *operands, places, sizes, written, loops, self.flags, self.source, self.taken


def launchable(
    group: FusionGroup, loop: IterationSpace, source: CSource, code: Library
) -> _C.Kernel:
    return made_of(form_of(group, loop, source), code)


def made_of(form: KernelSpec, code: Library) -> _C.Kernel:
    return _C.Kernel(
        code.address,
        form.name,
        form.inputs,
        form.reads,
        form.results,
        form.dim,
        form.step,
        form.loops,
        form.flags,
        form.source.text,
        code.handle,
        form.cut,
        form.write,
        form.taken,
        form.targets,
    )


def form_of(group: FusionGroup, loop: IterationSpace, source: CSource) -> KernelSpec:
    results = results_of(group)
    return KernelSpec(
        name_of(group),
        tuple(signature.row() for signature in group.given),
        tuple(group.reads),
        tuple(signature.row() for signature in results),
        loop.dim,
        (*(step for steps in loop.steps for step in steps), *numbers_of(group)),
        tuple(chained(group.chain) if group.chain else group.program.loops()),
        heeded(group),
        source,
        chain_cut(group.chain) if group.chain else cut(group.program, loop),
        write_of(group, loop),
        tuple((group.results.index(out), group.inputs.index(of)) for out, of in group.taken),
        group.targets or tuple((k, 0) for k in range(len(results))),
    )


def made_from(forms: Sequence[KernelSpec], config: Config) -> list[_C.Kernel] | None:
    """None: some cannot be compiled."""
    found = libraries([one.source for one in forms], config, width)
    made = [made_of(one, code) for one, code in zip(forms, found, strict=True) if code]
    return made if len(made) == len(forms) else None


def form(group: FusionGroup) -> KernelSpec:
    loop = loop_nest(group)
    return form_of(group, loop, source_on(group, loop))


def results_of(group: FusionGroup) -> list[Signature]:
    """What a launch makes: what the loop makes, but for parts, which lie in wholes."""
    if group.chain:
        return [*group.chain.results]
    made = operands(group.program)[len(group.reads) :]
    if not group.targets:
        return made
    found = {at: one for one, (at, _) in zip(made, group.targets, strict=True)}
    wholes = dict(group.wholes).values()
    found |= {k: signature(v.type) for k, v in enumerate(group.results) if v in wholes}
    return [found[k] for k in range(len(group.results))]


def heeded(group: FusionGroup) -> int:
    """The flags for which a launch is refused: those that NumPy's state does not ignore."""
    if is_silent(group):
        return 0
    return ASK_ERRSTATE if group.errstate is None else _C.flags_heeded(group.errstate)


def is_silent(group: FusionGroup) -> bool:
    """Does NumPy never warn here? Flags are then nothing but noise: comparisons raise them for some
    NaNs, and NumPy clears them. Casts between floats are looked at."""
    if not all(
        node.op is STORE or node.op.effect_of(node.args, node.kwargs) is Effect.SILENT
        for node in group.nodes
    ):
        return False
    programs = [one.program for one in group.chain.stages] if group.chain else [group.program]
    return not any(mixes(step, program) for program in programs for step in program.steps)


def mixes(step: BodyStep, program: KernelBody) -> bool:
    dtypes = [program.vars[var].dtype for var in (*step.args, *step.outs)]
    return len({dtype.char for dtype in dtypes if dtype.kind in "fc"}) > 1


def write_of(
    group: FusionGroup, loop: IterationSpace
) -> tuple[int, int, int, bool, bool, bool, bool] | tuple[()]:
    """As csrc/kernel/kernel.h has it."""
    if group.write is None:
        return ()
    number, offset, certain = group.write
    repeatable = group.alone and not group.program.shared
    whole = group.chain is None
    twice = whole and cost(group.program, loop) <= COPY
    return 0, number, offset, certain, repeatable, whole, twice


def source_of(group: FusionGroup, shown: bool = False) -> str:
    """The C text, for reports. `shown`: with the user's lines."""
    return source_on(group, loop_nest(group), shown).text


def source_on(group: FusionGroup, loop: IterationSpace, shown: bool = False) -> CSource:
    if group.chain:
        return c_source(chain_text(group.chain, loop.depth, shown), group.label)
    body = emit(group.program, loop, group.held, shown=shown)
    return c_source(declarations(group.program) + body, group.label)


def numbers_of(group: FusionGroup) -> list[int]:
    return numbers(group.chain) if group.chain else group.program.numbers


def loop_nest(group: FusionGroup) -> IterationSpace:
    if group.chain:
        return frame_nest(group.chain, group.shape, len(group.written))
    return nest_of(group.program, group.shape)


def operands(program: KernelBody) -> list[Signature]:
    """In launch order: inputs, then results."""
    taken = [var.signature for var in program.vars if isinstance(var, Input)]
    folded = [fold.result for fold in program.folds.values()]
    return [*taken, *program.outputs.values(), *folded]


def name_of(group: FusionGroup) -> str:
    """`multiply_exp_add`: what a report calls it."""
    names = [
        node.op.name for node in group.nodes if node.op.kind is not Kind.VIEW or not group.chain
    ]
    shown = (
        names if len(names) <= SHOWN else [*names[: SHOWN - 1], f"{len(names) - SHOWN + 1}_more"]
    )
    return "_".join(shown)
