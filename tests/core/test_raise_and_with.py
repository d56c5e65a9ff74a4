"""An exception that is raised and caught in a function, and a with block on a manager written in
Python, are inside its graph: with `fullgraph` nothing breaks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitcore


class Refused(Exception):
    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code


class Scope:
    def __init__(self, swallows: bool = False) -> None:
        self.depth, self.swallows = 0, swallows

    def __enter__(self) -> Scope:
        self.depth += 1
        return self

    def __exit__(self, *error: object) -> bool:
        self.depth -= 1
        return self.swallows


def caught(x: Any) -> Any:
    try:
        raise ValueError("no")
    except (KeyError, ValueError):
        y = x + 1
    return y * 2


def caught_with_its_arguments(x: Any) -> Any:
    try:
        raise Refused("no", 3)
    except Exception as error:
        y = x + error.code + len(error.args)
    return y * 2


def known_key(x: Any) -> Any:
    try:
        k = {"a": 1}["b"]
    except KeyError:
        k = 2
    else:
        k = k + 100
    finally:
        x = x - 1
    return x * k


def known_text(x: Any) -> Any:
    try:
        return x * int("2.5")
    except ValueError:
        return x * float("2.5") - 1


def known_end(x: Any) -> Any:
    it = iter((1, 2))
    for _ in range(3):
        try:
            x = x * next(it)
        except StopIteration:
            x = x + 7
    return x


def known_attribute(x: Any) -> Any:
    try:
        return x * x.units
    except AttributeError:
        return x * 2 - 1


def refuse(x: Any) -> Any:
    y = x + 1
    if y.ndim == 1:
        raise Refused("one axis", 1)
    return y


def from_a_callee(x: Any) -> Any:
    try:
        return refuse(x)
    except Refused as error:
        return x * 2 + error.code


def raised_again(x: Any) -> Any:
    try:
        try:
            refuse(x)
        except Refused:
            x = x + 1
            raise
        finally:
            x = x * 2
    except Exception:
        return x - 1


def null_context(x: Any) -> Any:
    with contextlib.nullcontext(3) as k:
        y = x * k
    return y + 1


def suppressed(x: Any) -> Any:
    with contextlib.suppress(IndexError, KeyError):
        x = x + 1
        [0][4]
        x = x + 1000
    return x * 2


def own_manager(x: Any) -> Any:
    with Scope() as outer, Scope(swallows=True) as inner:
        y = x + outer.depth
        raise ValueError("swallowed")
    return y * 2 + inner.depth


PROGRAMS = [caught, caught_with_its_arguments, known_key, known_text, known_end, known_attribute,
            from_a_callee, raised_again, null_context, suppressed, own_manager]  # fmt: skip


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_nothing_breaks(fn: Callable[[Any], Any]) -> None:
    x = np.linspace(-1.0, 2.0, 5)
    compiled = jitcore.compile(fn, fullgraph=True)
    for _ in range(2):
        found = compiled(x)
        assert found.tobytes() == fn(x).tobytes()
    assert len(jitcore.explain(jitcore.compile(fn))(x).graphs) == 1
