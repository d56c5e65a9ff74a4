"""What a sized kernel computes at a launch is what a capture at that size has: for the benchmarks'
kernels, at sizes that nobody sampled."""

from __future__ import annotations

import importlib
import math
import pkgutil
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import benchmarks.kernels
from benchmarks.registry import KERNELS, Kernel
from jitcore.attach import attach
from jitcore.config import environment
from jitcore.runtime.records import records
from jitcore.runtime.sizes import fit, ranges, sized_entry
from jitcore.runtime.sizes.polynomials import monomials, value
from jitcore.runtime.sizes.sampler import Sample, Sampler, Symbols, difference

for module in pkgutil.iter_modules(benchmarks.kernels.__path__):
    importlib.import_module(f"benchmarks.kernels.{module.name}")
LINES = [kernel for kernel in KERNELS.values() if kernel.half == "lines"]
CONFIG = replace(environment(), keep_all=True)
SAMPLES = 6
PRIMES = (5, 7, 11, 13, 17, 19, 31, 53, 97, 101, 211, 499, 1009, 5003, 20011, 65537, 100003)


def computed(table: tuple[Any, ...], numbers: list[int], extents: list[int]) -> list[int]:
    """The numbers of a kernel, as csrc/kernel/dynamic_sizes.c has them."""
    _, quotients, powers, terms, _ = table
    found = list(numbers)
    variables = [*extents]
    for divisor, constant, *times in quotients:
        total = constant + sum(n * m for n, m in zip(times, variables, strict=True))
        variables.append(total // divisor)
    for number, _, _ in terms:
        found[number] = 0
    for number, monomial, times in terms:
        found[number] += times * value(powers[monomial], variables)
    return found


def chosen(
    low: tuple[int, ...], high: tuple[int, ...], chance: random.Random, step: int
) -> tuple[int, ...]:
    """Extents that are not, by chance, another number of the kernel, such as the bytes of an
    element: where two are one, it has one fewer, and a text of its own."""
    primes = [
        chance.choice([n for n in PRIMES if a <= n <= b]) for a, b in zip(low, high, strict=True)
    ]
    return tuple(n - (n - a) % step for n, a in zip(primes, low, strict=True))


def fitted(sampler: Sampler, low: Any, high: Any) -> tuple[list[Sample], list[Any]]:
    """The samples that the entry is of, and the tables of its kernels."""
    here = sampler.made[sampler.symbols.now]
    for points in (ranges.INSIDE, ranges.INSIDE + ranges.MORE_INSIDE):
        known = [sampler.made[one] for one in ranges.tried(sampler, here, low, high, points)]
        found = fit.fits(known, sampler.symbols)
        if found is not None:
            break
    assert found is not None
    return known, [*found.tables]


@pytest.mark.by_turns
@pytest.mark.parametrize("kernel", LINES, ids=lambda kernel: kernel.name)
def test_numbers(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[tuple[Sampler, tuple[int, ...], tuple[int, ...]]] = []
    general = sized_entry.general

    def noted(guards: Any, symbols: Symbols, low: Any, high: Any) -> Any:
        found.append((samplers[-1], low, high))
        return general(guards, symbols, low, high)

    samplers: list[Sampler] = []
    made = Sampler.__init__

    def init(self: Sampler, *args: Any) -> None:
        made(self, *args)
        samplers.append(self)

    monkeypatch.setattr(sized_entry, "general", noted)
    monkeypatch.setattr(Sampler, "__init__", init)
    compiled: Any = attach(kernel.function, CONFIG)  # type: ignore[arg-type]
    chance = random.Random(kernel.name)
    for n in (5000, 7000, 9000):
        compiled(*kernel.inputs(n, np.random.default_rng(1)))
    assert records.find(kernel.function.__code__) is not None
    for sampler, low, high in found:
        sampler.until = math.inf  # there is no hurry
        known, tables = fitted(sampler, low, high)
        for _ in range(SAMPLES):
            sample = sampler.at(chosen(low, high, chance, sampler.symbols.step))
            assert sample is not None and not difference(known[0], sample)
            for table, first, form in zip(tables, known[0].forms, sample.forms, strict=True):
                assert table is not None
                rows = table[0] if table else ()
                basis = [form.inputs[k][2][axis] // step for k, axis, _, _, step in rows]
                now = computed(table, first.numbers(), basis) if table else first.numbers()
                assert now == form.numbers()
    assert found


def test_monomials_are_what_the_kernel_takes() -> None:
    assert [len(monomials(n)) for n in (1, 2, 3)] == [4, 4, 8]
