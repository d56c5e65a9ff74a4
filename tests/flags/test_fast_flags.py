"""numerics="fast" keeps warnings: the same ones, at the same lines, in the same order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flags_calls import Sample
from flags_observed import Event, listening
from test_matrix import COUNT, SAMPLES

import jitcore


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_warnings_of_fast_kernels(sample: Sample) -> None:
    wild, tame = sample.operands(COUNT), sample.tame(COUNT)
    shown: list[list[Event]] = [[], []]
    compiled: Any = jitcore.compile(sample.fn, numerics="fast")
    for fn, events in zip((sample.fn, compiled), shown, strict=True):
        with np.errstate(all="warn"), listening("always", sample.fn.__globals__, events):
            for args in (tame, wild, tame, wild):
                fn(*args)
                events.append(("called",))
    jitcore.reset()
    assert shown[0] == shown[1]
