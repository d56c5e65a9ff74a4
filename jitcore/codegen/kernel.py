"""Group → a kernel that csrc/launcher.c can launch, or None: NumPy runs the nodes one by one."""

from __future__ import annotations

from .. import _C
from ..config import Config
from .abi import ASK_ERRSTATE, Signature
from .cache import library
from .cut import cut
from .emit_c import emit
from .loops import Nest, nest_of
from .program import Input, Program
from .schedule import Group

SHOWN = 6  # operations in a kernel's name


def kernel(group: Group, config: Config) -> _C.Kernel | None:
    """Compile `group`, or find it compiled. None without a C compiler, or where it fails.

    A launch refuses under the user's own np.errstate: a flag that it does not ignore.
    """
    loop = loop_nest(group)
    source = emit(group.program, loop)
    code = library(source, config)
    if code is None:
        return None
    results = operands(group.program)[len(group.reads) :]
    return _C.Kernel(
        code.address,
        name_of(group),
        tuple(signature.row() for signature in group.given),
        group.reads,
        tuple(signature.row() for signature in results),
        loop.dim,
        (*(step for steps in loop.steps for step in steps), *group.program.numbers),
        tuple(step.inner.capsule for step in group.program.steps if step.inner),
        ASK_ERRSTATE,
        source,
        code.handle,
        cut(group.program, loop),
    )


def source_of(group: Group) -> str:
    """The C text, for reports."""
    return emit(group.program, loop_nest(group))


def loop_nest(group: Group) -> Nest:
    return nest_of(group.program, group.shape)


def operands(program: Program) -> list[Signature]:
    """In launch order: inputs, then results."""
    taken = [var.signature for var in program.vars if isinstance(var, Input)]
    folded = [fold.result for fold in program.folds.values()]
    return [*taken, *program.outputs.values(), *folded]


def name_of(group: Group) -> str:
    """`multiply_exp_add`: what a report calls it."""
    names = [node.op.name for node in group.nodes]
    shown = (
        names if len(names) <= SHOWN else [*names[: SHOWN - 1], f"{len(names) - SHOWN + 1}_more"]
    )
    return "_".join(shown)
