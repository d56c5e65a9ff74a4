"""(number * matrix) @ vector by pieces: the bits of NumPy's two calls, and their warnings."""

from __future__ import annotations

import ctypes
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy._core import _multiarray_umath

import jitcore
from jitcore import _C
from jitcore.passes import scaled_gemv
from jitcore.toolchain import blas
from jitcore.toolchain.numpy_loops import core_loop

pytestmark = [
    pytest.mark.by_turns,
    pytest.mark.skipif(not scaled_gemv.agrees(), reason="another BLAS"),
]

Array = np.ndarray[Any, Any]


def two(a: Any, x: Any, number: Any = 1.3) -> Any:
    return _C.scaled_product(np.multiply, np.matmul, number, a, x)


def both(a: Any, x: Any, number: Any = 1.3) -> tuple[Any, Any]:
    return outcome(two, a, x, number), outcome(lambda *of: (of[2] * of[0]) @ of[1], a, x, number)


def outcome(fn: Callable[..., Any], *args: Any) -> Any:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            made = fn(*args)
        except Exception as error:
            return type(error), str(error)
    told = {(one.category, str(one.message)) for one in heard}
    return type(made), made.dtype, made.shape, made.strides, made.tobytes(), told


def matrix(seed: int, rows: int, columns: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((rows, columns)) * 10.0 ** rng.integers(-9, 9, columns)
    return a, rng.standard_normal(columns)


COLUMNS = (*range(16, 20), 63, 250, 511, 515, 1022, 1025, *range(2046, 2050), 2051, 4095, 20_003)


@pytest.fixture(params=["own order", "NumPy's loop"])
def order(request: pytest.FixtureRequest) -> Iterator[int]:
    yield use(used() if request.param == "own order" else 0)
    use(used())


def by(order: int) -> tuple[tuple[object, ...], int, int]:
    loop, threads = core_loop(np.matmul, "ddd"), blas.threads_of_blas()
    assert loop is not None and threads is not None
    return (loop.capsule,), threads, order


def use(order: int) -> int:
    assert _C.scaled_use(*by(order))
    return order


@cache
def used() -> int:
    """The first that has NumPy's bits."""
    tried = scaled_gemv.TRIED
    return next(
        k for k in scaled_gemv.ORDERS if all(scaled_gemv.is_right(by(k), one) for one in tried)
    )


SHAPES = [(460_800 // columns + at % 9, columns) for at, columns in enumerate(COLUMNS)]


def test_a_trial_changes_nothing_for_others() -> None:
    a, x = matrix(5, 1013, 515)
    for k in scaled_gemv.ORDERS:
        _C.scaled_try(*by(k), 1.3, a, x)
        made, wanted = both(a, x)
        assert made == wanted


@pytest.mark.parametrize("shape", SHAPES)
def test_bits(order: int, shape: tuple[int, int]) -> None:
    made, wanted = both(*matrix(shape[0], *shape))
    assert made == wanted


@pytest.fixture
def openblas() -> Iterator[Callable[[int], None]]:
    """Sets how many threads NumPy's OpenBLAS has."""
    library = ctypes.CDLL(_multiarray_umath.__file__)
    at = next(i for i, name in enumerate(blas.THREADS) if hasattr(library, name))
    get = getattr(library, blas.THREADS[at])
    put = getattr(library, blas.THREADS[at].replace("_get_", "_set_"))
    before = get()
    yield put
    put(before)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("own", [1, 2])
def test_threads(order: int, openblas: Callable[[int], None], threads: int, own: int) -> None:
    openblas(threads)
    before = jitcore.get_num_threads()
    jitcore.set_num_threads(own)
    try:
        for rows in (901, 902, 903, 907):
            made, wanted = both(*matrix(rows, rows, 519))
            assert made == wanted
    finally:
        jitcore.set_num_threads(before)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, -0.0, 1e308, 5e-324, -1e-310])
@pytest.mark.parametrize("number", [1.3, -2.0, 0.0, -0.0, 1e300, 1e-300])
def test_what_is_out_of_the_ordinary(order: int, odd: float, number: float) -> None:
    a, x = matrix(3, 241, 1999)
    a[::17, ::5], x[3::40] = odd, 0.0
    made, wanted = both(a, x, number)
    assert made[:5] == wanted[:5]
    assert made[5] == wanted[5]


def test_other_numbers_and_arrays() -> None:
    a, x = matrix(5, 500, 1001)
    for number in (2, np.float64(1.7), np.float32(1.7), np.nan, np.inf, True, 1j):
        made, wanted = both(a, x, number)
        assert made == wanted
    for b, y in (
        (a[:, ::-1], x),
        (a[::2], x),
        (a[:, 1:], x[1:]),
        (np.asfortranarray(a), x),
        (a, x[::-1]),
        (a.astype(np.float32), x),
        (a, x.astype(np.complex128)),
        (a, x[:-1]),
        (a[:0], x),
        (a, np.stack((x, x), axis=1)),
    ):
        made, wanted = both(b, y)
        assert made[:4] == wanted[:4]
        assert made == wanted


def program(alpha: float, beta: float, a: Array, b: Array, x: Array) -> Array:
    return np.asarray(alpha * a @ x + b * beta @ x)


def kept(alpha: float, a: Array, x: Array) -> tuple[Array, Array]:
    s = alpha * a
    return s, s @ x


@pytest.mark.parametrize("fn", [program, kept])
def test_programs(fn: Callable[..., Any]) -> None:
    a, x = matrix(1, 1001, 777)
    b, _ = matrix(2, 1001, 777)
    args = (1.5, 1.2, a, b, x) if fn is program else (1.5, a, x)
    own = jitcore.compile(fn)
    for _ in range(12):
        for one, other in zip(own(*args), fn(*args), strict=True):
            assert one.tobytes() == other.tobytes()


def test_nothing_is_made_between() -> None:
    """What NumPy would keep of the matrix is not there at any time."""
    a, x = matrix(1, 2001, 777)
    own = jitcore.compile(lambda a, x: 1.5 * a @ x)
    for _ in range(10):
        own(a, x)
    tracemalloc.start()
    own(a, x)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < a.nbytes // 4


def test_warnings_are_numpys() -> None:
    a, x = matrix(1, 1001, 777)
    a[5, 7] = 1e308
    own = jitcore.compile(lambda a, x: 1e10 * a @ x)
    plain = outcome(lambda a, x: 1e10 * a @ x, a, x)
    assert plain[5]
    for _ in range(4):
        assert outcome(own, a, x) == plain
