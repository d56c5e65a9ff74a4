"""Answers that are kept, but where it is None, for a while only.

    library(...) ─▶ a library     kept
                 ─▶ None          believed for a minute, then asked again: for two, for four …

A full disk or memory that has run out pass; a compiler that cannot do it stays so, and trying it
costs time. Only who compiles asks, so nothing waits for the clock.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Hashable
from dataclasses import field
from typing import Any, Generic, TypeVar

from jitcore.host.fast_dataclass import dataclass

FIRST, LAST = 60.0, 3600.0  # seconds
Found = TypeVar("Found")


class Nothing(Exception):
    """So that lru_cache keeps nothing."""


@dataclass(slots=True)
class Failure:
    until: float
    patience: float


@dataclass(slots=True)
class Believed(Generic[Found]):
    """A function of hashable arguments, asked as little as that."""

    fn: Callable[..., Found | None]
    most: int | None = None  # answers that are kept
    failures: dict[Hashable, Failure] = field(default_factory=dict)
    kept: Any = None

    def __post_init__(self) -> None:
        self.kept = functools.lru_cache(maxsize=self.most)(self.ask)

    def ask(self, *key: Hashable) -> Found:
        found = self.fn(*key)
        if found is None:
            raise Nothing
        return found

    def __call__(self, *key: Hashable) -> Found | None:
        failure = self.failures.get(key)
        if failure is not None and time.monotonic() < failure.until:
            return None
        try:
            found: Found = self.kept(*key)
        except Nothing:
            patience = FIRST if failure is None else min(LAST, 2 * failure.patience)
            self.failures[key] = Failure(time.monotonic() + patience, patience)
            return None
        self.failures.pop(key, None)
        return found

    def cache_clear(self) -> None:
        self.kept.cache_clear()
        self.failures.clear()


def believed(most: int | None = None) -> Callable[[Callable[..., Found | None]], Believed[Found]]:
    return lambda fn: Believed(fn, most)
