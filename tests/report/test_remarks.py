"""Which ways of lowering applied to a loop, a kernel or a call, and why others did not: a program
of each kind, in what explain shows."""

from __future__ import annotations

import ast
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore.fallback.breaks import Place
from jitcore.ir.remark import Remark, Remarks

Array = np.ndarray[Any, Any]
N = 40


def numbers(*shape: int) -> Array:
    return np.random.default_rng(7).normal(size=shape)


def whole_numbers(*shape: int) -> Array:
    return np.random.default_rng(7).integers(0, 99, shape)


# ---- loops ---------------------------------------------------------------------------------------


def columns(x: Array, a: Array) -> None:
    for k in range(1, x.shape[1]):
        x[:, k] = a[:, k] * x[:, k - 1]


def contiguous_rows(x: Array, a: Array) -> None:
    for k in range(1, len(x)):
        x[k] = a[k] * x[k - 1]


def moving_slices(x: Array, a: Array) -> None:
    for k in range(1, x.shape[1]):
        x[k:, k] = a[k:, k] * x[k:, k - 1]


def gram_schmidt(a: Array, r: Array, q: Array) -> None:
    for j in range(a.shape[1]):
        r[0, j] = q @ a[:, j]
        a[:, j] -= r[0, j] * q


def gram_schmidt_back(a: Array, r: Array, q: Array) -> None:
    for j in range(1, a.shape[1]):
        r[0, j] = q @ a[:, j - 1]
        a[:, j] -= r[0, j] * q


def largest(a: Array) -> Any:
    best = a[0]
    for k in range(1, len(a)):
        found = a[k] + a[k - 1]
        if found > best:
            best = found
    return best


def largest_product(a: Array) -> Any:
    best = a[0]
    for k in range(1, len(a)):
        found = a[k] * a[k - 1]
        if found > best:
            best = found
    return best


def sweep(a: Array) -> None:
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            a[i, j] = (a[i, j - 1] + a[i - 1, j + 1]) / 3


def sweep_with_sum(a: Array, b: Array) -> float:
    total = 0.0
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] = (a[i, j - 1] + a[i - 1, j]) / 3
        b[i] = total
        total = total / 2 + 1.0
    return total


def triangle(a: Array) -> None:
    for i in range(1, a.shape[0]):
        for j in range(1, i):
            a[i, j] = (a[i, j - 1] + a[i - 1, j]) / 3


def each_row(x: Array, y: Array) -> None:
    for i in range(x.shape[0]):
        total = 0.0
        for j in range(x.shape[1]):
            total += x[i, j] * x[i, j]
        y[i] = total


def each_row_of_two(x: Array, y: Array) -> None:
    for i in range(1, x.shape[0]):
        total = y[i - 1]
        for j in range(x.shape[1]):
            total += x[i, j] * x[i, j]
        y[i] = total


def dot_products(a: Array, q: Array, r: Array) -> None:
    for j in range(a.shape[1]):
        r[j] = q @ a[:, j]


def dot_products_of_one(a: Array, q: Array, r: Array) -> None:
    for j in range(a.shape[1]):
        r[j] = q @ a[:, 0]


def recurrence(a: Array) -> None:
    for j in range(1, len(a)):
        a[j] = (a[j] + a[j - 1]) / 9


def two_recurrences(a: Array, b: Array) -> None:
    for j in range(1, len(a)):
        a[j] = (a[j] + a[j - 1]) / 9
        b[j] = (b[j] + b[j - 1]) / 9


LOOPS = {
    columns: ("strip mining: yes", numbers(N, N), numbers(N, N)),
    contiguous_rows: (
        "strip mining: no, the stored slice is contiguous: an iteration is vector code already",
        *(numbers(N, N), numbers(N, N)),
    ),
    moving_slices: (
        "strip mining: no, a slice begins, ends or steps elsewhere in each iteration",
        *(numbers(N, N), numbers(N, N)),
    ),
    gram_schmidt: ("unroll-and-jam: yes", numbers(N, N), numbers(1, N), numbers(N)),
    gram_schmidt_back: (
        "unroll-and-jam: no, an index is computed from the counter at line {line+2}",
        *(numbers(N, N), numbers(1, N), numbers(N)),
    ),
    largest: ("min/max in vector code: yes", whole_numbers(200)),
    largest_product: (
        "min/max in vector code: no, operator.mul is neither + nor - nor an element of an array",
        whole_numbers(200),
    ),
    sweep: ("wavefront: yes", numbers(N, N)),
    sweep_with_sum: (
        "wavefront: no, one row hands a number on to the next",
        *(numbers(N, N), numbers(N)),
    ),
    triangle: ("wavefront: no, the inner loop has another length in each iteration", numbers(N, N)),
    each_row: ("DOALL: yes", numbers(N, N), numbers(N)),
    each_row_of_two: (
        "DOALL: no, a stored array is used outside the iteration's own index",
        *(numbers(N, N), numbers(N)),
    ),
    dot_products: ("batched products: yes", numbers(N, N), numbers(N), numbers(N)),
    dot_products_of_one: (
        "batched products: no, neither vector of the product is one by the counter",
        *(numbers(N, N), numbers(N), numbers(N)),
    ),
    recurrence: ("store forwarding: yes", numbers(200)),
    two_recurrences: (
        "store forwarding: no, it has several stores, and looking for the latest takes longer",
        *(numbers(200), numbers(200)),
    ),
}


# ---- kernels and calls ---------------------------------------------------------------------------


def softmax(x: Array) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def around_a_call(x: Array) -> Any:
    y = x * 2 + 1
    return np.sort(y) * 3 + y


def nearest(x: Array, c: Array) -> Any:
    return ((x[:, None, :] - c) ** 2).sum(axis=-1).argmin(axis=1)


def nearest_and_differences(x: Array, c: Array) -> Any:
    d = (x[:, None, :] - c) ** 2
    return d.sum(axis=-1).argmin(axis=1), d


def rolled(x: Array) -> Any:
    return np.roll(x, 1) * 2 + np.roll(x, -1)


def rolled_far(x: Array) -> Any:
    return np.roll(x, 200) * 2 + x


def running_sum(x: Array) -> Any:
    return np.cumsum(x * 2.0 + 1, axis=1) * 3


def running_sum_down(x: Array) -> Any:
    return np.cumsum(x * 2.0 + 1, axis=0) * 3


def stacked(x: Array, y: Array) -> Any:
    return np.stack([x * y, x + y], axis=-1)


def joined(x: Array, y: Array) -> Any:
    return np.concatenate([x, y, x * y + 1])


KERNELS = {
    softmax: ("chain of 3 stages, band by band: yes", numbers(400, 400)),
    nearest_and_differences: (
        "chain with what feeds it: no, one kernel reads another one's result by a view, cast or "
        "repeated",
        *(numbers(500, 2), numbers(8, 2)),
    ),
    around_a_call: (
        "one kernel with add at line {line+1}: no, another call or kernel has to run between them",
        numbers(400, 400),
    ),
    nearest: ("short axis unrolled: yes", numbers(500, 2), numbers(8, 2)),
    rolled_far: ("view of a padded array: no, the shift is longer than 64", numbers(1000)),
    running_sum_down: (
        "kernel: no, cumsum goes along axis 0, not along the innermost one",
        numbers(400, 400),
    ),
    stacked: ("parts written in place: yes", numbers(400), numbers(400)),
    joined: (
        "parts written in place: no, kernels make less than half of it",
        *(numbers(400), numbers(400)),
    ),
}
NOTHING_DECLINED = {
    rolled: (numbers(1000),),
    running_sum: (numbers(400, 400),),
}

ALL = LOOPS | KERNELS


@pytest.fixture(autouse=True)
def fresh() -> Any:
    jitcore.reset()
    yield
    jitcore.reset()


def found_in(explanation: Any) -> list[str]:
    return [
        str(one)
        for graph in explanation.graphs
        for subject in graph.remarks.found()
        for one in subject.found
    ]


@pytest.mark.parametrize("fn", ALL, ids=lambda fn: fn.__name__)
def test_what_applied_and_why_not(fn: Any) -> None:
    wanted, *args = ALL[fn]
    line = fn.__code__.co_firstlineno
    for k in range(5):
        wanted = wanted.replace(f"{{line+{k}}}", str(line + k))
    with np.errstate(all="ignore"):
        explanation = jitcore.explain(fn)(*args)
    assert wanted in found_in(explanation)


def test_each_way_of_reordering_a_loop_has_one_of_each_kind() -> None:
    ways = {wanted.partition(":")[0] for wanted, *_ in LOOPS.values()}
    assert len(ways) == 7
    for way in ways:
        said = [wanted for wanted, *_ in LOOPS.values() if wanted.startswith(f"{way}: ")]
        assert any(one.endswith(": yes") for one in said), way
        assert any(": no, " in one for one in said), way


def test_explain_has_a_line_for_each_loop() -> None:
    text = str(jitcore.explain(sweep)(numbers(N, N)))
    line = sweep.__code__.co_firstlineno + 1
    found = [one.strip() for one in text.splitlines() if one.startswith("      loop at")]
    assert found == [
        f"loop at line {line}: native; wavefront: yes; DOALL: no, a stored array is used outside "
        "the iteration's own index",
        f"loop at line {line + 1}: native; store forwarding: yes",
    ]


@pytest.mark.parametrize("fn", NOTHING_DECLINED, ids=lambda fn: fn.__name__)
def test_explain_has_no_line_where_nothing_was_declined(fn: Any) -> None:
    text = str(jitcore.explain(fn)(*NOTHING_DECLINED[fn]))
    assert not [one for one in text.splitlines() if one.startswith(("      kernel", "      call"))]


def test_a_loop_of_an_inlined_function_has_its_name() -> None:
    where = Place("app.py", 12, None, None, None, "step")
    loop = Remarks("loop", where, (Remark("DOALL"), Remark("DOALL")), "native")
    assert loop.line("step") == "loop at line 12: native; DOALL: yes"
    assert loop.line("run") == "loop at line 12 in step: native; DOALL: yes"


def test_the_log_has_the_same_lines(caplog: Any) -> None:
    line = recurrence.__code__.co_firstlineno + 1
    wanted = f"in recurrence: loop at line {line}: native; store forwarding: yes; DOALL: no, "
    with caplog.at_level(logging.INFO, logger="jitcore.kernels"):
        jitcore.compile(recurrence)(numbers(200))
    (said,) = [one.getMessage() for one in caplog.records if "loop at line" in one.getMessage()]
    assert wanted in said
    jitcore.reset()
    with caplog.at_level(logging.DEBUG, logger="jitcore.kernels"):
        jitcore.compile(recurrence)(numbers(200))
    assert "strip mining: no, it stores into no slice of an array" in caplog.text


def test_what_it_was_not_meant_for_is_no_decline() -> None:
    assert str(Remark("DOALL", "a reason")) == "DOALL: no, a reason"
    (graph,) = jitcore.explain(recurrence)(numbers(200)).graphs
    (loop,) = graph.remarks.found()
    (mined,) = [one for one in loop.found if one.way == "strip mining"]
    assert mined.reason and not mined.candidate


def test_every_refusal_has_a_reason() -> None:
    """No CannotLower is raised without one."""
    bare = [
        f"{path}:{node.lineno}"
        for path in sorted(Path(jitcore.__file__).parent.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Raise)
        and (
            (isinstance(node.exc, ast.Name) and node.exc.id in ("CannotLower", "NotCandidate"))
            or (
                isinstance(node.exc, ast.Call)
                and isinstance(node.exc.func, ast.Name)
                and node.exc.func.id in ("CannotLower", "NotCandidate")
                and not node.exc.args
            )
        )
    ]
    assert not bare
