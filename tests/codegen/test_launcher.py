"""A launch takes exactly what the kernel was compiled for; all else is refused. Nothing leaks."""

from __future__ import annotations

import sys
import tracemalloc
from typing import Any

import numpy as np
import pytest
from codegen_harness import assert_same, build, groups_of
from codegen_values import misaligned

from jitcore import _C
from jitcore.config import Config
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import OPS, Builder, Value
from jitcore.kernels.kernel import kernel
from jitcore.passes.window import fused

X = np.arange(1.0, 13.0).reshape(3, 4)


def made(fn: Any, arrays: list[Any], config: Config) -> _C.Kernel:
    b, _, results = build(fn, arrays)
    (group,) = groups_of(fused(b.nodes, set(results)))
    found = kernel(group, config)
    assert found is not None
    return found


def twice(b: Builder, x: Value, y: Any) -> Value:
    return b.emit(OP["*"], (b.emit(OP["+"], (x, y)), x))


def halves(b: Builder, x: Value) -> Value:
    return b.emit(OP["+"], (b.emit(OP["/"], (1.0, x)), x))


@pytest.fixture
def run(config: Config) -> _C.Kernel:
    return made(twice, [X, X], config)


class Sub(np.ndarray):
    pass


OTHERS = {
    "another shape": X.T.copy(),
    "fewer axes": X[0],
    "another dtype": X.astype("f4"),
    "same size, another dtype": X.view("i8"),
    "another layout": np.asfortranarray(X),
    "byte-swapped": X.astype(">f8"),
    "misaligned": misaligned(X),
    "a subclass": X.view(Sub),
    "metadata": X.astype(np.dtype("f8", metadata={"unit": "m"})),
    "a list": X.tolist(),
    "nothing": None,
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_operands_are_refused(name: str, run: _C.Kernel) -> None:
    before = run.refusals
    assert run(X, OTHERS[name]) is None
    assert run(OTHERS[name], X) is None
    assert run.refusals == before + 2
    assert sys.exc_info() == (None, None, None)


def test_unit_axes_may_have_any_stride(config: Config) -> None:
    column = np.ones((3, 1))
    run = made(twice, [X, column], config)
    other = np.lib.stride_tricks.as_strided(column, (3, 1), (8, 800))
    assert run(X, other) is not None


def test_read_only_operands_are_fine(run: _C.Kernel) -> None:
    frozen = X.copy()
    frozen.flags.writeable = False
    (result,) = run(frozen, frozen) or (None,)
    assert result.flags.writeable and result.flags.owndata


PYTHON = [
    (3, 2**70),
    (True, 1),
    (2.5, 2),
    (np.float32(1), np.float64(1)),
    (np.int8(1), 1),
    (1, True),
]


@pytest.mark.parametrize(("good", "bad"), PYTHON, ids=repr)
def test_scalars_have_exact_types(good: Any, bad: Any, config: Config) -> None:
    run = made(twice, [X, good], config)
    (result,) = run(X, good) or (None,)
    assert_same(result, (X + good) * X, "scalar")
    assert run(X, bad) is None


@pytest.mark.parametrize("char", "bBhHiIlLqQ")
def test_python_ints_must_fit(char: str, config: Config) -> None:
    x = np.arange(5, dtype=char)
    run = made(twice, [x, 1], config)
    limits = np.iinfo(char)
    for value in (int(limits.min), int(limits.max), 0):
        (result,) = run(x, value) or (None,)
        assert_same(result, (x + value) * x, "int")
    assert run(x, int(limits.min) - 1) is None
    assert run(x, int(limits.max) + 1) is None


def test_ints_that_round_twice_are_numpys(config: Config) -> None:
    x = np.ones(5, "f4")
    run = made(twice, [x, 1], config)
    assert run(x, 2**60 + 2**36 + 1) is None
    assert run(x, 2**53) is not None


# ---- floating-point flags -----------------------------------------------------------------------

FLAGS = {
    "divide": lambda b, x: b.emit(OP["+"], (b.emit(OP["/"], (1.0, x)), 1.0)),
    "invalid": lambda b, x: b.emit(OP["+"], (b.emit(OPS["sqrt"], (x,)), 1.0)),
    "over": lambda b, x: b.emit(OP["+"], (b.emit(OP["*"], (x, x)), 1.0)),
    "under": lambda b, x: b.emit(OP["+"], (b.emit(OP["*"], (x, x)), 1.0)),
    "divide in a call": lambda b, x: b.emit(OP["+"], (b.emit(OPS["log"], (x,)), 1.0)),
    "over in a call": lambda b, x: b.emit(OP["+"], (b.emit(OPS["exp"], (x,)), 1.0)),
    "invalid before a call that clears": lambda b, x: b.emit(
        OPS["tanh"], (b.emit(OP["+"], (b.emit(OPS["sqrt"], (x,)), 1.0)),)
    ),
}
VALUES = {"divide": 0.0, "invalid": -1.0, "over": 1e300, "under": 1e-300}


@pytest.mark.parametrize("name", FLAGS)
@pytest.mark.parametrize("place", [0, 37, 99])
def test_a_flag_refuses_unless_it_is_ignored(name: str, place: int, config: Config) -> None:
    flag = name.split()[0]
    x = np.full(100, 2.0)
    x[place] = VALUES[flag]
    run = made(FLAGS[name], [x], config)
    good = np.full(100, 2.0)
    for mode in ("warn", "raise", "call", "print", "log", "ignore"):
        with np.errstate(**{"all": "ignore", flag: mode}):
            assert (run(x) is None) == (mode != "ignore"), mode
            assert run(good) is not None, mode


def test_underflow_is_ignored_by_default(config: Config) -> None:
    assert made(FLAGS["under"], [X], config)(np.full((3, 4), 1e-300)) is not None


def test_flags_from_before_do_not_count(config: Config) -> None:
    run = made(halves, [X], config)
    with np.errstate(all="ignore"):
        np.ones(3) / np.zeros(3)
    assert run(X) is not None


def test_numpys_own_warnings_stay(config: Config) -> None:
    """After a launch NumPy reports what it does itself, and nothing of ours."""
    run = made(halves, [X], config)
    zero = np.zeros((3, 4))
    with np.errstate(all="raise"):
        assert run(zero) is None
        np.add(1.0, X)
        assert np.float64(2.0) * np.float64(3.0) == 6.0
        with pytest.raises(FloatingPointError):
            np.divide(1.0, zero)


def test_comparing_nans_is_silent(config: Config) -> None:
    x = np.array([1.0, np.nan, -np.inf, 0.0] * 20)

    def fn(b: Builder, x: Value) -> list[Value]:
        names = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
        return [b.emit(OPS[name], (x, 0.5)) for name in names] + [b.emit(OPS["isnan"], (x,))]

    for dtype in "fd":
        with np.errstate(all="raise"):
            assert made(fn, [x.astype(dtype)], config)(x.astype(dtype)) is not None


def test_a_scalar_that_overflows_float32(config: Config) -> None:
    x = np.ones(5, "f4")
    run = made(twice, [x, 1.0], config)
    assert run(x, 1e300) is None
    assert run(x, 1e30) is not None


# ---- lifetimes ----------------------------------------------------------------------------------


def test_nothing_leaks(config: Config) -> None:
    large = np.ones(20_000)
    for x in (X, large):
        run = made(twice, [x, x], config)
        counts = [sys.getrefcount(one) for one in (x, x.dtype, run)]
        for _ in range(200):
            run(x, x)
            run(x, None)
        assert [sys.getrefcount(one) for one in (x, x.dtype, run)] == counts


def test_results_outlive_the_kernel(config: Config) -> None:
    (result,) = made(twice, [X, X], config)(X, X) or (None,)
    assert_same(result, (X + X) * X, "result")


def test_construction_refuses_nonsense() -> None:
    array = ("a", 12, (3,), (8,))
    base: dict[str, Any] = {
        "address": 1, "name": "k", "inputs": (array,), "reads": ((0, 0),), "outputs": (array,),
        "dim": (3,), "step": (8, 8), "loops": (), "flag_mask": 0, "source": "", "library": None,
    }  # fmt: skip
    _C.Kernel(**base)
    for key, value in {
        "address": 1.0,
        "dim": (),
        "cut": (1, 1, 1, 0),
        "inputs": (("x", 12, (3,), (8,)),),
        "outputs": (("i", 12, (), ()),),
        "step": (8,),
        "loops": (1,),
        "reads": ((1, 0),),
    }.items():
        with pytest.raises((ValueError, TypeError)):
            _C.Kernel(**{**base, key: value})
    for cut in (-1, 1, 1, 0), (0, -1, 1, 0), (0, 1, 0, 0), (0, 1, 1, 2), (0, 1, 1):
        with pytest.raises((ValueError, TypeError)):
            _C.Kernel(**{**base, "cut": cut})
    with pytest.raises(ValueError, match="type number"):
        _C.Kernel(**{**base, "inputs": (("a", 17, (3,), (8,)),)})
    with pytest.raises(ValueError, match="operands"):
        _C.Kernel(**{**base, "inputs": (array,) * 65, "step": (8,) * 66})
    with pytest.raises(ValueError, match="operands"):
        _C.Kernel(**{**base, "reads": ((0, 0),) * 64, "step": (8,) * 65})
    for reads in (0,), ((0,),), ((-1, 0),), (("a", 0),):
        with pytest.raises((ValueError, TypeError)):
            _C.Kernel(**{**base, "reads": reads})
    number = ("f", 12, (), ())
    with pytest.raises(ValueError, match="views of arrays"):
        _C.Kernel(**{**base, "inputs": (number,), "reads": ((0, 8),)})


def test_a_refusal_lets_all_results_go(config: Config) -> None:
    """3.11 evaluates the argument of Py_CLEAR twice."""

    def fn(b: Builder, x: Value) -> list[Value]:
        one = b.emit(OP["+"], (b.emit(OP["/"], (1.0, x)), x))
        return [one, b.emit(OP["*"], (one, x)), b.emit(OP["-"], (one, x))]

    x = np.zeros(4096)
    run = made(fn, [x], config)
    tracemalloc.start()
    try:
        assert run(x) is None
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(50):
            assert run(x) is None
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < x.nbytes


def test_a_wrong_number_of_operands(run: _C.Kernel) -> None:
    with pytest.raises(TypeError, match="2 operands"):
        run(X)
