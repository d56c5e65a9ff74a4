"""CPython's stack against a recipe's: methods lie there in two ways."""

from __future__ import annotations

from typing import Any

import pytest

from jitcore import _C
from jitcore.verify.deep_equal import Comparison
from jitcore.verify.expected import as_bound

N = _C.NULL


class Owner:
    def method(self) -> None: ...


owner, items = Owner(), [1]
APPEND, METHOD = list.append, Owner.method


@pytest.mark.parametrize(
    ("predicted", "actual"),
    [
        ([N, items.append, 3], [APPEND, items, 3]),
        ([N, owner.method, 3], [METHOD, owner, 3]),
        ([0, N, items.append, N, owner.method, 3], [0, APPEND, items, METHOD, owner, 3]),
        ([N, print, N, items.append, 3], [N, print, APPEND, items, 3]),
        ([items.append, N, owner.method, N, 3], [APPEND, items, METHOD, owner, 3]),  # 3.13
        ([print, N, items.append, N, 3], [print, N, APPEND, items, 3]),
        ([N, print, 1], [N, print, 1]),
    ],
)
def test_a_function_and_its_self_are_the_bound_method(predicted: Any, actual: Any) -> None:
    found = as_bound(predicted, actual)
    comparison = Comparison()
    pairs = zip(predicted, found, strict=True)
    assert not [text for one, other in pairs if (text := comparison.differs(one, other))]


def test_another_self_is_another_method() -> None:
    found = as_bound([N, owner.method], [METHOD, Owner()])
    assert Comparison(before={id(owner)}).differs(owner.method, found[1])
