"""What is asked about the C of a step is in its record: kinds, calls, cost, helpers."""

from __future__ import annotations

import numpy as np
import pytest

from jitcore.ir import OPS
from jitcore.ir.c_expression import COPY, CExpression, CKind
from jitcore.ir.ops.ufunc import C
from jitcore.kernels.body import BodyStep, KernelBody, Temp
from jitcore.kernels.casts import cast_code
from jitcore.kernels.emit.fp_liveness import is_arithmetic, unkept
from jitcore.kernels.lower import RATIO, expression, select_code
from jitcore.kernels.parallel_split import LONG_STEP, STEP, is_function, step_cost

F4, F8, I4 = np.dtype("f4"), np.dtype("f8"), np.dtype("i4")


def test_a_row_gets_its_types() -> None:
    root = expression(OPS["sqrt"], (F4,))
    assert root == CExpression("sqrtf({0})", calls="sqrtf", slow=True)
    total = expression(OPS["add"], (I4, I4))
    assert total is not None and total.text == "(i32)((u32){0} + (u32){1})"
    assert total.given("a", "b").text == "(i32)((u32)a + (u32)b)"
    assert expression(OPS["floor"], (F8,)) is None  # NumPy's loop is the faster


@pytest.mark.parametrize(("name", "row"), C.items())
def test_a_row_says_what_its_text_does(name: str, row: dict[str, CExpression]) -> None:
    """The words of the record, beside those of the text."""
    for one in row.values():
        made = one.of(T="i32", U="u32", S="f")
        assert made.slow is (" / " in made.text or "sqrt" in made.text)
        assert (made.kind is CKind.QUIET) is ("__builtin_is" in made.text)
        assert bool(made.calls) is made.text.startswith(f"{made.calls or '?'}(")


def body(code: CExpression) -> tuple[KernelBody, BodyStep]:
    program = KernelBody([Temp(F8), Temp(F8), Temp(F8), Temp(F8)])
    step = BodyStep((0, 1), (3,), code)
    program.steps.append(step)
    return program, step


def test_cost_and_liveness_go_by_the_record() -> None:
    same = "({0} / {1}) /* sqrt rt_select */"
    program, step = body(CExpression(same))
    assert step_cost(step, program) == STEP * 8 and is_arithmetic(program, step)
    program, step = body(CExpression(same, slow=True))
    assert step_cost(step, program) == LONG_STEP * 8
    program, step = body(CExpression(same, CKind.SELECTS))
    assert not is_arithmetic(program, step)
    _, step = body(CExpression(same, CKind.LIBRARY, "pow"))
    assert is_function(step) and not is_function(body(RATIO)[1])


def test_a_value_that_is_converted_is_looked_at() -> None:
    whole, within = cast_code(F8, np.dtype("i8"))
    assert whole.kind is CKind.CONVERTS and within
    for code, sunk in ((whole, set()), (CExpression(whole.text), {1})):
        program = KernelBody([Temp(F8), Temp(F8), Temp(np.dtype("i8"))])
        program.steps += [BodyStep((0, 0), (1,), RATIO), BodyStep((1,), (2,), code)]
        assert unkept(program, {2}) == sunk


def test_copies_and_selections() -> None:
    assert CExpression("{0}") != COPY  # by its kind
    assert select_code(F4).kind is CKind.SELECTS
    assert repr(COPY) == "'{0}'"
