"""A chain's stages → one group: what a launch takes, what it makes, and where stages find it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.value import Value
from jitcore.kernels.body import Input, Table
from jitcore.kernels.chains.stages import Chain, Outside
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.store_rules import certain
from jitcore.toolchain.abi import ARRAY, Signature
from jitcore.toolchain.numpy_loops import Freedom


@dataclass(slots=True)
class Making:
    """A chain's operands, in the making."""

    given: list[tuple[Value, Signature]] = field(default_factory=list)
    results: list[tuple[Value, Signature]] = field(default_factory=list)
    written: list[Value] = field(default_factory=list)


def movable(group: FusionGroup) -> bool:
    """May it run in parts, in any order, its operands lying otherwise?"""
    program = group.program
    steps = not any(
        step.carried or (step.inner is not None and step.inner.freedom < Freedom.FORWARD)
        for step in program.steps
    )
    inputs = [var for var in program.vars if isinstance(var, Input)]
    folds = program.folds.values()
    laid = [*(var.signature for var in inputs), *program.outputs.values()]
    return (
        steps
        and not (program.orders or group.targets or group.chain)
        and len(program.outputs) + len(folds) == len(group.results)
        and not any(isinstance(var, Table) or var.laid for var in inputs)
        and all(map(in_order, (*laid, *(one.laid for one in folds), *(o.order for o in folds))))
    )


def in_order(operand: Signature) -> bool:
    """Are rows the outermost in memory?"""
    if operand.kind != ARRAY:
        return True
    axes = zip(operand.shape, operand.strides, strict=True)
    steps = [abs(stride) for extent, stride in axes if extent > 1 and stride]
    return steps == sorted(steps, reverse=True)


def given_by(one: FusionGroup, read: tuple[int, int], making: Making) -> Outside:
    number, offset = read
    own = one.inputs[number], one.given[number]
    if own not in making.given:
        making.given.append(own)
    return Outside(making.given.index(own), offset)


def result_of(value: Value, one: FusionGroup, making: Making) -> Outside:
    """Counted from the first result on."""
    own = value, made_by(one)[one.results.index(value)]
    if own not in making.results:
        making.results.append(own)
    return Outside(making.results.index(own), 0)


def made_by(one: FusionGroup) -> list[Signature]:
    """Its results, as the caller gets them."""
    return [*one.program.outputs.values(), *(fold.result for fold in one.program.folds.values())]


def whole(
    chain: Chain, making: Making, stores: Sequence[FusionGroup], members: Sequence[FusionGroup]
) -> FusionGroup:
    last = stores[0] if stores else members[-1]
    write = None
    if stores:
        assert last.write is not None
        target = last.inputs[last.write[0]], last.given[last.write[0]]
        sure = all(certain(one.program) for one in members)
        write = making.given.index(target), last.write[1], sure
    return FusionGroup(
        tuple(node for one in members for node in one.nodes),
        tuple(value for value, _ in making.given),
        tuple(one for _, one in making.given),
        tuple((k, 0) for k in range(len(making.given))),
        tuple(value for value, _ in making.results if value not in making.written),
        (*chain.frame, *chain.stages[0].shape[2:]),
        last.program,
        tuple(making.written),
        write,
        errstate=last.errstate,
        chain=chain,
    )
