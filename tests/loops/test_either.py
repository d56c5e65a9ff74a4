"""Where one operand may be the answer, the other one warns all the same."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore import _C

BODIES = {
    "or": "x[:, k] *= np.logical_or(a[:, k] < 100.0, 1.0 / a[:, k])",
    "and": "x[:, k] *= (1.0 / a[:, k] > 3.0) & (a[:, k] > 100.0)",
    "chosen": "x[:, k] *= (a[:, k] < 9.0) | np.where(a[:, k] < 9.0, True, 1.0 / a[:, k] > 3.0)",
}
LOOP = """
def loop(x, a):
    for k in range(1, x.shape[1]):
        {body}
        x[:, k] += x[{side}, k - 1] + a[:, k]
"""


@pytest.fixture(autouse=True)
def shared_always() -> Iterator[None]:
    jitcore.reset()
    _C.strands_always(True)
    yield
    _C.strands_always(False)
    jitcore.reset()


def loop_of(body: str, side: str) -> Callable[..., None]:
    space: dict[str, Any] = {"np": np}
    exec(LOOP.format(body=body, side=side), space)
    return space["loop"]  # type: ignore[no-any-return]


def ends(fn: Callable[..., None], divisor: float) -> tuple[bytes, list[tuple[str, int]]]:
    x, a = np.ones((70, 41)), np.full((70, 41), 2.0)
    a[20, 11] = divisor
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        fn(x, a)
    return x.tobytes(), [(str(one.message), one.lineno) for one in given]


@pytest.mark.parametrize("side", (":", "::-1"))  # the second one mixes elements: no strands
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_division_by_zero(body: str, side: str) -> None:
    loop, before = loop_of(body, side), _C.strands_count()
    compiled = jitcore.compile(loop)
    assert ends(compiled, 2.0) == ends(loop, 2.0)
    assert (_C.strands_count() > before) == (side == ":")
    want = ends(loop, 0.0)
    assert want[1]
    assert ends(compiled, 0.0) == want
