"""Random elementwise graphs: NumPy node by node and kernels must agree in every bit."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from codegen_harness import build, by_kernels, by_numpy, check
from codegen_values import LAYOUTS, SIZES, tame, wild

from jitcore.config import Config
from jitcore.ir import OPS, Builder, Kind, Node, Unsupported, Value, leaf_type
from jitcore.passes.window import fused

pytestmark = pytest.mark.by_turns

NAMES = sorted(
    row.name for row in OPS.values() if row.kind is Kind.MAP and row.ufunc and row.ufunc.nout == 1
)
ARITY = {name: OPS[name].ufunc.nin for name in NAMES}
NUMBERS = (2, -1, 0.5, 3.0, True, np.float32(1.5), np.int16(3))


def program(seed: int, length: int) -> Callable[..., list[Value]]:
    """A graph that is the same for every size: 5 of its values are results."""

    def fn(b: Builder, *inputs: Value) -> list[Value]:
        rng = random.Random(seed)
        pool: list[Any] = list(inputs)
        made: list[Value] = []
        for _ in range(20 * length):
            name = rng.choice(NAMES)
            args = [rng.choice(pool[-8:]) for _ in range(ARITY[name])]
            if len(args) == 2 and rng.random() < 0.25:
                args[rng.randrange(2)] = rng.choice(NUMBERS)
            if name == "power" and leaf_type(args[0]).dtype.kind not in "fc":
                continue  # negative integer powers are an error
            try:
                made.append(b.emit(OPS[name], args))
            except Unsupported:
                continue
            pool.append(made[-1])
            if len(made) == length:
                break
        return rng.sample(made, min(5, len(made)))

    return fn


@pytest.mark.parametrize("seed", range(30))
def test_sizes_and_types(seed: int, config: Config) -> None:
    rng = random.Random(1000 + seed)
    dtypes = [rng.choice("ddddffilHBb?DF") for _ in range(3)]
    fn = program(seed, 14)
    for size in SIZES:
        make = rng.choice((tame, wild))
        arrays = [make(dtype, (size,), k + seed) for k, dtype in enumerate(dtypes)]
        with np.errstate(all="ignore"):
            check(fn, arrays, config, groups=0)


@pytest.mark.parametrize("seed", range(30))
def test_layouts(seed: int, config: Config) -> None:
    rng = random.Random(2000 + seed)
    names = [rng.choice(sorted(LAYOUTS)) for _ in range(3)]
    arrays = [LAYOUTS[name](wild(rng.choice("ddfl"), (23, 71), k)) for k, name in enumerate(names)]
    with np.errstate(all="ignore"):
        assert check(program(100 + seed, 10), arrays, config, groups=0)


@pytest.mark.parametrize("seed", range(15))
def test_what_numpy_would_report_is_refused(seed: int, config: Config) -> None:
    """If NumPy raises FloatingPointError anywhere, the kernels must not give a result."""
    rng = random.Random(3000 + seed)
    fn = program(200 + seed, 6)
    for round in range(6):
        make = (tame, wild)[round % 2]
        arrays = [make(rng.choice("df"), (200,), round + k) for k in range(2)]
        b, inputs, results = build(fn, arrays)
        env = dict(zip(inputs, arrays, strict=True))
        steps = fused(b.nodes, set(results))
        if not raises(b.nodes, env):
            continue
        # a call between the kernels may raise by itself
        with np.errstate(all="raise"), contextlib.suppress(FloatingPointError):
            assert by_kernels(steps, env, config) is None


def raises(nodes: list[Node], env: dict[Value, Any]) -> bool:
    with np.errstate(all="raise"):
        try:
            by_numpy(nodes, env)
        except FloatingPointError:
            return True
    return False
