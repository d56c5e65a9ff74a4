"""The dict of a module's globals is written while its names are read."""

from __future__ import annotations

from typing import Any

import numpy as np
from finds.scenario import agree, outcomes

FIRST = """
def first(a):
    globals()["g"] = 255
    return a * g + 1
"""
BETWEEN = """
def between(a):
    x = a * g
    globals()["g"] = 255
    return x + a * g
"""
BY_NAME = """
def by_name(a):
    global g
    d = globals()
    g = 255
    return a * d["g"] + 1
"""
GIVEN = """
def given(a):
    names["g"] = 255
    return (a * g + 1).sum()
"""


def test_globals_that_are_set_by_their_dict_are_seen() -> None:
    def scenario(jit: Any) -> Any:
        seen = []
        for text in (FIRST, BETWEEN, BY_NAME, GIVEN):
            places: dict[str, Any] = {}
            exec(text, places)
            places["names"] = places
            fn = jit(places[text.split("(")[0].split()[1]])
            for _ in range(3):
                places["g"] = 1.5
                seen.append((outcomes(fn, np.arange(5.0))[0], places["g"]))
        return seen

    agree(scenario)
