"""A graph of elementwise nodes → run by NumPy node by node, and by `fuse` and kernels."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from support.elements import same_elements

from jitcore.config import Config
from jitcore.ir import Builder, Node, Value, map_tree, type_of
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.kernel import kernel
from jitcore.passes.window import fused

Array = np.ndarray[Any, Any]
Env = dict[Value, Any]


def build(
    fn: Callable[..., Any], arrays: Sequence[Any]
) -> tuple[Builder, list[Value], list[Value]]:
    """fn(builder, *values) → result values; its inputs are typed by `arrays`."""
    b = Builder()
    inputs = [b.input(type_of(array)) for array in arrays]
    results = fn(b, *inputs)
    return b, inputs, list(results) if isinstance(results, (tuple, list)) else [results]


def call(node: Node, env: Env) -> None:
    """What the node means: the NumPy call."""

    def known(leaf: Any) -> Any:
        return env[leaf] if isinstance(leaf, Value) else leaf

    assert node.target is not None
    made = node.target(*map_tree(known, node.args), **map_tree(known, node.kwargs))
    env.update(zip(node.outputs, made if isinstance(made, tuple) else (made,), strict=True))


def by_numpy(nodes: Sequence[Node], env: Env) -> Env:
    env = dict(env)
    for node in nodes:
        call(node, env)
    return env


def groups_of(steps: Sequence[Node | FusionGroup]) -> list[FusionGroup]:
    return [step for step in steps if isinstance(step, FusionGroup)]


def by_kernels(steps: Sequence[Node | FusionGroup], env: Env, config: Config) -> Env | None:
    """None: a kernel refused its operands."""
    env = dict(env)
    for step in steps:
        if isinstance(step, FusionGroup):
            run = kernel(step, config)
            assert run is not None
            results = run(*(env[value] for value in step.inputs))
            if results is None:
                return None
            env.update(zip(step.outputs, results, strict=True))
        else:
            call(step, env)
    return env


def check(fn: Callable[..., Any], arrays: Sequence[Any], config: Config, groups: int = 1) -> bool:
    """Compare bit for bit; False: refused. At least `groups` kernels must have been made."""
    b, inputs, results = build(fn, arrays)
    steps = fused(b.nodes, set(results))
    assert len(groups_of(steps)) >= groups, [node.op.name for node in b.nodes]
    env = dict(zip(inputs, arrays, strict=True))
    got = by_kernels(steps, env, config)
    if got is None:
        return False
    want = by_numpy(b.nodes, env)
    for k, value in enumerate(results):
        assert_same(got[value], want[value], f"result {k} of {[n.op.name for n in b.nodes]}")
    return True


def assert_same(got: Any, want: Any, what: str) -> None:
    """Type, dtype, layout, flags and bits; any NaN is as good as another."""
    assert type(got) is type(want), what
    if not isinstance(want, np.ndarray):
        got, want = np.asarray(got), np.asarray(want)
    assert (got.dtype, got.dtype.char, got.shape) == (want.dtype, want.dtype.char, want.shape), what
    assert got.strides == want.strides, (what, got.strides, want.strides)
    assert repr(got.flags) == repr(want.flags), what
    different = ~same_elements(got, want)
    assert not different.any(), (what, got[different][:5], want[different][:5])


def run(fn: Any, args: tuple[Any, ...], state: str) -> tuple[Any, list[Any]]:
    """The result, or the error; and the warnings under this state of NumPy's."""
    with warnings.catch_warnings(record=True) as found, np.errstate(all=state):
        warnings.simplefilter("always")
        try:
            result = fn(*args)
        except (FloatingPointError, TypeError) as error:
            result = str(error)
    return result, [(one.category, str(one.message), one.lineno) for one in found]


def compare(got: Any, want: Any, what: str) -> None:
    """Results of `run`."""
    if isinstance(want, np.ndarray | np.generic):
        assert_same(got, want, what)
    elif isinstance(want, tuple):
        for one, other in zip(got, want, strict=True):
            compare(one, other, what)
    else:
        assert got == want, what
