"""Passes, on text."""

import numpy as np
import pytest

from jitcore.ir import interpret, parse, verify
from jitcore.passes import PASSES, cse, dce, fold, optimise


def graph(*lines, head="%0: f8[4], %1: i8[4], %2: f8, %3: pyi8"):
    return parse("\n".join([f"graph g({head}) {{", *lines, "}"]))


def names(g):
    return [node.op.name for node in g.body.nodes]


def test_dce_drops_what_nobody_reads():
    g = graph(
        "%4: b1[4] = less(%0, 1.0)", "%5: i8[4] = add(%1, 1)", "%6: f8[4] = exp(%0)", "return %6"
    )
    assert names(dce(g)) == ["exp"]


@pytest.mark.parametrize(
    "line",
    [
        "%4: f8[4] = exp(%0)",  # may overflow, and warn
        "%4: f8 = getitem(%0, %3)",  # may be out of range
        "%4: f8[4] = getitem(%0, %1)",
        "setitem(%0, 0, 1.0)",
        "op.iadd(%0, 1)",
        "%4: i8[4] = add(%1, %3)",  # the int may not fit
        "%4: object = nonzero(%0)",
    ],
)
def test_dce_keeps_what_may_be_noticed(line):
    g = graph(line, "return %0")
    assert names(dce(g)) == names(g) != []


def test_dce_in_bodies():
    g = graph(
        *("%4: f8[4] = cond(True) {", "%5: b1[4] = less(%0, 1.0)", "yield %0", "} else {"),
        *("yield %0", "}", "return %4"),
    )
    after = dce(g)
    assert after.body.nodes[0].bodies[0].nodes == ()


def test_cse():
    g = graph(
        *("%4: f8[4] = exp(%0)", "%5: f8[4] = exp(%0)", "%6: f8[4] = add(%4, %5)"),
        *("%7: f8 = sum(%6)", "%8: f8 = sum(%6)", "return %7, %8"),
    )
    after = cse(g)
    verify(after)
    assert names(after) == ["exp", "add", "sum"]
    assert after.body.results[0] is after.body.results[1]


@pytest.mark.parametrize(
    "lines",
    [
        # two arrays that the caller sees are two objects
        ("%4: f8[4] = exp(%0)", "%5: f8[4] = exp(%0)", "return %4, %5"),
        # a view of one would show
        (
            *("%4: f8[4] = exp(%0)", "%5: f8[4] = exp(%0)", "%6: f8[2] = getitem(%4, slice(0, 2))"),
            "return %5, %6",
        ),
        # a store between
        (
            *("%4: f8 = sum(%0)", "setitem(%0, 0, 1.0)", "%5: f8 = sum(%0)"),
            "return %4, %5",
        ),
        # constants that are equal and not the same
        ("%4: f8 = op.mul(%2, 0.0)", "%5: f8 = op.mul(%2, -0.0)", "return %4, %5"),
        ("%4: f8 = op.mul(%2, 1)", "%5: f8 = op.mul(%2, True)", "return %4, %5"),
        # what one arm computes is not there outside
        (
            *(
                "%4: f8 = cond(True) {",
                "%5: f8 = sum(%0)",
                "yield %5",
                "} else {",
                "yield 1.5",
                "}",
            ),
            *("%6: f8 = sum(%0)", "return %4, %6"),
        ),
    ],
)
def test_cse_keeps(lines):
    g = graph(*lines)
    assert str(cse(g)) == str(g)


def test_cse_uses_the_enclosing_body():
    g = graph(
        *("%4: f8 = sum(%0)", "%5: f8 = cond(True) {", "%6: f8 = sum(%0)", "yield %6", "} else {"),
        *("yield %4", "}", "return %5"),
    )
    after = cse(g)
    verify(after)
    assert after.body.nodes[1].bodies[0].nodes == ()


def test_fold():
    g = graph(
        *("%4: pyf8 = op.mul(1.5, 2)", "%5: f8[4] = add(%0, %4)", "%6: pyi8 = op.len(%0)"),
        *("%7: f8 = op.truediv(np.float64(1.0), np.float64(0.0))", "return %5, %6, %7"),
    )
    after = fold(g)
    assert names(after) == ["add", "op.truediv"]
    assert after.body.nodes[0].args[1] == 3.0
    assert after.body.results[1] == 4


@pytest.mark.parametrize("one", [*PASSES, optimise], ids=lambda p: p.__name__)
def test_passes_keep_the_meaning(one):
    g = graph(
        *(
            "%4: f8[4] = multiply(%0, %2)",
            "%5: f8[4] = multiply(%0, %2)",
            "%6: f8[4] = add(%4, %5)",
        ),
        *("%7: b1[4] = greater(%6, 0)", "%8: pyi8 = op.add(2, 3)", "%9: pyi8 = op.mul(%8, %3)"),
        *("%10: f8[4] = where(%7, %6, 1.0)", "%11: f8 = max(%10)", "return %10, %11, %9"),
    )
    verify(g)
    after = one(g)
    verify(after)
    inputs = np.array([1.0, -2.0, 3.0, -0.0]), np.arange(4), np.float64(2.5), 7
    for before, now in zip(interpret(g, *inputs), interpret(after, *inputs), strict=True):
        assert type(before) is type(now)
        assert np.asarray(before).tobytes() == np.asarray(now).tobytes()
