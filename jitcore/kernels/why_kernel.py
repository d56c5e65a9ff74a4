"""A kernel → which ways of making it faster applied, and why others did not."""

from __future__ import annotations

from collections.abc import Iterator

from jitcore.ir.cannot_lower import CannotLower, NotCandidate
from jitcore.ir.remark import Remark, Remarks, asked
from jitcore.kernels.chains.chain_c import chain_cut
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.kernel import loop_nest, name_of
from jitcore.kernels.parallel_split import LEAST, NOWHERE, cost, cut
from jitcore.kernels.short_axis_rows import UNROLLED


def remarks(group: FusionGroup) -> Remarks:
    where = next((node.where for node in group.nodes if node.where is not None), None)
    found = (*applied(group), *group.remarks, asked("threads", lambda: threads(group)))
    return Remarks(f"kernel {name_of(group)}", where, tuple(dict.fromkeys(found)))


def applied(group: FusionGroup) -> Iterator[Remark]:
    if group.chain:
        yield Remark(f"chain of {len(group.chain.stages)} stages, band by band")
    if any(node.op is UNROLLED for node in group.nodes):
        yield Remark("short axis unrolled")
    if group.wholes or group.targets:
        yield Remark("parts written in place")
    if group.taken:
        yield Remark("memory of a dead array reused")


def threads(group: FusionGroup) -> None:
    nest = loop_nest(group)
    if group.chain:
        if chain_cut(group.chain) == NOWHERE:
            raise NotCandidate("it is too short")
        return
    if nest.size * cost(group.program, nest) < 2 * LEAST:
        raise NotCandidate("it is too short")
    if cut(group.program, nest) != NOWHERE:
        return
    if any(step.carried for step in group.program.steps):
        raise CannotLower("each element of the running result waits for the one before it")
    raise CannotLower("NumPy adds up its elements in an order that has no parts")
