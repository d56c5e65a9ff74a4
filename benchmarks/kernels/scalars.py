"""Loops over numbers one at a time."""

import atexit
import os
from pathlib import Path

import numpy as np

from benchmarks.registry import loop


@loop(lambda n, rng: (n,), small=(50,), medium=(1_000_000,), large=(30_000_000,))
def prime_sieve(limit):
    """Eratosthenes': all primes below the limit."""
    prime = np.ones(limit, dtype=bool)
    prime[:2] = False
    p = 2
    while p * p < limit:
        if prime[p]:
            prime[p * p :: p] = False
        p += 1
    return np.flatnonzero(prime)


@loop(lambda n, rng: (rng.normal(size=n),), small=(10,), medium=(50_000,), large=(1_000_000,))
def running_statistics(x):
    """B. Welford's way in one pass: mean, variance, least, most, and where the most is."""
    mean, squares = 0.0, 0.0
    least = most = x[0]
    where = 0
    count = 0
    for k, value in enumerate(x):
        count += 1
        difference = value - mean
        mean += difference / count
        squares += difference * (value - mean)
        if value < least:
            least = value
        if value > most:
            most, where = value, k
    return mean, squares / (count - 1), least, most, where


def sorted_and_wanted(n, rng):
    values = np.sort(rng.integers(0, 4 * n, n))
    return values, rng.integers(-2, 4 * n + 2, n // 4 + 2)


@loop(sorted_and_wanted, small=(10,), medium=(20_000,), large=(200_000,))
def binary_search(values, wanted):
    """Where each number stands, or -1."""
    found = np.full(wanted.shape[0], -1)
    for k in range(wanted.shape[0]):
        target = wanted[k]
        low, high = 0, len(values)
        while low < high:
            middle = (low + high) // 2
            if values[middle] < target:
                low = middle + 1
            else:
                high = middle
        if low < len(values) and values[low] == target:
            found[k] = low
    return found


@loop(lambda n, rng: (n,), small=(100,), medium=(200_000,), large=(1_000_000,))
def scalar_loop(n):
    """A generator of random numbers, and the sum of what it gives."""
    state, total = 1, 0.0
    for _ in range(n):
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
        total += state / 2_147_483_648
    return state, total


NOWHERE = Path(os.devnull).open("w")  # noqa: SIM115 as long as there are calls to print to it
atexit.register(NOWHERE.close)


@loop(
    lambda n, rng: (n, max(1, n // 10), NOWHERE),
    small=(100,),
    medium=(200_000,),
    large=(1_000_000,),
)
def scalar_loop_print(n, every, file):
    """scalar_loop, which tells how far it is ten times."""
    state, total = 1, 0.0
    for i in range(n):
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
        total += state / 2_147_483_648
        if i % every == 0:
            print("at", i, "of", n, "mean", total / (i + 1), file=file)
    return state, total


@loop(lambda n, rng: (n,), small=(20,), medium=(5000,), large=(40_000,))
def collatz(limit):
    """The start below the limit that takes longest to come to one, and its steps."""
    best, most = 1, 0
    for start in range(1, limit):
        n, steps = start, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        if steps > most:
            best, most = start, steps
    return best, most
