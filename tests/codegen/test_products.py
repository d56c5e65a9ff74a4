"""Products of small vectors and matrices in C: the bits of NumPy's calls, and their warnings."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore import _C
from jitcore.passes import replace_calls
from jitcore.passes.replace_calls import CallRow
from jitcore.passes.small_matmul import MOST, served
from jitcore.plan import segments

Array = np.ndarray[Any, Any]

pytestmark = [
    pytest.mark.by_turns,
    pytest.mark.skipif(served(np.dtype("d")) is None, reason="another BLAS"),
]

EXTENTS = (1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33)
DTYPES = ("f", "d", "F", "D")
WAYS = ((_C.small_matmul, np.matmul), (_C.small_dot, np.dot))

LAYOUTS: tuple[Callable[[Array], Array], ...] = (
    lambda a: a,
    np.asfortranarray,
    lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    lambda a: np.repeat(a, 3, axis=0)[::3],
    lambda a: a[::-1].copy()[::-1],
    lambda a: np.broadcast_to(a[:1], a.shape),
)


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    made = rng.standard_normal(shape) * 10.0 ** rng.integers(-6, 6, shape)
    made = made + 1j * rng.standard_normal(shape) if dtype in "FD" else made
    return np.asarray(made, dtype)


def operands(dtype: str, n: int) -> Iterator[tuple[Array, Array]]:
    rng = np.random.default_rng(n)
    for m, p in product(EXTENTS[: 1 + EXTENTS.index(n)][-4:], EXTENTS[::2]):
        a, b = numbers(rng, (m, n), dtype), numbers(rng, (n, p), dtype)
        x = numbers(rng, (n,), dtype)
        for left, right in product(LAYOUTS, LAYOUTS):
            yield left(a), right(b)
            yield left(x), right(b)
            yield left(a), right(x)
            yield left(x), right(x)
        for one in LAYOUTS:
            yield one(a), one(a).T
            yield one(a).T, one(a)


def outcome(fn: Callable[..., Any], *args: Any) -> Any:
    made = fn(*args)
    return type(made), made.dtype, made.shape, made.strides, made.tobytes()


@pytest.mark.parametrize("n", EXTENTS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("own, numpys", WAYS, ids=("matmul", "dot"))
def test_bits(own: Any, numpys: Any, dtype: str, n: int) -> None:
    assert served(np.dtype(dtype)) is not None
    made = 0
    for a, b in operands(dtype, n):
        try:
            mine = outcome(own, a, b)
        except TypeError:
            assert own is _C.small_dot
            continue
        made += 1
        assert mine == outcome(numpys, a, b), (a.shape, a.strides, b.shape, b.strides)
    assert made or n == 1


SPECIAL = (np.inf, -np.inf, np.nan, 0.0, -0.0, 1e308, -1e308, 1e-300, 5e-324, 1.0)


@pytest.mark.parametrize("own, numpys", WAYS, ids=("matmul", "dot"))
@pytest.mark.parametrize("dtype", DTYPES)
def test_special_numbers(own: Any, numpys: Any, dtype: str) -> None:
    """They raise where NumPy would warn, and where nobody is told have its bits."""
    assert served(np.dtype(dtype)) is not None
    rng = np.random.default_rng(5)
    told = 0
    for _ in range(300):
        with np.errstate(all="ignore"):
            a, b = (rng.choice(SPECIAL, (3, 3)).astype(dtype) for _ in range(2))
            assert outcome(own, a, b) == outcome(numpys, a, b)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            numpys(a, b)
        if heard:
            told += 1
            with pytest.raises(FloatingPointError):
                own(a, b)
        else:
            assert outcome(own, a, b) == outcome(numpys, a, b)
    assert told


@pytest.mark.parametrize("own", [own for own, _ in WAYS], ids=("matmul", "dot"))
@pytest.mark.parametrize(
    "a, b, error",
    [
        (np.ones((2, 2), int), np.ones((2, 2), int), TypeError),
        (np.ones((2, 2)), np.ones((2, 2), "f"), TypeError),
        (np.ones((2, 2, 2)), np.ones((2, 2)), TypeError),
        (np.ones((2, 2)), np.float64(2), TypeError),
        (np.ones((2, 0)), np.ones((0, 2)), TypeError),
        (np.ones((2, 2), ">f8"), np.ones((2, 2), ">f8"), TypeError),
        (np.ones((2, 2)).view(np.matrix), np.ones((2, 2)), TypeError),
        ([[1.0]], np.ones((1, 1)), TypeError),
        (np.ones((2, 3)), np.ones((2, 3)), ValueError),
    ],
)
def test_others_are_refused(own: Any, a: Any, b: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        own(a, b)


def test_dot_of_pieces_and_single_rows_is_refused() -> None:
    a = np.ones((4, 4))
    for one in (a[::2, ::2], a[:, :1], a[:1]):
        with pytest.raises(TypeError):
            _C.small_dot(one, one.T)


def by_dot(a: Array, b: Array) -> Any:
    return np.dot(a, b)


def by_method(a: Array, b: Array) -> Any:
    return a.dot(b)


def by_matmul(a: Array, b: Array) -> Any:
    return np.matmul(a, b)


def by_sign(a: Array, b: Array) -> Any:
    return a @ b


SPELLED = [by_dot, by_method, by_matmul, by_sign]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of products that compiled code makes in C."""
    names: list[str] = []

    def spied(row: CallRow) -> CallRow:
        def call(*args: Any) -> Any:
            names.append(row.op.name)
            assert row.op.target is not None
            return row.op.target(*args)

        return replace(row, op=replace(row.op, target=call))

    rows = {name: spied(row) for name, row in replace_calls.ROWS.items()}
    monkeypatch.setattr(replace_calls, "ROWS", rows)
    monkeypatch.setattr(segments, "IN_C", frozenset(row.op for row in rows.values()))
    return names


@pytest.mark.parametrize("fn", SPELLED)
def test_a_compiled_call_is_made_in_c(fn: Any, made: list[str]) -> None:
    a, b = np.arange(9.0).reshape(3, 3), np.eye(3) / 3
    compiled = jitcore.compile(fn)
    for x, y in ((a, b), (a.T, b), (a[0], b), (a, b[1]), (a[0], b[0]), (a * 1j, b + 0j)):
        made.clear()
        for _ in range(3):
            assert outcome(compiled, x, y) == outcome(fn, x, y)
        assert made


@pytest.mark.parametrize("fn", SPELLED)
def test_other_forms_are_numpys(fn: Any, made: list[str]) -> None:
    compiled = jitcore.compile(fn)
    a = np.arange(16.0).reshape(4, 4)
    size = int(MOST**0.5) + 1
    for x, y in (
        (a[::2], a),
        (a[:0], a),
        (a.astype(int), a),
        (a.astype(int), a.astype(int)),
        (np.ones((size, size)), np.ones((size, size))),
        (a.astype("e"), a.astype("e")),
    ):
        for _ in range(2):
            assert outcome(compiled, x, y) == outcome(fn, x, y)
    assert not made or made == ["matmul"] * 2  # of what is not in one piece


@pytest.mark.parametrize("fn", SPELLED)
def test_errors_and_warnings_are_numpys(fn: Any) -> None:
    compiled = jitcore.compile(fn)
    good = np.ones((2, 2))

    def told(call: Any, *args: Any) -> Any:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            try:
                made = call(*args)
            except Exception as error:
                return type(error), str(error)
        place = [(one.category, str(one.message), one.lineno) for one in heard]
        return made.tobytes(), place

    for x, y in ((good, good), (good * 1e308, good * 1e308), (good, np.ones((3, 3))), (good, good)):
        for mode in ("warn", "raise", "ignore"):
            with np.errstate(all=mode):  # type: ignore[call-overload]
                for _ in range(2):
                    assert told(compiled, x, y) == told(fn, x, y), mode


def overflowing(a: Array) -> Any:
    with np.errstate(over="raise"):
        try:
            return a @ a
        except FloatingPointError as error:
            return str(error)


def silent(a: Array) -> Any:
    with np.errstate(all="ignore"):
        return a @ a


@pytest.mark.parametrize("fn", [overflowing, silent])
def test_an_error_state_within_the_function(fn: Any) -> None:
    compiled = jitcore.compile(fn)
    for a in (np.ones((2, 2)), np.full((2, 2), 1e308), np.ones((2, 2))):
        for _ in range(2):
            eager, mine = fn(a), compiled(a)
            assert type(mine) is type(eager)
            assert mine == eager if type(eager) is str else mine.tobytes() == eager.tobytes()


def predict(x: Array, p: Array, f: Array, q: Array) -> tuple[Array, Array]:
    return np.dot(f, x), np.dot(np.dot(f, p), f.T) + q


def test_a_filter_of_any_size() -> None:
    compiled = jitcore.compile(predict)
    rng = np.random.default_rng(1)
    for n in (*range(1, 12), 4, 4, 1, 6, 40):
        args = [rng.standard_normal((n, n)) for _ in range(3)]
        eager = predict(args[0][:, 0].copy(), *args)
        mine = compiled(args[0][:, 0].copy(), *args)
        assert [one.tobytes() for one in mine] == [one.tobytes() for one in eager]


def test_the_trial_leaves_no_traces() -> None:
    """A change of the filters would show a warning again that has been shown once."""
    shown: dict[Any, Any] = {}
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("default")
        for _ in range(2):
            warnings.warn_explicit("once", UserWarning, "a.py", 1, registry=shown)
            served.__wrapped__(np.dtype("d"))
    assert len(heard) == 1


def test_the_trial_asks_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(*args: Any) -> Any:
        raise AssertionError(args)

    monkeypatch.setattr(np, "dot", other)
    monkeypatch.setattr(np, "matmul", other)
    assert served.__wrapped__(np.dtype("d")) == served(np.dtype("d"))
