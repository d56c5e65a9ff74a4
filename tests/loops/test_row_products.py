"""Products of vectors and matrices in loops, made before they are due: the bits of each alone."""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy._core import _multiarray_umath

import jitcore
from jitcore import _C
from jitcore.loops.transform import batch_gemv
from jitcore.toolchain import blas

pytestmark = [
    pytest.mark.by_turns,
    pytest.mark.skipif(not batch_gemv.agrees(), reason="another BLAS"),
]

Array = np.ndarray[Any, Any]


def numbers(seed: int, *shape: int) -> Array:
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape) * 10.0 ** rng.integers(
        -9, 9, (shape[0], *[1] * (len(shape) - 1))
    )


def by(order: str | None) -> tuple[int, str]:
    threads = blas.threads_of_blas()
    assert threads is not None and order is not None
    return threads, order


def test_a_trial_changes_nothing_for_others() -> None:
    @jitcore.compile
    def rows(a: Array, c: Array) -> Array:
        for q in range(len(a)):
            a[q] = a[q] @ c
        return a

    a, c = numbers(1, 48, 67), numbers(2, 67, 67)
    wanted = rows.eager(a.copy(), c).tobytes()
    room = np.empty(batch_gemv.ROUNDS * (67 + batch_gemv.WIDE))
    for order in _C.row_orders():
        _C.row_products(*by(order), a, c, room, 4, 67, 67, 8, 8 * 67, 8 * 67, False)
        assert rows(a.copy(), c).tobytes() == wanted


def one_by_one(x: Array, y: Array, lanes: int, rest: bool) -> int:
    """How many the C function made, all of them NumPy's; x: a vector in each row."""
    rows, columns = y.shape
    room = np.full(batch_gemv.ROUNDS * (columns + batch_gemv.WIDE), np.nan)
    behind = room[-1:].tobytes()
    whole = x if x.base is None else x.base
    steps = x.strides[1], x.strides[0], y.strides[0], rest
    ready, made, row = _C.row_products(
        *by(batch_gemv.order()), whole, y, room, lanes, rows, columns, *steps
    )
    assert room[-1:].tobytes() == behind or made == batch_gemv.ROUNDS
    if not ready:
        return 0
    for k in range(made):
        wanted = x[k] @ y[:, k if rest else 0 :]
        assert room[k * row // 8 :][: wanted.size].tobytes() == wanted.tobytes()
    return int(made)


@pytest.fixture
def openblas() -> Iterator[Callable[[int], None]]:
    """Sets how many threads NumPy's OpenBLAS has."""
    library = ctypes.CDLL(_multiarray_umath.__file__)
    at = next(i for i, name in enumerate(blas.THREADS) if hasattr(library, name))
    put = getattr(library, blas.THREADS[at].replace("_get_", "_set_"))
    before = getattr(library, blas.THREADS[at])()
    yield put
    put(before)


@pytest.mark.parametrize("seed", range(120))
def test_bits(openblas: Callable[[int], None], seed: int) -> None:
    rng = np.random.default_rng(seed)
    openblas(int(rng.integers(1, 4)))
    rows = int(rng.choice([8, 9, 10, 11, 127, 128, 130, 131, 257, 700, 2049]))
    columns = int(rng.choice([24, 31, 33, 34, 63, 65, 250, 383, 660, 1027]))
    lanes, rest = int(rng.integers(3, 25)), bool(rng.integers(2))
    x = numbers(seed, rows, lanes).T if rng.integers(2) else numbers(seed, lanes, rows)
    made = one_by_one(x, numbers(seed + 1, rows, columns), lanes, rest)
    assert made == (min(lanes, columns - 16) if rest else lanes)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, -0.0, 1e308, 5e-324])
@pytest.mark.parametrize("rest", [False, True])
def test_what_is_out_of_the_ordinary(odd: float, rest: bool) -> None:
    x, y = numbers(1, 7, 66), numbers(2, 66, 67)
    x[2, 5], x[3, 60:] = odd, odd
    assert one_by_one(x, y, 7, rest) in (0, 7)
    x, y = numbers(1, 7, 66), numbers(2, 66, 67)
    y[3, 4] = y[64, 66] = odd
    assert one_by_one(x, y, 7, rest) in (0, 7)


# ---- programs ------------------------------------------------------------------------------------


def each(a: Array, c: Array) -> None:
    for r in range(a.shape[0]):
        for q in range(a.shape[1]):
            a[r, q] = a[r, q] @ c


def triangle(x: Array) -> Array:
    n = x.shape[1]
    out = np.zeros((n, n))
    for i in range(n):
        out[i, i:] = x[:, i] @ x[:, i:] / 3.0
        out[i:, i] = out[i, i:]
    return out


def above(x: Array) -> Array:
    n = x.shape[1]
    out = np.eye(n)
    for i in range(n - 1):
        out[i, i + 1 :] = x[:, i] @ x[:, i + 1 :]
    return out


def from_behind(x: Array) -> Array:
    n = x.shape[1]
    out = np.zeros((n + 9, n))
    for i in range(-9, n):
        row = x[:, i] @ x[:, i:]
        out[i + 9, n - len(row) :] = row
    return out


def of_itself(m: Array) -> None:
    for i in range(m.shape[0]):
        m[i] = m[i] @ m


def of_the_round_before(x: Array, c: Array) -> None:
    for i in range(x.shape[0] - 1):
        x[i + 1] += x[i] @ c


def into_the_matrix(x: Array, c: Array) -> Array:
    total = np.zeros(c.shape[1])
    for i in range(x.shape[0]):
        total += x[i] @ c
        c[i, 3] += 1.0
    return total


def until(x: Array, c: Array, most: float) -> tuple[int, float]:
    total = 0.0
    for i in range(x.shape[0]):
        total += (x[i] @ c)[0]
        if total > most:
            break
    return i, total


def beyond(x: Array, c: Array) -> Array:
    out = np.zeros((x.shape[0] + 2, c.shape[1]))
    for i in range(x.shape[0] + 2):
        out[i] = x[i] @ c
    return out


def backwards(x: Array, c: Array) -> Array:
    out = np.zeros((x.shape[0], c.shape[1]))
    for i in range(x.shape[0] - 1, -1, -1):
        out[i] = x[i] @ c
    return out


def inner_parts(x: Array, c: Array) -> Array:
    out = np.zeros((x.shape[0], c.shape[1] - 5))
    for i in range(x.shape[0]):
        out[i] = x[i, 2:-2] @ c[2:-2, 3:-2]
    return out


def outcome(fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    args = tuple(arg.copy("K") if isinstance(arg, np.ndarray) else arg for arg in args)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            made = fn(*args)
        except Exception as error:
            made = type(error), str(error)
    told = [(one.category, str(one.message)) for one in heard]
    whole = made if type(made) is tuple else (made,)
    seen = [*whole, *args]
    return [one.tobytes() if isinstance(one, np.ndarray) else one for one in seen], told


SQUARE, WIDE = numbers(3, 37, 37), numbers(4, 45, 61)
PROGRAMS = [
    (each, (numbers(1, 3, 29, 45), numbers(2, 45, 45))),
    (each, (numbers(1, 2, 50, 64), np.asfortranarray(numbers(2, 64, 64)))),
    (triangle, (numbers(5, 67, 83),)),
    (triangle, (np.asfortranarray(numbers(5, 67, 83)),)),
    (above, (numbers(6, 1201, 430),)),
    (above, (numbers(6, 66, 18),)),
    (from_behind, (numbers(7, 40, 70),)),
    (of_itself, (SQUARE / 1e9,)),
    (of_the_round_before, (numbers(8, 40, 33) / 1e9, numbers(9, 33, 33) / 1e9)),
    (into_the_matrix, (numbers(10, 40, 45), WIDE)),
    (until, (np.abs(numbers(11, 90, 45)), np.abs(WIDE), 1e4)),
    (beyond, (numbers(12, 40, 45), WIDE)),
    (backwards, (numbers(12, 40, 45), WIDE)),
    (inner_parts, (numbers(12, 40, 45), WIDE)),
]


@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_programs(fn: Callable[..., Any], args: tuple[Any, ...]) -> None:
    own = jitcore.compile(fn)
    for _ in range(3):
        assert outcome(own, args) == outcome(fn, args)


@pytest.mark.parametrize("odd", [np.nan, np.inf, 1e308, -0.0])
def test_warnings_come_in_their_rounds(odd: float) -> None:
    x = numbers(5, 67, 83)
    x[60, 70] = odd
    own = jitcore.compile(triangle)
    for _ in range(3):
        assert outcome(own, (x,)) == outcome(triangle, (x,))


def test_arrays_that_overlap() -> None:
    """The matrix is a part of what the rounds write."""

    def run(fn: Callable[..., Any]) -> bytes:
        a = numbers(1, 2, 40, 33) / 1e9
        fn(a, a[0, 3:36])
        return a.tobytes()

    own = jitcore.compile(each)
    for _ in range(3):
        assert run(own) == run(each)


def test_it_is_used() -> None:
    """Rounds ahead are in the text of the loop."""
    assert "world->rows(" in text_of(each, *PROGRAMS[0][1])
    assert "world->rows(" in text_of(triangle, *PROGRAMS[2][1])
    assert "world->rows(" not in text_of(of_itself, SQUARE)


def text_of(fn: Callable[..., Any], *args: Any) -> str:
    given = [arg.copy() for arg in args]
    return jitcore.explain(jitcore.compile(fn))(*given).source()
