"""A scenario `s(jit)` that compiles by itself → the same seen with jit the identity and jitcore's.

Regions are kept that would not pay, and, in a second run, only those that do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from support.compiler import identity
from support.observe import internal_errors, observe
from support.same import difference

from jitcore.attach import attach
from jitcore.config import environment
from jitcore.runtime.adopt import reset

Scenario = Callable[[Any], Any]


def compiler(keep_all: bool) -> Callable[[Any], Any]:
    return lambda fn: attach(fn, replace(environment(), keep_all=keep_all))


def agree(scenario: Scenario) -> None:
    for keep_all in (True, False):
        reset()
        eager = observe(scenario, (identity,), {}, [])
        with internal_errors() as errors:
            compiled = observe(scenario, (compiler(keep_all),), {}, [])
        assert not errors, errors[0]
        for part in ("outcome", "events", "settings"):
            found = difference(getattr(eager, part), getattr(compiled, part))
            assert found is None, f"keep_all={keep_all}: {part}: {found}"
    reset()


def outcomes(fn: Any, *args: Any) -> list[Any]:
    """Three calls: results, or exceptions."""
    seen: list[Any] = []
    for _ in range(3):
        try:
            seen.append(fn(*args))
        except Exception as error:
            seen.append((type(error).__name__, str(error)))
    return seen
