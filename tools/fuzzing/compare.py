"""A program's text → the first difference between CPython and jitcore, or none."""

from __future__ import annotations

import contextlib
import dataclasses
import signal
from collections.abc import Iterator
from typing import Any

import jitcore
from fuzzing.observe import ORDER, Seen, Wrap, observe

EAGER_SECONDS = 20.0
FIELDS = (
    "change", "error", "warnings", "output", "result", "arguments", "globals", "settings",
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Difference:
    """What differs (`field`), at which call, and both sides."""

    field: str
    call: int
    eager: str
    compiled: str

    def __str__(self) -> str:
        made = f" (arguments {ORDER[self.call]})" if self.call < len(ORDER) else ""
        return (
            f"{self.field} of call {self.call}{made}\n"
            f"  eager:    {self.eager}\n  compiled: {self.compiled}"
        )


@dataclasses.dataclass(frozen=True)
class Verdict:
    difference: Difference | None
    raised: bool  # an eager call ended in an exception
    steps: int = 0  # changes of the world, each with a call
    hits: int = 0
    compiles: int = 0


def compare(text: str, wrap: Wrap = jitcore.compile) -> Verdict:
    """SyntaxError, NameError and the like of the program's own top level pass through."""
    with at_most(EAGER_SECONDS):
        wanted = observe(text)
    made: list[Any] = []
    got = observe(text, lambda fn: made.append(wrap(fn)) or made[-1])
    raised = any(seen.error is not None for seen in wanted)
    steps = sum(seen.settings is not None for seen in wanted)
    counts = made[0].cache_info() if steps and hasattr(made[0], "cache_info") else None
    hits, compiles = (counts.hits, counts.compiles) if counts else (0, 0)
    return Verdict(first_difference(wanted, got), raised, steps, hits, compiles)


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """The shrinker makes endless loops: TimeoutError, which the program cannot catch."""

    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except TooLong as error:
        raise TimeoutError("the program does not end") from error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class TooLong(BaseException):
    pass


def first_difference(wanted: list[Seen], got: list[Seen]) -> Difference | None:
    for call, (left, right) in enumerate(zip(wanted, got, strict=True)):
        for field in FIELDS:
            one, other = getattr(left, field), getattr(right, field)
            if one != other:
                return Difference(field, call, *cut(one, other))
    return None


def cut(one: Any, other: Any) -> tuple[str, str]:
    """Both texts, from a little before they part."""
    left, right = repr(one), repr(other)
    at = next(
        (i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b),
        min(len(left), len(right)),
    )
    start = max(0, at - 120)
    return left[start : at + 200], right[start : at + 200]
