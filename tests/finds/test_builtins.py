"""Functions whose builtins are not the caller's."""

from __future__ import annotations

import builtins
import types
from typing import Any

import numpy as np
from finds.scenario import agree

SOURCE = """
def inlined(x):
    return abs(-2), x * 2
"""


def made_with(names: dict[str, Any]) -> Any:
    space: dict[str, Any] = {"__builtins__": names}
    exec(SOURCE, space)
    return space["inlined"]


def test_a_function_with_builtins_of_its_own() -> None:
    mine = {**vars(builtins), "abs": lambda x: "mine"}

    def scenario(jit: Any) -> Any:
        inlined = made_with(mine)

        def function(x: Any) -> Any:
            return inlined(x)

        compiled = jit(function)
        return [compiled(np.arange(3.0)) for _ in range(4)]

    agree(scenario)


def test_builtins_that_change_with_the_function() -> None:
    mine = {**vars(builtins), "abs": lambda x: "mine"}

    def scenario(jit: Any) -> Any:
        def function(x: Any, inlined: Any) -> Any:
            return inlined(x)

        compiled = jit(function)
        first = made_with(vars(builtins))
        first.__globals__["__builtins__"] = mine
        second = types.FunctionType(first.__code__, first.__globals__)
        return [compiled(np.arange(3.0), fn) for fn in (first, first, first, second, first)]

    agree(scenario)
