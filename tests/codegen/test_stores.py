"""Kernels that write into arrays of the program: whole, or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from codegen_harness import assert_same, build, groups_of

import jitcore
from jitcore import _C
from jitcore.config import Config
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import OPS, Builder, Node, Value
from jitcore.ir.ops.array import GETITEM
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.kernel import kernel
from jitcore.kernels.store_rules import STORE
from jitcore.passes.window import fused
from jitcore.runtime.warning_safety import Warned, is_file, lets_pass

pytestmark = pytest.mark.by_turns

Array = np.ndarray[Any, Any]
ALL = (slice(None),)
ROOT = Path(__file__).parents[2]


def store(b: Builder, value: Value, target: Value, index: Any = ALL) -> Value:
    view = b.emit(GETITEM, (target, index))
    out = Value(view.type)
    b.nodes.append(Node(STORE, (value, view), {}, (out,)))
    return out


def group_of(fn: Callable[..., Any], *arrays: Any) -> FusionGroup | None:
    b, _, results = build(fn, arrays)
    found = [group for group in groups_of(fused(b.nodes, set(results))) if group.written]
    return found[0] if found else None


def inverse(b: Builder, x: Value, y: Value) -> Value:
    """y[1:] = 1 / x[1:] + x[1:]"""
    rest = b.emit(GETITEM, (x, (slice(1, None),)))
    return store(b, b.emit(OP["+"], (b.emit(OP["/"], (1.0, rest)), rest)), y, (slice(1, None),))


def by_numpy(x: Array, y: Array) -> Array:
    made = y.copy()
    made[1:] = 1.0 / x[1:] + x[1:]
    return made


def compiled(fn: Callable[..., Any], config: Config, *arrays: Any, alone: bool = False) -> Any:
    group = group_of(fn, *arrays)
    assert group is not None
    run = kernel(replace(group, alone=alone), config)
    assert run is not None
    return run


@pytest.fixture
def check() -> Iterator[Callable[[bool], None]]:
    yield lambda told: _C.set_warnings_check(lambda: told)
    _C.set_warnings_check(Warned().passes)


SHAPES: dict[str, Callable[[], Array]] = {
    "few": lambda: np.arange(1.0, 11.0),
    "some": lambda: np.arange(1.0, 3001.0).reshape(30, 100),
    "with gaps": lambda: np.arange(1.0, 6001.0).reshape(30, 200)[:, ::2],
    "backwards": lambda: np.arange(1.0, 3001.0).reshape(30, 100)[::-1, ::-1],
    "three axes": lambda: np.arange(1.0, 3001.0).reshape(10, 15, 20).transpose(2, 0, 1),
    "bytes of the pool": lambda: np.arange(1.0, 300_001.0),
    "singles": lambda: np.arange(1, 1001, dtype="f4").reshape(10, 100)[:, 10:90],
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_store_is_whole(name: str, config: Config) -> None:
    x, y = SHAPES[name](), SHAPES[name]()
    run = compiled(inverse, config, x, y)
    want = by_numpy(x, y)
    (result,) = run(x, y)
    assert result is y
    assert np.array_equal(y, want)


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("name", SHAPES)
def test_a_refused_store_leaves_no_trace(
    name: str, told: bool, config: Config, check: Callable[[bool], None]
) -> None:
    """Who may not be repeated is not asked."""
    check(told)
    x, y = SHAPES[name](), SHAPES[name]()
    run = compiled(inverse, config, x, y)
    x[-1] = 0
    before = y.copy()
    assert run(x, y) is None
    assert np.array_equal(y, before)


@pytest.mark.parametrize("name", ["some", "bytes of the pool"])
def test_what_can_be_repeated_is_not_kept(
    name: str, config: Config, check: Callable[[bool], None]
) -> None:
    """Large arrays only: small ones are kept at less cost than asking."""
    x, y = SHAPES[name](), SHAPES[name]()
    run = compiled(inverse, config, x, y, alone=True)
    x[-1] = 0
    for told in False, True:
        check(told)
        before = y.copy()
        assert run(x, y) is None
        changed = not np.array_equal(y, before)
        assert changed == (told and name == "bytes of the pool")


class Alarm(Exception):
    """What the handler of a signal raises while the check runs."""


def alarm() -> bool:
    raise Alarm


def update(x: Array, y: Array) -> Array:
    y[1:] = 1 / x[1:] + x[1:]
    return y


def test_what_a_handler_raises_is_raised(config: Config, check: Callable[[bool], None]) -> None:
    x, y = SHAPES["bytes of the pool"](), np.zeros(300_000)
    run = compiled(inverse, config, x, y, alone=True)
    whole = jitcore.compile(update, backend="c")
    check(True)
    for _ in range(20):
        whole(x, y)
    y[:] = 0
    _C.set_warnings_check(alarm)
    with pytest.raises(Alarm):
        run(x, y)
    with pytest.raises(Alarm):
        for _ in range(20):
            whole(x, y)
    check(True)
    assert run(x, y) is not None
    assert np.array_equal(y, by_numpy(x, np.zeros(300_000)))


def with_element(x: Array, y: Array) -> Any:
    first = y[2]
    y[:] = 1 / x + x
    return first


def with_view(x: Array, y: Array) -> Any:
    part = y[2:]
    y[:] = 1 / x + x
    return part


def with_operand(x: Array, y: Array) -> Any:
    y[:-1] = 1 / x[:-1] + y[-1]
    return y


@pytest.mark.parametrize("fn", [with_element, with_view, with_operand])
def test_what_is_repeated_reads_nothing_new(fn: Any, check: Callable[[bool], None]) -> None:
    """An element that the function keeps is one from before the store."""
    fast = jitcore.compile(fn, backend="c")
    x = np.arange(1.0, 300_001.0)
    for _ in range(20):
        fast(x, np.ones(x.size))
    check(True)
    x[5] = 0.0
    want, got = np.arange(0.0, x.size), np.arange(0.0, x.size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.array_equal(fast(x, got), fn(x, want))
    assert np.array_equal(got, want)


def test_flags_that_are_ignored_refuse_nothing(config: Config) -> None:
    x, y = np.arange(10.0), np.ones(10)
    run = compiled(inverse, config, x[::-1].copy(), y)
    x = x[::-1].copy()
    with np.errstate(all="ignore"):
        want = by_numpy(x, y)
        assert run(x, y) is not None
    assert np.array_equal(y, want) and np.isinf(y[-1])


def in_a_row(x: Array, y: Array) -> None:
    x *= y
    x += 1
    x -= y


def alone(x: Array, y: Array) -> None:
    x *= y


@pytest.mark.parametrize(
    ("fn", "dtype", "size", "kernels"),
    [
        (in_a_row, "d", 100, 1),
        (in_a_row, "l", 100_000, 1),
        (in_a_row, "d", 100_000, 1),
        (in_a_row, "d", 1_000_000, 0),
        (alone, "d", 100, 0),
        (alone, "l", 100, 0),
    ],
)
def test_operations_in_place(fn: Any, dtype: str, size: int, kernels: int) -> None:
    """Several are one kernel; one is a call, and several on what it takes long to keep."""
    x, y = np.arange(size).astype(dtype), np.ones(size, dtype)
    told = str(jitcore.explain(fn)(x, y))
    assert f" {kernels} kernel" in told, told


def test_what_refuses_beside_flags_is_always_kept(config: Config) -> None:
    """A number without a defined conversion."""

    def fn(b: Builder, x: Value, n: Value) -> Value:
        return store(b, b.emit(OP["*"], (b.emit(OP["+"], (x, 1.0)), x)), n)

    x, n = np.arange(10.0), np.arange(10)
    run = compiled(fn, config, x, n, alone=True)
    with np.errstate(all="ignore"):
        assert run(x, n) is not None
        assert n.tolist() == [k * k + k for k in range(10)]
        x[5] = 1e200
        assert run(x, n) is None
    assert n.tolist() == [k * k + k for k in range(10)]


def test_targets_that_may_not_be_written(config: Config) -> None:
    x, y = np.arange(1.0, 11.0), np.zeros(10)
    run = compiled(inverse, config, x, y)
    frozen = y.copy()
    frozen.flags.writeable = False
    assert run(x, frozen) is None
    (warning,) = np.broadcast_arrays(y)
    if warning is not y:
        assert run(x, warning) is None
    room = np.arange(1.0, 21.0)
    assert run(room[:10], room[10:]) is not None
    for other in room[5:15], room[:10]:
        before = room.copy()
        assert run(room[:10], other) is None
        assert np.array_equal(room, before)


X = np.arange(24.0).reshape(4, 6)
REST, BUT_LAST = (slice(1, None),), (slice(None, -1),)


def moved(source: Any, target: Any) -> Callable[[Builder, Value], Value]:
    """x[target] = x[source] * 2 + 1"""

    def fn(b: Builder, x: Value) -> Value:
        view = b.emit(GETITEM, (x, source))
        return store(b, b.emit(OP["+"], (b.emit(OP["*"], (view, 2.0)), 1.0)), x, target)

    return fn


@pytest.mark.parametrize(
    ("source", "target", "fits"),
    [
        (ALL, ALL, True),
        ((..., 2), (..., 3), True),
        ((0,), (3,), True),
        ((slice(None, None, 2),), (slice(1, None, 2),), True),
        ((..., slice(None, None, 2)), (..., slice(1, None, 2)), True),
        (BUT_LAST, REST, False),
        ((slice(None, None, -1),), ALL, False),
        ((slice(None, 2),), (slice(1, 3),), False),
    ],
)
def test_views_of_one_array(source: Any, target: Any, fits: bool, config: Config) -> None:
    group = group_of(moved(source, target), X)
    assert (group is not None) == fits
    if group is None:
        return
    run = kernel(group, config)
    assert run is not None
    got, want = X.copy(), X.copy()
    want[target] = want[source] * 2.0 + 1.0
    assert run(got) is not None
    assert np.array_equal(got, want)


def test_in_place_through_a_call(config: Config) -> None:
    """NumPy's loops write into buffers, and what they read is read before."""

    def fn(b: Builder, x: Value) -> list[Value]:
        view = b.emit(GETITEM, (x, ALL))
        made = b.emit(OPS["exp"], (b.emit(OP["-"], (view, 1.0)),))
        both = b.emit(OP["*"], (made, view))
        return [store(b, both, x), both]

    x = np.linspace(0, 3, 5000).copy()
    group = group_of(fn, x)
    assert group is not None
    run = kernel(group, config)
    assert run is not None
    want = np.exp(x - 1.0) * x
    written, made = run(x)
    assert written is x
    assert_same(x, want, "written")
    assert_same(made, want, "made")


# ---- warnings -----------------------------------------------------------------------------------


WORLDS = {
    "CPython's own": ("", True),
    "an error of another kind": ("warnings.filterwarnings('error', category=UserWarning)", True),
    "all are shown": ("warnings.simplefilter('always')", True),
    "no stream": ("sys.stderr = None", True),
    "all raise": ("warnings.simplefilter('error')", False),
    "some raise": ("warnings.filterwarnings('error', 'div', RuntimeWarning)", False),
    "some raise, put by hand": (
        "warnings.filters.insert(0, ('error', None, Warning, None, 0))",
        False,
    ),
    "filters by hand": ("warnings.filters = tuple(warnings.filters)", False),
    "raises if no filter says": ("warnings.defaultaction = 'error'", False),
    "shown by others": ("warnings.showwarning = print", False),
    "formatted by others": ("warnings.formatwarning = lambda *args: 'x'", False),
    "other code": ("warnings.formatwarning.__code__ = (lambda *args: '').__code__", False),
    "recorded": ("warnings.catch_warnings(record=True).__enter__()", False),
    "another stream": ("sys.stderr = io.StringIO()", False),
    "a closed stream": ("sys.stderr.close()", False),
    "no name for a stream": ("del sys.stderr", False),
    "a stream without a file": (
        "sys.stderr = open(os.devnull, 'w', errors='backslashreplace'); sys.stderr.buffer.detach()",
        False,
    ),
    "no lines": ("del linecache.cache", False),
    "lines by others": ("linecache.cache = None", False),
    "a stream that is listened to": ("sys.stderr.write = print", False),
    "another registry": ("__warningregistry__ = Registry()", False),
    "another module": ("sys.modules['warnings'] = sys", False),
}
PROGRAM = """
import io, linecache, os, sys, warnings
from jitcore.runtime.warning_safety import Warned
class Registry(dict): pass
seen, out = Warned(), sys.stdout
assert seen.passes()
{}
print(seen.passes(), file=out)
"""


@pytest.mark.parametrize("name", WORLDS)
def test_what_a_warning_goes_through(name: str) -> None:
    """In a process of its own: pytest records warnings."""
    world, passes = WORLDS[name]
    program = [sys.executable, "-c", PROGRAM.format(world)]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": ""}
    done = subprocess.run(program, capture_output=True, text=True, env=env, timeout=60)
    assert done.stdout == f"{passes}\n", done.stderr


class Loud(str):
    def __eq__(self, other: object) -> bool:
        raise AssertionError("asked")

    __hash__ = str.__hash__


@pytest.mark.parametrize(
    "row",
    [
        ["default", None, Warning, None, 0],
        ("default", None, Warning, None),
        (Loud("default"), None, Warning, None, 0),
        ("default", Loud("x"), Warning, None, 0),
        ("default", None, type("Meta", (type,), {})("W", (), {}), None, 0),
        ("error", None, Exception, None, 0),
    ],
)
def test_filters_of_the_users_making(row: Any) -> None:
    assert not lets_pass(row)


def test_streams(tmp_path: Any) -> None:
    with open(tmp_path / "log", "w", errors="backslashreplace") as stream:
        assert is_file(stream) and is_file(None)
        stream.write = print  # type: ignore[method-assign, assignment]
        assert not is_file(stream)
    assert not is_file(stream)
    assert not is_file(object())
