"""A name that has a value while its function is compiled, and none later, where nobody looks at
the value."""

from __future__ import annotations

import traceback
import types
from typing import Any

import numpy as np
import pytest
from finds.scenario import agree


class Plain:
    pass


class Covered:
    w = 1.0  # what reads of an instance find, and deleting does not


class Slotted:
    __slots__ = ("w",)


module = types.ModuleType("module")


def asked(a: Any, o: Any) -> Any:
    return a * (2 if hasattr(o, "w") else 3) + 1


def asked_and_set(a: Any, o: Any) -> Any:
    by = 2.0 if hasattr(o, "w") else 3.0
    o.w = 5.0
    return a * by + 1


def read(a: Any, o: Any) -> Any:
    o.w  # noqa: B018
    return a * 2 + 1


def read_by_getattr(a: Any, o: Any) -> Any:
    x = getattr(o, "w")  # noqa: B009, F841
    return a * 2 + 1


def read_and_caught(a: Any, o: Any) -> Any:
    try:
        o.w  # noqa: B018
    except AttributeError:
        return a * 3 + 1
    return a * 2 + 1


def deleted(a: Any, o: Any) -> Any:
    del o.w
    return a * 2 + 1


def deleted_and_caught(a: Any, o: Any) -> Any:
    try:
        del o.w
    except AttributeError:
        return a * 3 + 1
    return a * 2 + 1


def deleted_and_asked(a: Any, o: Any) -> Any:
    by = hasattr(o, "w")
    del o.w
    return a * getattr(o, "w", 2.0) + hasattr(o, "w") + by


def deleted_and_read(a: Any, o: Any) -> Any:
    del o.w
    return a * o.w


def deleted_twice(a: Any, o: Any) -> Any:
    del o.w
    del o.w
    return a * 2 + 1


def set_and_deleted(a: Any, o: Any) -> Any:
    o.w = 2.0
    del o.w
    return a * getattr(o, "w", 2.0) + hasattr(o, "w")


def of_a_module(a: Any, o: Any) -> Any:
    module.w  # noqa: B018
    return a * 2 + 1


FUNCTIONS = (
    *(asked, asked_and_set, read, read_by_getattr, read_and_caught),
    *(deleted, deleted_and_caught, deleted_and_asked, deleted_and_read, deleted_twice),
    *(set_and_deleted, of_a_module),
)


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("cls", [Plain, Covered, Slotted])
@pytest.mark.parametrize("order", ["yyny", "nnyn"])
def test_a_name_without_a_value(fn: Any, cls: Any, order: str) -> None:
    """Has it one (y), or none (n)?"""

    def scenario(jit: Any) -> Any:
        run = jit(fn)
        seen: list[Any] = []
        for which in order:
            o = cls()
            vars(module).pop("w", None)
            if which == "y":
                o.w = module.w = 2.0  # type: ignore[attr-defined]
            try:
                seen.append(run(np.arange(3.0), o))
            except AttributeError as error:
                lines = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
                seen.append((str(error), fn.__name__ in lines))
            seen.append(hasattr(o, "w"))
        return seen

    agree(scenario)
