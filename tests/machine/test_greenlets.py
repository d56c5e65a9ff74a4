"""Frames whose evaluation is left for another C stack in the middle."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import greenlet
import numpy as np
import pytest

import jitcore


def make_body(decorate: Callable[[Any], Any]) -> Callable[..., Any]:
    @decorate
    def body(x, depth, hub):
        y = np.sqrt(x * x + 1) * 2
        hub.switch()
        y = y * x + 1
        if depth:
            y = y + body(x + 1, depth - 1, hub)
        hub.switch()
        z = np.exp(-y) * y + x
        hub.switch()
        return z * y + 2

    return body


def interleaved(body: Callable[..., Any], seed: int) -> dict[int, list[bytes]]:
    """Twelve greenlets that run `body` at four depths, switched at random."""
    rng, hub, results = random.Random(seed), greenlet.getcurrent(), {}

    def work(i):
        results[i] = [body(np.arange(5.0) + i + k, i % 4, hub).tobytes() for k in range(4)]

    todo = [greenlet.greenlet(work) for _ in range(12)]
    started = 0
    while todo:
        one = rng.choice(todo)
        if not one:
            one.switch(started)
            started += 1
        else:
            one.switch()
        todo = [g for g in todo if not g.dead]
    return results


@pytest.mark.parametrize("seed", range(4))
def test_greenlets_switch_between_regions(seed):
    compiled = make_body(jitcore.compile)
    expected = interleaved(make_body(lambda fn: fn), seed)
    for _ in range(3):
        assert interleaved(compiled, seed) == expected
    assert compiled.cache_info().hits > 200


def test_a_greenlet_that_is_dropped_inside_a_compiled_function():
    compiled = make_body(jitcore.compile)
    hub = greenlet.getcurrent()
    x = np.arange(5.0)
    for depth in (0, 3):
        for _ in range(5):
            one = greenlet.greenlet(compiled)
            one.switch(x, depth, hub)
            del one  # GreenletExit is raised in it
    assert interleaved(compiled, 7) == interleaved(make_body(lambda fn: fn), 7)
