"""A call → the kernel of this call alone, for every length that its C text serves.

The schedule makes no kernel of a lone call; here it makes one of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from bits_library import compiled
from bits_values import Array, same
from support.elements import same_elements

from jitcore import _C
from jitcore.ir import Builder, Op, Unsupported, type_of
from jitcore.kernels.body import Input
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.kernel import loop_nest, operands, source_of
from jitcore.passes import fuse as schedule
from jitcore.passes.window import fused
from jitcore.toolchain.abi import ARRAY, Signature
from jitcore.toolchain.compiler import Compiler
from jitcore.toolchain.dlopen import Library

ALL_FLAGS = 0x1D


@dataclass(frozen=True, eq=False)
class Call:
    """One row applied; numbers in `args` are the places of operands, the rest stands as it is."""

    op: Op
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Place:
    """Operand number k."""

    k: int


@dataclass(frozen=True, eq=False)
class Case:
    call: Call
    group: FusionGroup
    inputs: tuple[int, ...]  # which operands the kernel takes
    source: str

    @property
    def doubtful(self) -> bool:
        """May it refuse though no flag counts?"""
        return any(step.within for step in self.group.program.steps)

    def __str__(self) -> str:
        (node,) = self.group.nodes
        return f"{node.op.name}({', '.join(str(s) for s in operands(self.group.program))})"


def case_of(call: Call, arrays: Sequence[Any]) -> Case | None:
    """None where NumPy has no such call, or no kernel may make it."""
    b = Builder()
    values = [b.input(type_of(array)) for array in arrays]
    try:
        b.emit(call.op, placed(call.args, values), placed(call.kwargs, values))
    except Unsupported:
        return None
    if not b.nodes or not b.nodes[-1].outputs:
        return None
    node = b.nodes[-1]
    with patch.object(schedule, "LEAST_NODES", 1):
        (group, *rest) = fused([node], node.outputs)
    if not isinstance(group, FusionGroup):
        return None
    assert not rest
    return Case(call, group, tuple(map(values.index, group.inputs)), source_of(group))


def placed(tree: Any, values: Sequence[Any]) -> Any:
    if isinstance(tree, Place):
        return values[tree.k]
    if isinstance(tree, tuple):
        return tuple(placed(one, values) for one in tree)
    if isinstance(tree, dict):
        return {key: placed(one, values) for key, one in tree.items()}
    return tree


def resized(group: FusionGroup, size: int) -> FusionGroup:
    """The group of a vector, for vectors of another length but 0 and 1: the C text is the same."""
    program = group.program
    made = [replace(v, signature=long(v.signature, size)) if isinstance(v, Input) else v
            for v in program.vars]  # fmt: skip
    outputs = {var: long(one, size) for var, one in program.outputs.items()}
    program = replace(program, vars=made, outputs=outputs)
    given = tuple(long(one, size) for one in group.given)
    return replace(group, given=given, shape=(size,), program=program)


def long(one: Signature, size: int) -> Signature:
    return replace(one, shape=(size,)) if one.kind == ARRAY and one.shape != () else one


def kernel_of(group: FusionGroup, code: Library, mask: int) -> Any:
    loop = loop_nest(group)
    return _C.Kernel(
        code.address,
        "bits",
        tuple(one.row() for one in group.given),
        group.reads,
        tuple(one.row() for one in group.program.outputs.values()),
        loop.dim,
        tuple(step for steps in loop.steps for step in steps),
        tuple(step.inner.capsule for step in group.program.steps if step.inner),
        mask,
        "",
        code.handle,
    )


def by_numpy(call: Call, arrays: Sequence[Any]) -> tuple[Any, ...]:
    assert call.op.target is not None
    made = call.op.target(*placed(call.args, arrays), **placed(call.kwargs, arrays))
    return made if isinstance(made, tuple) else (made,)


@dataclass
class Count:
    """So that a test that compares nothing fails."""

    may_refuse: bool = False
    results: int = 0
    refusals: int = 0
    warned: int = 0


def check(
    case: Case, group: FusionGroup, code: Library, arrays: Sequence[Any], count: Count
) -> None:
    """The kernel gives NumPy's results where no flag counts; with all flags counting, none where
    NumPy raises."""
    inputs = [arrays[k] for k in case.inputs]
    try:
        with np.errstate(all="ignore"):
            want = by_numpy(case.call, arrays)
    except (ValueError, OverflowError, ZeroDivisionError):  # integer powers
        want = None
    got = kernel_of(group, code, 0)(*inputs)
    if want is None or got is None:
        assert got is None, f"{case}: NumPy raises"
        assert want is None or case.doubtful or count.may_refuse, f"{case}: refused"
        count.refusals += 1
        return
    for one, two in zip(got, want, strict=True):
        compare(one, two, case, arrays)
    count.results += 1
    raised = raises(case.call, arrays)
    if raised:
        count.warned += 1
        assert kernel_of(group, code, ALL_FLAGS)(*inputs) is None, f"{case}: no flag, but {raised}"


def raises(call: Call, arrays: Sequence[Any]) -> str:
    try:
        with np.errstate(all="raise"):
            by_numpy(call, arrays)
    except FloatingPointError as error:
        return str(error)
    return ""


def compare(got: Array, want: Array, case: Case, arrays: Sequence[Any]) -> None:
    assert type(got) is type(want) is np.ndarray, case
    assert got.dtype.char == want.dtype.char, case
    assert (got.shape, got.strides) == (want.shape, want.strides), case
    assert got.flags.num == want.flags.num, case
    if not same(got, want):
        at = tuple(np.argwhere(~same_elements(got, want))[0])
        operands = [np.broadcast_to(a, want.shape)[at] for a in arrays]
        raise AssertionError(
            f"{case} of {operands} at {at}: {got[at]!r} is not NumPy's {want[at]!r}"
        )


def compiled_cases(
    cases: Iterable[Case | None], compiler: Compiler, folder: Path
) -> Iterator[tuple[Case, Library]]:
    there = [case for case in cases if case is not None]
    codes = compiled((case.source for case in there), compiler, folder)
    yield from ((case, codes[case.source]) for case in there)
