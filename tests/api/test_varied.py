"""Numbers that were constants of a version, and are indices → inputs of the next one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore.attach import attach
from jitcore.config import environment
from jitcore.runtime.records import records

KEPT = replace(environment(), keep_all=True)
E = np.arange(60.0).reshape(12, 5)


def recurrent(tokens, e):
    h, kept = np.zeros(5), []
    for t in tokens:
        h = np.tanh(e[t] + h * 0.5)
        kept.append((t, h))
    return h, kept


def columns(tokens, e):
    s = np.zeros(12)
    for t in tokens:
        s = s + e[:, t] * np.exp(-s)
    return s


def pairs(tokens, e):
    """Two lists; the same number is no index elsewhere."""
    s = np.zeros(5)
    for t, k in zip(tokens, reversed(tokens), strict=True):
        s = s + e[t] * k - e[k, 1:2]
    return s


def stores(tokens, e):
    y = e * 2
    for t in tokens:
        y[t] -= 1
        y[t, 2] = t
    return y


def mixed(tokens, e):
    """What is read and what is stored may be one."""
    y = e * 2
    v = y[tokens[0]]
    for t in tokens:
        y[t] = y[t - 1] * 0.5 + v
        v = v + y[tokens[0]]
        y[t, 1:3] += y[tokens[1], 2:4]
    return y, v


def in_place(tokens, e):
    y, z = e.copy(), e[2:]
    _ = y.sum()
    for t in tokens:
        y[t] += y[tokens[0]] * 2
        y[:, t] -= y[:, tokens[1]]
        y[t][1:] = y[t][:-1] * 3
    return y, z * 2


def one(tokens, e):
    return np.sqrt(e[tokens[0]] + 1) * 2 + e[tokens[-1], 0]


def by_keys(tokens, e):
    """A constant it stays: it is no index of an array."""
    table = {k: e[k] * 2 for k in range(5)}
    return table[tokens[0]] + e[tokens[1]]


def compiles(fn: Any) -> int:
    return sum(region.entry is not None for region in records.find(fn.__code__).regions)


def same(a: Any, b: Any) -> bool:
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and np.asarray(a).tobytes() == np.asarray(b).tobytes()


@pytest.mark.parametrize("fn", [recurrent, columns, pairs, stores, one])
def test_two_versions_serve_all(fn):
    rng = np.random.default_rng(5)
    fast = attach(fn, KEPT)
    counts = []
    for _ in range(12):
        tokens = rng.integers(-5, 5, 4).tolist()
        assert same(fast(tokens, E), fn(tokens, E)), tokens
        counts.append(compiles(fast))
    assert counts[0] == counts[1] - counts[0], "as many regions again"
    assert counts[1] == counts[-1]


@pytest.mark.parametrize("fn", [mixed, in_place])
def test_what_is_read_and_stored_may_be_one(fn):
    rng = np.random.default_rng(6)
    fast = attach(fn, KEPT)
    for _ in range(40):
        tokens = rng.integers(-5, 5, 4).tolist()
        assert same(fast(tokens, E), fn(tokens, E)), tokens
    assert 0 < compiles(fast) < 10


@pytest.mark.parametrize("fn", [recurrent, columns, stores, one])
def test_an_index_beyond_the_array_is_an_error_at_its_line(fn):
    fast = attach(fn, KEPT)
    for tokens in ([1, 2], [3, 0], [2, 2]):
        fast(tokens, E)
    for tokens in ([1, 12], [-13, 1], [40, 50]):
        errors = []
        for each in (fast, fn):
            with pytest.raises(IndexError) as caught:
                each(tokens, E)
            entry = caught.traceback[-1]
            errors.append((str(caught.value), entry.lineno))
        assert errors[0] == errors[1]


@pytest.mark.parametrize("tokens", [[True, 1], [1, 2.0], [1, None], [2**70, 1], [np.int64(2), 1]])
def test_other_kinds_of_items(tokens):
    fast = attach(recurrent, KEPT)
    for each in ([1, 2], [3, 0], [2, 2]):
        fast(each, E)

    def outcome(fn):
        try:
            return fn(tokens, E)
        except Exception as error:
            return type(error), str(error)

    assert repr(outcome(fast)) == repr(outcome(recurrent))


def test_what_is_no_index_stays_a_constant():
    fast = attach(by_keys, KEPT)
    for tokens in ([1, 2], [3, 0], [2, 2], [4, 1]):
        assert same(fast(tokens, E), by_keys(tokens, E))
    assert compiles(fast) == 4


def test_a_number_that_is_an_argument():
    @jitcore.compile
    def row(x, k):
        return np.sqrt(x[k] + 1) * 2 + x[k, 0]

    for k in range(-4, 4):
        assert same(row(E, k), row.eager(E, k))
    assert compiles(row) == 2
