"""Programs whose world changes between two calls and within one; `tools/fuzz.py`, whose grammar
is "mutations", makes as many as there is time for."""

from __future__ import annotations

import functools
import random
from typing import Any

import numpy as np
import pytest
from fuzzing import worlds
from fuzzing.compare import compare
from fuzzing.profiles import program

import jitcore

SEEDS = range(7000, 7006)
TEXTS = [(n, text) for n, part in worlds.PARTS.items() for text in part.changes]


@pytest.fixture(autouse=True)
def _forget() -> Any:
    yield
    jitcore.reset()


@pytest.mark.by_turns
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_stale(seed: int) -> None:
    backend = "c" if seed % 3 == 0 else "numpy"
    verdict = compare(
        program("mutations", seed), functools.partial(jitcore.compile, backend=backend)
    )
    assert verdict.difference is None, str(verdict.difference)
    assert verdict.steps == worlds.STEPS
    assert verdict.hits and verdict.compiles


def stale(fn: Any) -> Any:
    """As a compiler that takes the world of the first call for granted."""
    kept: dict[Any, Any] = {}

    @functools.wraps(fn)
    def called(*args: Any) -> Any:
        key = [(a.tobytes(), a.shape, str(a.dtype)) for a in map(np.asarray, args)]
        if str(key) not in kept:
            kept[str(key)] = fn(*args)
        return kept[str(key)]

    return called


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_stale_compiler_is_found() -> None:
    found = [compare(program("mutations", seed), stale).difference for seed in range(3)]
    assert all(found)


def test_statements_are_python() -> None:
    rng = random.Random(1)
    for name, text in TEXTS:
        compile(worlds.changed(rng, text), name, "exec")
    for seed in range(60):
        compile(program("mutations", seed), "program", "exec")
