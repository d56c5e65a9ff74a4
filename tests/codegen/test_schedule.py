"""Which nodes share a kernel, and that every order keeps to what each node reads."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from codegen_harness import build, groups_of

from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import OPS, Builder, Node, Value, type_of
from jitcore.kernels.group import FusionGroup
from jitcore.passes.clusters import MOST_OPERANDS
from jitcore.passes.window import fused

X = np.ones((40, 50))  # more than what pays alone


def sizes(steps: Sequence[Node | FusionGroup]) -> list[int]:
    """Nodes of each group, 0 for a single node."""
    return [len(step.nodes) if isinstance(step, FusionGroup) else 0 for step in steps]


def assert_ordered(steps: Sequence[Node | FusionGroup], nodes: Sequence[Node]) -> None:
    made = {value for node in nodes for value in node.outputs}
    done: set[Value] = set()
    seen: list[Value] = []
    for step in steps:
        inputs = step.inputs
        assert all(value in done or value not in made for value in inputs)
        done.update(step.outputs)
        members = step.nodes if isinstance(step, FusionGroup) else [step]
        seen += [value for node in members for value in node.outputs if value in made]
    assert len(seen) == len(made) and set(seen) == made  # copies of nodes make values of their own


def test_a_chain_is_one_group_with_one_result() -> None:
    def fn(b: Builder, x: Value) -> Value:
        return b.emit(OP["*"], (b.emit(OPS["exp"], (b.emit(OP["+"], (x, 1.0)),)), x))

    b, _, results = build(fn, [X])
    (group,) = groups_of(fused(b.nodes, set(results)))
    assert len(group.nodes) == 3 and group.outputs == tuple(results)


def test_live_intermediates_are_results() -> None:
    b = Builder()
    x = b.input(type_of(X))
    one = b.emit(OP["+"], (x, 1.0))
    two = b.emit(OP["*"], (one, x))
    (group,) = groups_of(fused(b.nodes, {one, two}))
    assert group.outputs == (one, two)


def test_a_single_node_stays_a_call() -> None:
    b, _, results = build(lambda b, x: b.emit(OPS["exp"], (x,)), [X])
    assert fused(b.nodes, set(results)) == b.nodes


def test_a_path_through_another_node_keeps_groups_apart() -> None:
    """The trace needs x + 1 whole: with the product in one group it would wait for itself."""
    b = Builder()
    x = b.input(type_of(X))
    first = b.emit(OP["+"], (x, 1.0))
    total = b.emit(OPS["trace"], (first,))
    last = b.emit(OP["*"], (first, total))
    steps = fused(b.nodes, {last})
    assert sizes(steps) == [0, 0, 0]
    assert_ordered(steps, b.nodes)


def test_a_sum_joins_what_makes_its_operand_and_its_readers_do_not() -> None:
    b = Builder()
    x = b.input(type_of(X))
    first = b.emit(OP["+"], (x, 1.0))
    total = b.emit(OPS["sum"], (first,), {"axis": 0})
    beside = b.emit(OP["-"], (x, 2.0))
    last = b.emit(OP["*"], (b.emit(OP["*"], (first, total)), beside))
    steps = fused(b.nodes, {last})
    assert sizes(steps) == [2, 4]  # x + 1 is made twice, and never stored
    assert steps[0].outputs == (total,)  # type: ignore[union-attr]
    assert steps[1].outputs == (last,)  # type: ignore[union-attr]


def again(b: Builder, values: list[Value], live: set[Value]) -> list[tuple[int, int]]:
    """Nodes and results of each group."""
    steps = fused(b.nodes, live | set(values))
    return [(len(group.nodes), len(group.outputs)) for group in groups_of(steps)]


def test_a_cheap_value_is_made_again_rather_than_stored() -> None:
    b = Builder()
    x, m = b.input(type_of(X)), b.input(type_of(X[:, :1]))
    centred = b.emit(OP["-"], (x, m))
    total = b.emit(OPS["sum"], (b.emit(OP["*"], (centred, centred)),))
    last = b.emit(OP["/"], (centred, total))
    assert again(b, [last], set()) == [(3, 1), (2, 1)]
    assert again(b, [last], {centred}) == [(3, 2)]  # it is there anyhow


def test_a_dear_value_is_stored() -> None:
    for name in ("exp", "sqrt"):
        b = Builder()
        x = b.input(type_of(X))
        root = b.emit(OPS[name], (x,))
        total = b.emit(OPS["sum"], (b.emit(OP["*"], (root, x)),))
        last = b.emit(OP["*"], (b.emit(OP["/"], (root, total)), 2.0))
        assert again(b, [last], set()) == [(3, 2), (2, 1)]


def test_a_value_of_many_arrays_is_stored() -> None:
    b = Builder()
    x, y, z = (b.input(type_of(X)) for _ in range(3))
    both = b.emit(OP["+"], (b.emit(OP["+"], (x, y)), z))
    total = b.emit(OPS["sum"], (both,))
    last = b.emit(OP["*"], (b.emit(OP["/"], (both, total)), 2.0))
    assert again(b, [last], set()) == [(3, 2), (2, 1)]


def test_a_value_that_a_call_reads_is_stored() -> None:
    b = Builder()
    x = b.input(type_of(X))
    first = b.emit(OP["+"], (x, 1.0))
    order = b.emit(OPS["argsort"], (first,))
    last = b.emit(OP["*"], (b.emit(OP["*"], (first, order)), 2.0))
    steps = fused(b.nodes, {last})
    assert sizes(steps) == [0, 0, 2]
    assert_ordered(steps, b.nodes)


def test_sums_in_other_orders_of_memory_keep_apart() -> None:
    b = Builder()
    x, y = b.input(type_of(X)), b.input(type_of(np.asfortranarray(X)))
    both = b.emit(OP["+"], (x, 1.0)), b.emit(OP["+"], (y, 1.0))
    results = {b.emit(OPS["sum"], (one,)) for one in both} | {b.emit(OP["*"], (x, y))}
    steps = fused(b.nodes, results)
    assert len(groups_of(steps)) == 2
    assert_ordered(steps, b.nodes)


def test_other_shapes_make_their_own_groups() -> None:
    b = Builder()
    x, row = b.input(type_of(X)), b.input(type_of(X[0]))
    small = b.emit(OP["*"], (b.emit(OP["+"], (row, 1.0)), row))
    large = b.emit(OP["*"], (b.emit(OP["+"], (x, small)), x))
    steps = fused(b.nodes, {large})
    assert sizes(steps) == [2, 2]
    assert_ordered(steps, b.nodes)


def test_siblings_share_a_loop() -> None:
    b = Builder()
    x = b.input(type_of(X))
    results = {b.emit(OPS[name], (x,)) for name in ("sin", "cos", "exp")}
    assert sizes(fused(b.nodes, results)) == [3]


def test_strangers_do_not() -> None:
    b = Builder()
    x, y = b.input(type_of(X)), b.input(type_of(X))
    results = {b.emit(OPS["sin"], (x,)), b.emit(OPS["cos"], (y,))}
    assert sizes(fused(b.nodes, results)) == [0, 0]


def test_operands_are_limited() -> None:
    b = Builder()
    arrays = [b.input(type_of(X)) for _ in range(3 * MOST_OPERANDS)]
    total = arrays[0]
    for one in arrays[1:]:
        total = b.emit(OP["+"], (total, one))
    steps = fused(b.nodes, {total})
    assert len(groups_of(steps)) > 1
    assert all(len(g.inputs) <= MOST_OPERANDS for g in groups_of(steps))
    assert_ordered(steps, b.nodes)


def test_random_graphs_keep_their_order() -> None:
    for seed in range(60):
        rng = random.Random(seed)
        b = Builder()
        pool = [b.input(type_of(X)), b.input(type_of(X[0])), b.input(type_of(X[:, :1]))]
        for _ in range(25):
            name = rng.choice(("add", "multiply", "arctan2", "less", "maximum"))
            pool.append(b.emit(OPS[name], (rng.choice(pool), rng.choice(pool))))
        live = set(rng.sample(pool[3:], 5))
        assert_ordered(fused(b.nodes, live), b.nodes)
