"""Random graphs on large arrays: NumPy node by node, and kernels in parts, agree in every bit."""

from __future__ import annotations

import random

import numpy as np
import pytest
from codegen_harness import check
from codegen_values import LAYOUTS, tame, wild
from test_random_graphs import program

from jitcore import _C
from jitcore.config import Config

pytestmark = pytest.mark.by_turns


@pytest.mark.parametrize("seed", range(8))
def test_lengths_and_types(seed: int, config: Config) -> None:
    rng = random.Random(seed)
    dtypes = [rng.choice("ddddffilHBb?DF") for _ in range(3)]
    before = _C.threads_state()[1]
    for size in (8192, 8200, 12_345, 20_011, 65_600):
        _C.set_threads(rng.choice((2, 3, 7)))
        _C.threads_again()
        make = rng.choice((tame, wild))
        arrays = [make(dtype, (size,), k + seed) for k, dtype in enumerate(dtypes)]
        with np.errstate(all="ignore"):
            check(program(300 + seed, 12), arrays, config)
    assert _C.threads_state()[1] > before


@pytest.mark.parametrize("seed", range(8))
def test_layouts(seed: int, config: Config) -> None:
    rng = random.Random(50 + seed)
    _C.set_threads(rng.choice((2, 3, 7)))
    before = _C.threads_state()[1]
    for shape in ((131, 257), (3, 9001), (9001, 3)):
        names = [rng.choice(sorted(LAYOUTS)) for _ in range(3)]
        arrays = [LAYOUTS[name](wild(rng.choice("ddfl"), shape, k)) for k, name in enumerate(names)]
        with np.errstate(all="ignore"):
            assert check(program(400 + seed, 8), arrays, config, groups=0)
    assert _C.threads_state()[1] > before
