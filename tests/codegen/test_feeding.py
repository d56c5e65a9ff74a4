"""Which groups may be stages of a chain: as a plain search finds them, in time that grows with the
graph."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from types import FrameType
from typing import Any

import numpy as np
import pytest
from codegen_harness import build, groups_of

from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import OPS, Builder, Value
from jitcore.ir.types import PYFLOAT
from jitcore.kernels.body import KernelBody
from jitcore.kernels.chains import feeding
from jitcore.kernels.chains.feeding import Feeding
from jitcore.kernels.group import FusionGroup
from jitcore.passes.chain import MOST_STAGES, chained
from jitcore.passes.window import fused


def group(inputs: Sequence[Value], outputs: Sequence[Value]) -> FusionGroup:
    return FusionGroup((), tuple(inputs), (), (), tuple(outputs), (), KernelBody())


def plain(
    left: list[FusionGroup], steps: list[FusionGroup], after: set[Value], keeps: bool
) -> list[FusionGroup]:
    """The last one, and what feeds it or is fed by what does, among those that may be stages."""
    members = left if keeps else without_kept(left, steps, after)
    found = members[-1:]
    for _ in members:
        for one in members:
            near = any(feeds(one, other) or feeds(other, one) for other in found)
            found += [one] if near and one not in found else []
    return [one for one in members if one in found]


def feeds(one: FusionGroup, other: FusionGroup) -> bool:
    return not set(one.results).isdisjoint(other.inputs)


def without_kept(
    left: list[FusionGroup], steps: list[FusionGroup], after: set[Value]
) -> list[FusionGroup]:
    while True:
        inside = {value for one in left for value in one.inputs}
        kept = after.union(v for step in steps if step not in left for v in step.inputs)
        staying = [one for one in left if may_stay(set(one.results), inside, kept)]
        if len(staying) == len(left):
            return left
        left = staying


def may_stay(results: set[Value], inside: set[Value], kept: set[Value]) -> bool:
    return inside.isdisjoint(results) or (kept.isdisjoint(results) and inside >= results)


@pytest.mark.parametrize("keeps", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_it_finds_what_a_plain_search_finds(seed: int, keeps: bool) -> None:
    """Of random graphs; each time the last one is left out, or a chain takes their place."""
    rng = np.random.default_rng(seed)
    values = [Value(PYFLOAT) for _ in range(3)]
    steps = []
    for _ in range(30):
        near = rng.integers(max(0, len(values) - 8), len(values), rng.integers(1, 4))
        made = [Value(PYFLOAT) for _ in range(rng.integers(1, 3))]
        steps.append(group([values[k] for k in near], made))
        values += made
    after = {value for value in values if rng.random() < 0.1}
    left = [step for step in steps if rng.random() < 0.8]
    found = Feeding(left, steps, after, keeps)
    sizes = set()
    while len(found.left) > 1:
        members = found.last(MOST_STAGES)
        expected = plain([*found.left], steps, after, keeps)
        sizes.add(len(expected))
        if len(expected) > MOST_STAGES:
            assert len(members) > MOST_STAGES
        else:
            assert list(members) == expected
            others = {v for step in steps if step not in expected for v in step.inputs} | after
            assert found.kept(members) == others.intersection(*[results(expected)])
        if 1 < len(members) <= MOST_STAGES and rng.random() < 0.3:
            chain = group([v for one in members for v in one.inputs], results(members))
            steps = [step for step in steps if step not in members] + [chain]
            found.replace(members, chain)
        else:
            found.drop_last()
    assert len(sizes) > 1


def results(members: Collection[FusionGroup]) -> list[Value]:
    return [value for one in members for value in one.results]


def recurrent(rounds: int) -> Callable[[Builder, Value, Value], list[Value]]:
    """Rounds that feed the next one, and keep what they make."""

    def fn(b: Builder, x: Value, w: Value) -> list[Value]:
        kept = []
        for _ in range(rounds):
            e = b.emit(OPS["exp"], (b.emit(OP["-"], (b.emit(OP["@"], (x, w)), 1.0)),))
            p = b.emit(OP["/"], (e, b.emit(OPS["sum"], (e,))))
            kept.append(b.emit(OPS["tanh"], (b.emit(OP["*"], (p, 2.0)),)))
            x = b.emit(OP["+"], (b.emit(OP["@"], (kept[-1], w)), p))
        return [*kept, x]

    return fn


def work(rounds: int) -> tuple[int, int]:
    """Groups, and how many lines of the search for chains of them are executed."""
    b, _, after = build(recurrent(rounds), (np.ones(8), np.ones((8, 8))))
    steps = fused(b.nodes, set(after))
    count = 0

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace if frame.f_code.co_filename == feeding.__file__ else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        chained(steps, set(after), set(), {})
    finally:
        sys.settrace(before)
    return len(groups_of(steps)), count


def test_twice_as_many_groups_are_about_twice_as_much_work() -> None:
    (few, short), (many, long) = work(60), work(120)
    assert many > 200
    assert long < 1.3 * many / few * short
