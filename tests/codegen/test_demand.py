"""What was found out about one node serves others of the same types, and no others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from codegen_harness import build, groups_of

from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import Builder, Value
from jitcore.kernels.constraints import demand
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.kernel import source_of
from jitcore.passes.window import fused

X = np.ones((4, 5))


def group_of(*arrays: Any, factor: Any = 3) -> FusionGroup:
    """The kernel of (x + y) * factor."""

    def fn(b: Builder, x: Value, y: Value) -> Value:
        return b.emit(OP["*"], (b.emit(OP["+"], (x, y)), factor))

    b, _, results = build(fn, arrays)
    (group,) = groups_of(fused(b.nodes, set(results)))
    return group


def test_equal_dtypes_of_two_chars() -> None:
    """A launch looks at NumPy's number of a dtype: long and long long are two."""
    ints = {char: np.ones(5, char) for char in "lq"}
    for first, second in ("lq", "ql", "ll", "qq", "lq", "ql"):
        group = group_of(ints[first], ints[second])
        assert [one.dtype.char for one in group.given] == [first, second]
        (result,) = group.program.outputs.values()
        assert result.dtype.char == (ints[first] + ints[second]).dtype.char


@pytest.mark.parametrize(("one", "other"), [(0.0, -0.0), (1, True), (1.0, 1), (2.5, 2.25)])
def test_constants(one: Any, other: Any) -> None:
    texts = [source_of(group_of(X, X, factor=factor)) for factor in (one, other, one)]
    assert texts[0] == texts[2]
    same = np.asarray(one, float).tobytes() == np.asarray(other, float).tobytes()
    assert (texts[0] == texts[1]) == same


def test_layouts() -> None:
    """Only where all is contiguous is a loop flat."""

    def flat(x: Any, y: Any) -> bool:
        b, _, _ = build(lambda b, x, y: b.emit(OP["+"], (x, y)), [x, y])
        asked = demand(b.nodes[0])
        assert asked is not None
        return asked.flat

    wide = np.ones((4, 10))
    assert [flat(X, X), flat(X, wide[:, ::2]), flat(X, X[0]), flat(X, X)] == [
        True,
        False,
        False,
        True,
    ]


def test_a_constant_that_does_not_fit_is_numpys() -> None:
    small = np.ones(5, "i1")
    b, _, _ = build(lambda b, x: b.emit(OP["+"], (x, 100)), [small])
    assert demand(b.nodes[0]) is not None
    b, _, _ = build(lambda b, x: b.emit(OP["+"], (x, 1000)), [small])
    assert demand(b.nodes[0]) is None
