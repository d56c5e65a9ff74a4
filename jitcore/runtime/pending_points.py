"""Code with points of its own that no record knows yet: JITCORE=1 gave it them.

By identity, as code objects compare by value; an arrival leaves with its code object.
"""

from __future__ import annotations

import weakref
from functools import partial
from types import CodeType
from typing import Any

Points = dict[int, Any]


class Arrivals:
    """One instance, which the pipeline takes from."""

    def __init__(self) -> None:
        self._by_id: dict[int, tuple[weakref.ref[CodeType], Points]] = {}

    def add(self, code: CodeType, points: Points) -> None:
        key = id(code)
        self._by_id[key] = (weakref.ref(code, partial(self._by_id.pop, key)), points)

    def find(self, code: CodeType) -> Points | None:
        found = self._by_id.get(id(code))
        return None if found is None or found[0]() is not code else found[1]

    def leave(self, code: CodeType) -> None:
        self._by_id.pop(id(code), None)

    def all(self) -> list[tuple[CodeType, Points]]:
        found = ((held(), points) for held, points in list(self._by_id.values()))
        return [(code, points) for code, points in found if code is not None]

    def count(self) -> int:
        return len(self._by_id)


arrivals = Arrivals()
