"""Numbers that need no call, on text."""

from __future__ import annotations

from typing import Any

from jitcore.ir import Value, parse
from jitcore.plan.fold_constants import told


def test_what_is_computed_of_constants_is_known() -> None:
    text = """graph g(%0: f8[4]) {
        %1: pyf8 = op.mul(1.5, 2)
        %2: f8[4] = add(%0, %1)
        %3: f8 = op.truediv(np.float64(1.0), np.float64(0.0))
        return %2, %3
    }"""
    numbers: dict[Value, Any] = {}
    made, added, divided = told(parse(text).body.nodes, numbers)
    assert numbers == {made.outputs[0]: 3.0}  # the division warns, at run time
    assert added.args[1] == 3.0
    assert divided.args == (1.0, 0.0)
