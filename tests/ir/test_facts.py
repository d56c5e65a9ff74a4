"""What is looked up by facts, or by an index, is what asking anew would tell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jitcore.ir import OPS, ArrayType, Value, type_of
from jitcore.ir.call_facts import facts_of, like
from jitcore.ir.infer.index import address, item, key_of
from jitcore.ir.op import Effect
from jitcore.ir.ops.array import GETITEM

WIDE = np.arange(240.0).reshape(4, 5, 12)
ARRAYS = [WIDE, WIDE[::-1, :, ::2], WIDE.T, WIDE.astype("i2"), WIDE[:, :1]]
INDICES: list[Any] = [
    0, -1, slice(None), slice(1, -1), slice(None, None, -1), slice(3, 1), Ellipsis, None,
    (0, 0, 0), (-1, slice(1, None)), (slice(None), 0), (Ellipsis, 0), (0, Ellipsis, -1),
    (None, 0, slice(None, None, 2)), (slice(0, 2), slice(0, 1), slice(1, 9, 3)), (),
]  # fmt: skip


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_items(index: Any) -> None:
    for array in ARRAYS:
        t = type_of(array)
        key = key_of(index)
        assert isinstance(t, ArrayType) and key is not None
        found, real = item(t, t.dtype.char, key), array[index]
        assert found.type == type_of(real)
        if isinstance(real, np.ndarray) and real.size:
            assert found.offset == address(real) - address(array)


@pytest.mark.parametrize(
    "index", ["name", True, np.int64(1), slice(np.int64(1), None), [0], (0, [1]), 1.0], ids=repr
)
def test_other_indices_are_asked_anew(index: Any) -> None:
    assert key_of(index) is None


def test_an_index_out_of_bounds_is_never_kept() -> None:
    t = type_of(WIDE)
    assert isinstance(t, ArrayType)
    for _ in range(2):
        with pytest.raises(IndexError):
            item(t, "d", (7,))


def test_numbers_beside_places_do_not_narrow() -> None:
    x = Value(type_of(np.ones(3, "f4")))
    assert GETITEM.effect_of((x, slice(0, 10**60)), {}) is Effect.SILENT
    assert OPS["greater"].effect_of((x, 1e300), {}) is Effect.FLAGS


DIFFERENT = [0, False, 0.0, -0.0, 0j, 1, True, 1.0, 10**5000, 10**5000 + 1, 2.5]


def test_equal_numbers_of_other_kinds_have_other_facts() -> None:
    found = [facts_of((number,)) for number in DIFFERENT]
    assert None not in found and len(set(found)) == len(DIFFERENT)
    for number, facts in zip(DIFFERENT, found, strict=True):
        assert facts is not None
        (again,) = like(facts)
        assert again is number


def test_equal_dtypes_of_two_chars_have_other_facts() -> None:
    one, two = (Value(type_of(np.ones(3, char))) for char in "lq")
    assert facts_of((one,)) != facts_of((two,)) and facts_of((one, two)) != facts_of((two, one))
    for a, b in ("lq", "ql", "ll", "qq", "ql"):
        args = tuple(Value(type_of(np.ones(3, char))) for char in (a, b))
        kind = OPS["add"].infer(args, {})
        assert isinstance(kind, ArrayType)
        assert kind.dtype.char == np.add(np.ones(3, a), np.ones(3, b)).dtype.char


@pytest.mark.parametrize("leaf", [None, "f8", np.float64(1), [1.0], (1.0,), np.dtype("f8")])
def test_other_arguments_have_none(leaf: Any) -> None:
    assert facts_of((1.0, leaf)) is None
