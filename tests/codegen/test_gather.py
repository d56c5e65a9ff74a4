"""Reading by arrays of ints inside a kernel: every form of index, bounds as NumPy sees them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from codegen_harness import build, check, groups_of

from jitcore.config import Config
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import OPS, Builder, Value
from jitcore.ir.ops.array import GETITEM
from jitcore.kernels.kernel import kernel, source_of
from jitcore.passes.window import fused

pytestmark = pytest.mark.by_turns

RNG = np.random.default_rng(5)
TABLE = RNG.normal(size=(6, 7, 8))
ONE = RNG.integers(-6, 6, 9)
TWO = RNG.integers(-6, 6, (4, 9))
COLUMN = RNG.integers(-6, 6, (4, 1))


def doubled(form: Callable[..., Any]) -> Callable[..., Value]:
    """table[form(*indices)] * 2 + 1: with one neighbour more than a kernel needs."""

    def fn(b: Builder, table: Value, *indices: Value) -> Value:
        item = b.emit(GETITEM, (table, form(*indices)))
        return b.emit(OP["+"], (b.emit(OP["*"], (item, 2)), 1))

    return fn


FORMS: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "rows": (lambda i: i, [ONE]),
    "rows by a table": (lambda i: i, [TWO]),
    "a tuple of one": (lambda i: (i,), [ONE]),
    "elements": (lambda i, j, k: (i, j, k), [ONE, ONE[::-1], ONE]),
    "broadcast": (lambda i, j, k: (i, j, k), [TWO, COLUMN, ONE]),
    "two of three": (lambda i, j: (i, j), [ONE, ONE]),
    "the last two": (lambda i, j: (slice(None), i, j), [TWO, COLUMN]),
    "the last": (lambda i: (Ellipsis, i), [ONE]),
    "the middle": (lambda i: (slice(1, 5), i, slice(None, None, -2)), [TWO]),
    "apart": (lambda i, j: (i, slice(None), j), [ONE, ONE]),
    "apart by a new axis": (lambda i, j: (i, None, j), [ONE, ONE]),
    "with new axes": (lambda i: (None, i, None, slice(2, 4)), [ONE]),
    "with an int": (lambda i: (3, i), [ONE]),
    "with an int after a slice": (lambda i: (-1, slice(None), i), [ONE]),
    "an ellipsis inside": (lambda i, j: (i, Ellipsis, j), [ONE, ONE]),
    "an index without axes": (lambda i: (i, slice(0, 3)), [np.array(-2)]),
    "an empty slice": (lambda i: (i, slice(3, 3)), [ONE]),
}
DTYPES = "bhilqBHI"


@pytest.mark.parametrize("form", FORMS)
def test_forms(form: str, config: Config) -> None:
    key, indices = FORMS[form]
    groups = 0 if form in ("an empty slice", "an index without axes") else 1
    assert check(doubled(key), [TABLE, *indices], config, groups)
    assert check(doubled(key), [TABLE.astype("f")[::-1], *indices], config, groups)
    assert check(doubled(key), [np.asfortranarray(TABLE), *indices], config, groups)


@pytest.mark.parametrize("char", DTYPES)
def test_types_of_indices(char: str, config: Config) -> None:
    """Unsigned ones included; their casts to intp are NumPy's."""
    index = (TWO % 6).astype(char)
    assert check(doubled(lambda i: (i, i)), [TABLE, index], config)


@pytest.mark.parametrize("char", "?bBhHiIlLqQdfFD")
def test_types_of_tables(char: str, config: Config) -> None:
    table = (TABLE * 10).astype(char)
    assert check(doubled(lambda i: i), [table, TWO], config)


@pytest.mark.parametrize("axis", (0, 1, 2, -1))
def test_take(axis: int, config: Config) -> None:
    def fn(b: Builder, table: Value, i: Value) -> list[Value]:
        found = [b.emit(OPS[name], (table, i), {"axis": axis}) for name in ("take", "ndarray.take")]
        return [b.emit(OP["*"], (item, 2)) for item in found]

    assert check(fn, [TABLE, TWO], config)
    assert check(fn, [np.asfortranarray(TABLE), TWO.T], config)


def test_layouts_of_indices(config: Config) -> None:
    for index in (
        TWO.T,
        TWO[:, ::2],
        TWO[::-1],
        np.asfortranarray(TWO),
        np.broadcast_to(ONE, (3, 9)),
    ):
        assert check(doubled(lambda i: (slice(None), i)), [TABLE, index], config)


@pytest.mark.parametrize(
    ("place", "value"), [*itertools.product((0, 4, 8), (6, -7, 2**62, -(2**63)))]
)
def test_out_of_bounds_is_numpys(place: int, value: int, config: Config) -> None:
    index = ONE.copy()
    index[place] = value
    b, inputs, results = build(doubled(lambda i: i), [TABLE, index])
    (group,) = groups_of(fused(b.nodes, set(results)))
    run = kernel(group, config)
    assert run is not None
    given = dict(zip(inputs, (TABLE, index), strict=True))
    assert run(*(given[value] for value in group.inputs)) is None
    given[inputs[1]] = ONE
    assert run(*(given[value] for value in group.inputs)) is not None


def test_computed_indices(config: Config) -> None:
    """Bilinear: floor, cast, neighbours, and four reads in one kernel."""

    def fn(b: Builder, table: Value, x: Value) -> Value:
        left = b.emit(OPS["ndarray.astype"], (b.emit(OPS["floor"], (x,)), np.dtype(np.int64)))
        right = b.emit(OP["+"], (left, 1))
        a, c = (b.emit(GETITEM, (table, (left, at))) for at in (left, right))
        return b.emit(OP["-"], (c, a))

    x = RNG.uniform(0, 5, 300)
    assert check(fn, [TABLE[..., 0], x], config)


def test_a_table_made_before_is_another_kernel(config: Config) -> None:
    def fn(b: Builder, x: Value, i: Value) -> Value:
        made = b.emit(OP["*"], (b.emit(OP["+"], (x, 1.0)), 3.0))
        item = b.emit(GETITEM, (made, i))
        return b.emit(OP["+"], (b.emit(OP["*"], (item, item)), made))

    x = RNG.normal(size=50)
    assert check(fn, [x, np.arange(49, -1, -1)], config, groups=2)


def test_an_index_that_is_an_operand_as_well(config: Config) -> None:
    """i stands before the slice's axis as an index, and along it as an operand."""

    def fn(b: Builder, table: Value, i: Value) -> Value:
        item = b.emit(GETITEM, (table, i))
        return b.emit(OP["+"], (b.emit(OP["*"], (item, i)), 1.0))

    assert check(fn, [RNG.normal(size=(6, 6)), RNG.integers(0, 6, 6)], config)


def test_a_sum_of_what_was_read(config: Config) -> None:
    def fn(b: Builder, table: Value, i: Value) -> Value:
        item = b.emit(GETITEM, (table, i))
        return b.emit(OPS["sum"], (b.emit(OPS["exp"], (b.emit(OP["*"], (item, 0.5)),)),))

    assert check(fn, [RNG.normal(size=1000), RNG.integers(-1000, 1000, 5000)], config)


def test_one_library_serves_all_extents(config: Config) -> None:
    texts = set()
    for extent in (10, 20, 1000):
        b, _, results = build(doubled(lambda i: i), [np.ones(extent), ONE])
        (group,) = groups_of(fused(b.nodes, set(results)))
        texts.add(source_of(group))
    assert len(texts) == 1
