"""numerics="fast": within its bounds, special values keep their meaning, exact stays exact."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ulps
from bits_values import Array, same, special, wild

import jitcore
from jitcore.attach import attach
from jitcore.config import environment
from jitcore.kernels import fast_math
from jitcore.toolchain import cache, selftest
from jitcore.toolchain import compiler as toolchain
from jitcore.toolchain.c_source import CSource
from jitcore.toolchain.compiler import Compiler

ULPS = 4.0  # docs/numerics.md

needs_reference = pytest.mark.skipif(
    np.finfo(np.longdouble).nmant < 60, reason="long double is no more than a double"
)


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    yield
    jitcore.reset()


@needs_reference
@pytest.mark.parametrize("dtype", "df")
@pytest.mark.parametrize("name", fast_math.FUNCTIONS)
def test_functions_are_within_their_bound(
    name: str, dtype: str, compiler: Compiler, deep: bool
) -> None:
    assert ulps.worst(name, dtype, 50_000 if deep else 3_000) <= ULPS


def both(fn: Callable[..., Any], args: list[Array]) -> tuple[Any, Any]:
    """What a function gives by itself, and compiled to be fast; a kernel must have run."""
    compiled: Any = jitcore.compile(fn, numerics="fast")
    with np.errstate(all="ignore"):
        want = fn(*args)
        for _ in range(3):
            got = compiled(*args)
        assert compiled.cache_info().size == 1
    return got, want


def classes(a: Array) -> Array:
    """0 finite, 1 and -1 an infinity, 2 and -2 a zero, 9 NaN."""
    kinds = np.select([np.isnan(a), np.isinf(a), a == 0], [9, 1, 2], 0)
    return np.where(np.isnan(a), 9, kinds * np.where(np.signbit(a), -1, 1))


@pytest.mark.parametrize("dtype", "df")
@pytest.mark.parametrize("name", fast_math.FUNCTIONS)
def test_special_values_keep_their_meaning(name: str, dtype: str, compiler: Compiler) -> None:
    few = special(np.dtype(dtype))
    args = [few] if fast_math.FUNCTIONS[name].operands == 1 else [few.repeat(few.size)]
    args += [np.tile(few, few.size)] * (len(args) < fast_math.FUNCTIONS[name].operands)
    got, want = both(ulps.function(name), args)
    assert got.dtype == want.dtype and got.strides == want.strides
    differ = classes(got) != classes(want)
    assert not differ.any(), [one[differ][:5] for one in (*args, got, want)]


def test_products_and_sums_may_be_fused(compiler: Compiler) -> None:
    """One rounding or two; nothing else."""
    rng = np.random.default_rng(3)
    x, y, z = (rng.normal(size=300) for _ in range(3))
    got, twice = both(lambda x, y, z: x * y + z, [x, y, z])
    once = [float(Fraction(a) * Fraction(b) + Fraction(c)) for a, b, c in zip(x, y, z, strict=True)]
    assert ((got == twice) | (got == np.array(once))).all()


@pytest.mark.parametrize("dtype", "dfl")
def test_without_functions_and_products_all_bits_are_numpys(dtype: str, compiler: Compiler) -> None:
    """Signs of zeros, infinities, NaNs, denormals, order: no part of -ffast-math."""
    x, y = wild(dtype, 0), wild(dtype, 1)

    def sums(x: Any, y: Any) -> Any:
        a = x + y
        return a - x + y, np.negative(a), (x - y) + 0, np.where(x < y, a, y), np.abs(x) == y

    got, want = both(sums, [x, y])
    for one, two in zip(got, want, strict=True):
        assert same(one, two)


# ---- sums ---------------------------------------------------------------------------------------

LENGTHS = (*range(2, 36), 63, 64, 65, 127, 128, 129, 511, 512, 1000, 1023, 1024, 1025, 1032, 2049)
LONG = (5000, 8192, 100_003)
ROUNDING = {"d": 2.0**-53, "f": 2.0**-24}


def depth(n: int) -> float:
    """How many roundings a term goes through: docs/numerics.md."""
    return 48 + math.log2(n)


def twice(x: Any) -> Any:
    return (x * 2.0).sum()


def terms(dtype: str, n: int, seed: int) -> Iterator[Array]:
    """That cancel, of many magnitudes; of one sign, where errors add up."""
    rng = np.random.default_rng([seed, n])
    wide = np.ldexp(rng.uniform(1, 2, n), rng.integers(-40, 40, n)) * rng.choice([-1.0, 1.0], n)
    yield wide.astype(dtype)
    yield np.concatenate([wide[: n // 2], -wide[: n // 2], wide[: n % 2]]).astype(dtype)
    yield np.full(n, 0.1).astype(dtype)


def always(fn: Callable[..., Any], numerics: str = "fast") -> Any:
    """Compiled to be fast, without a trial: the kernel runs in every call."""
    jitcore.reset()
    chosen = dataclasses.replace(environment(), numerics=numerics, keep_all=True)
    return attach(fn, chosen)


def summed(fn: Callable[..., Any], *args: Array) -> Any:
    """What its kernel gives."""
    compiled = always(fn)
    with np.errstate(all="ignore"):
        compiled(*args)
        found = compiled(*args)
    assert compiled._hits == 1
    return found


def off(found: float, values: Array) -> tuple[float, float]:
    """The error of a sum, and the bound without its depth: u times the sum of magnitudes."""
    exact = values.astype(float).tolist()
    unit = ROUNDING[values.dtype.char]
    return abs(math.fsum([*exact, -float(found)])), unit * math.fsum(map(abs, exact))


def within(found: Any, values: Array) -> bool:
    error, unit = off(found, values)
    return error <= depth(values.size) * unit


@pytest.mark.parametrize("dtype", "df")
def test_sums_are_within_their_bound(dtype: str, compiler: Compiler) -> None:
    for n in (*LENGTHS, *LONG):
        for seed, x in enumerate(terms(dtype, n, 0)):
            got = summed(twice, x)
            assert type(got) is x.dtype.type
            assert within(got, x * x.dtype.type(2)), (n, seed)


def test_the_bound_is_one_that_other_orders_do_not_keep() -> None:
    """A sum in a row is not within it."""
    x = np.full(LONG[-1], 0.1)
    assert not within(np.add.accumulate(x)[-1], x)


@pytest.mark.parametrize("dtype", "df")
@pytest.mark.parametrize("n", [7, 100, 1024, 3000])
def test_rows_are_summed_within_their_bound(n: int, dtype: str, compiler: Compiler) -> None:
    (x, *_) = terms(dtype, 5 * n, 1)
    got = summed(lambda x: (x * 2.0).sum(axis=1), x.reshape(5, n))
    assert got.dtype == x.dtype and got.shape == (5,)
    for one, row in zip(got, x.reshape(5, n), strict=True):
        assert within(one, row * row.dtype.type(2))


@pytest.mark.parametrize("dtype", "df")
def test_means_and_variances_are_such_sums(dtype: str, compiler: Compiler) -> None:
    x = np.random.default_rng(5).normal(size=5000).astype(dtype)
    mean, var, std = summed(lambda x: (np.mean(x * 2.0), np.var(x * 2.0), np.std(x * 2.0)), x)
    wide, unit = 2 * x.astype(float), depth(x.size) * ROUNDING[dtype]
    true = math.fsum(wide.tolist()) / x.size
    assert abs(mean - true) <= unit * np.abs(wide).mean() + ROUNDING[dtype] * abs(true)
    square = math.fsum(((wide - true) ** 2).tolist()) / x.size
    assert abs(var / square - 1) <= 2 * unit
    assert abs(std / math.sqrt(square) - 1) <= 2 * unit


@pytest.mark.parametrize("dtype", "df")
def test_sums_of_special_values_keep_their_meaning(dtype: str, compiler: Compiler) -> None:
    few = special(np.dtype(dtype))
    few = few[~np.isfinite(few) | (np.abs(few) < 1)]
    for n in (2, 9, 70, 1500):
        compiled = always(twice)
        with np.errstate(all="ignore"):
            for first, last in itertools.product(few, few):
                x = np.zeros(n, dtype)
                x[0], x[-1] = first, last
                assert classes(compiled(x)) == classes(twice(x)), (n, first, last)
            x = np.full(n, -0.0, dtype)
            assert classes(compiled(x)) == classes(twice(x))


@pytest.mark.parametrize("dtype", "df")
def test_sums_do_not_depend_on_the_number_of_threads(dtype: str, compiler: Compiler) -> None:
    found = set()
    before = jitcore.get_num_threads()
    for n in (1_000_003, 2_400_000):
        (x, *_) = terms(dtype, n, 2)
        compiled = always(twice)
        for threads in (1, 2, 3, 4):
            jitcore.set_num_threads(threads)
            compiled(x)
            found.add((n, compiled(x).tobytes()))
    jitcore.set_num_threads(before)
    assert len(found) == 2


def test_only_fast_sums_are_loose(compiler: Compiler) -> None:
    x = np.ones(300)
    texts = {
        numerics: jitcore.explain(jitcore.compile(twice, numerics=numerics))(x).source()
        for numerics in ("exact", "fast")
    }
    assert "RT_TREE(f64)" in texts["exact"] and "RT_LOOSE(loose_f64)" in texts["fast"]
    assert not any(word in texts["exact"] for word in ("RT_LOOSE", "loose", "vector_size"))
    assert "n > 128" in texts["exact"] and "r[8]" in texts["exact"]


def test_a_default_compile_has_numpys_order(compiler: Compiler) -> None:
    """Bits of NumPy's, where a loose sum has others."""
    (x, *_) = terms("d", 5000, 3)
    want = twice(x)
    assert not same(summed(twice, x), want)
    assert environment().numerics == "exact"
    exact = always(twice, environment().numerics)
    assert all(same(exact(x), want) for _ in range(3))


def chain(x: Any, y: Any) -> Any:
    return np.sin(x) * np.exp(-y) + np.hypot(x, y) * x - y


@pytest.mark.parametrize("first", ["exact", "fast"])
def test_exact_stays_exact_beside_fast(first: str, compiler: Compiler) -> None:
    rng = np.random.default_rng(4)
    x, y = rng.uniform(-3, 3, (2, 2000))
    second = "fast" if first == "exact" else "exact"
    made: dict[str, Any] = {n: jitcore.compile(chain, numerics=n) for n in (first, second)}
    for _ in range(4):
        results = {name: fn(x, y) for name, fn in made.items()}
    assert same(results["exact"], chain(x, y))
    np.testing.assert_allclose(results["fast"], chain(x, y), rtol=1e-13, atol=1e-14)
    assert made["fast"].cache_info().size == made["exact"].cache_info().size == 1


def test_exact_is_the_default_and_has_none_of_it(compiler: Compiler) -> None:
    exact, quick = toolchain.FLAGS["exact"], toolchain.FLAGS["fast"]
    assert compiler.numerics == "exact"
    assert (exact.common, exact.machines) == (toolchain.COMMON, toolchain.MACHINES)
    assert exact.libraries == () and exact.rounds
    assert {"-ffp-contract=off", "-fsignaling-nans"} <= {*exact.common}.difference(quick.common)
    explained = jitcore.explain(jitcore.compile(chain))(np.ones(40), np.ones(40))
    assert "RT_VECTOR" not in explained.source() and "loop[2].fn" in explained.source()


def test_libraries_of_the_two_are_not_confused(compiler: Compiler) -> None:
    plain = selftest.chosen("", "", None)
    assert plain is not None
    quick = selftest.fast(plain, None)
    assert quick is not None
    assert (plain.compiler.numerics, quick.compiler.numerics) == ("exact", "fast")
    assert len({cache.file_name(CSource("source"), by) for by in (plain, quick)}) == 2


def test_a_full_disk_is_not_remembered(
    compiler: Compiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    plain = selftest.chosen(compiler.path, "", None)
    assert plain is not None
    tmp_path.chmod(0o700)
    with monkeypatch.context() as patch:
        patch.setattr(selftest, "build", full)
        assert selftest.fast.fn(plain, tmp_path) is None
    quick = selftest.fast.fn(plain, tmp_path)
    assert quick is not None and quick.compiler.numerics == "fast"


@pytest.mark.parametrize("flag", ["-ffast-math", "-ffinite-math-only", "-fno-signed-zeros"])
def test_no_flag_takes_meaning_from_values(flag: str) -> None:
    quick = toolchain.FLAGS["fast"]
    assert flag not in quick.common
    assert not any(flag in words for sets in quick.machines.values() for words in sets)


def test_where_the_library_is_not_there_numpys_loops_stay(
    monkeypatch: pytest.MonkeyPatch, compiler: Compiler
) -> None:
    monkeypatch.setattr(fast_math, "is_there", lambda function, char: False)
    x = np.linspace(-3, 3, 500)
    got, want = both(lambda x: np.positive(np.sin(x)), [x])
    assert same(got, want)
