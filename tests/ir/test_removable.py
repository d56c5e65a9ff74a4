"""Which nodes may go, on text."""

import pytest

from jitcore.ir import parse
from jitcore.ir.purity import removable

ARMS = "yield %0", "} else {", "yield %0", "}"


def first(*lines):
    head = "graph g(%0: f8[4], %1: i8[4], %2: f8, %3: pyi8) {"
    return parse("\n".join([head, *lines, "return %0", "}"])).body.nodes[0]


@pytest.mark.parametrize(
    "lines",
    [
        ("%4: b1[4] = less(%0, 1.0)",),
        ("%4: i8[4] = add(%1, 1)",),
        ("%4: f8[4] = cond(True) {", "%5: b1[4] = less(%0, 1.0)", *ARMS),
    ],
)
def test_what_nobody_can_notice_may_go(lines):
    assert removable(first(*lines))


@pytest.mark.parametrize(
    "lines",
    [
        ("%4: f8[4] = exp(%0)",),  # may overflow, and warn
        ("%4: f8 = getitem(%0, %3)",),  # may be out of range
        ("%4: f8[4] = getitem(%0, %1)",),
        ("setitem(%0, 0, 1.0)",),
        ("op.iadd(%0, 1)",),
        ("%4: i8[4] = add(%1, %3)",),  # the int may not fit
        ("%4: object = nonzero(%0)",),
        ("%4: f8[4] = cond(True) {", "%5: f8[4] = exp(%0)", *ARMS),
    ],
)
def test_what_may_be_noticed_stays(lines):
    assert not removable(first(*lines))
