"""One NumPy call becomes a kernel of its own where threads, or the pool, make it faster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore import _C
from jitcore.toolchain.compiler import find

pytestmark = pytest.mark.skipif(find("") is None, reason="no C compiler")

RNG = np.random.default_rng(9)
X = RNG.normal(size=300_000)


def kernels(fn: Callable[..., Any], *args: Any) -> int:
    """How many the compiled function has; the bits are NumPy's."""
    fast = jitcore.compile(fn)
    want = fn(*args)
    for _ in range(3):
        _C.threads_again()
        got = fast(*args)
        assert type(got) is type(want) and np.asarray(got).tobytes() == np.asarray(want).tobytes()
    size: int = fast.cache_info().size
    return size


@pytest.mark.parametrize("count", [2, 7])
def test_long_calls(count: int) -> None:
    jitcore.set_num_threads(count)
    before = _C.threads_state()[1]
    assert kernels(lambda x: np.exp(x), X) == 1
    assert kernels(lambda x: np.sin(x), X.reshape(300, 1000)) == 1
    assert kernels(lambda x: np.arctan2(x, 3.0), X[::2]) == 1
    assert _C.threads_state()[1] > before


def test_short_calls_are_numpys() -> None:
    jitcore.set_num_threads(2)
    assert kernels(lambda x: np.exp(x), X[:20_000]) == 0
    assert kernels(lambda x: x + 1.0, X[:50_000]) == 0
    assert kernels(lambda x: x.sum(), X) == 0


def test_one_thread_does_as_numpy() -> None:
    jitcore.set_num_threads(1)
    assert kernels(lambda x: np.exp(x), X) == 0


def test_the_pool_alone_pays() -> None:
    jitcore.set_num_threads(1)
    assert kernels(lambda x: x + x, np.arange(5 << 20, dtype="f8")) == 1


def test_a_warning_is_numpys() -> None:
    jitcore.set_num_threads(2)
    x = np.abs(X) + 1.0

    def log(x: Any) -> Any:
        return np.log(x)

    fast = jitcore.compile(log)
    fast(x)
    x[200_000] = 0.0
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in log") as found:
        fast(x)
    assert len(found) == 1 and found[0].lineno == log.__code__.co_firstlineno + 1
