"""`x in (1, 2, 3)`, `c in "aeiou"` in a routine: is a number one of a few, a character in a text?

One comparison for each, joined by `|`. CPython asks for identity first, so what may be a nan is
compared with constants that are none: these are identical only if they are equal. A set asks for
hashes before that, and np.float32(0.1) == 0.1 has another.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from jitcore.ir.types import PYBOOL, ScalarType
from jitcore.symbolic.loops.sequences import is_character
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects import comparisons, operators
from jitcore.symbolic.values import Known, List, Traced, Tuple, Var
from jitcore.symbolic.wrap import realize

MOST = 16
NUMBERS = (bool, int, float)


def among(vm: Machine, item: Var, container: Var) -> Var | None:
    """None: it is something else."""
    item = realize(vm, item)
    found = few(vm, item, realize(vm, container))
    if found is None:
        return None
    tests = [operators.to_bool(vm, comparisons.compare(vm, "==", item, one)) for one in found]
    first: Var = Known(False)
    return reduce(lambda a, b: operators.binary(vm, "|", a, b), tests, first)


def few(vm: Machine, item: Var, container: Var) -> list[Var] | None:
    """What it may be, if that can be told by comparisons."""
    if is_character(item):
        text = container.obj if isinstance(container, Known) else None
        return [Known(one) for one in text] if type(text) is str and len(text) <= MOST else None
    kind = item.value.type if isinstance(item, Traced) else None
    if not isinstance(kind, ScalarType) or kind.dtype.kind not in "biuf":
        return None
    is_set = isinstance(container, Known) and type(container.obj) is frozenset
    if is_set and kind.dtype.kind == "f" and not kind.python:
        return None
    items = items_of(vm, container)
    if items is None or len(items) > MOST or not all(map(is_plain, items)):
        return None
    return items


def items_of(vm: Machine, container: Var) -> list[Var] | None:
    match container:
        case Known(tuple() | frozenset() as held):
            return [Known(one) for one in held]
        case Tuple(items) | List(items):
            return [realize(vm, one) for one in items]
    return None


def is_plain(var: Var) -> bool:
    """A number that is no nan; of what only run time knows, an int."""
    match var:
        case Known(obj):
            return type(obj) in NUMBERS and is_number(obj)
        case Traced(value):
            kind = value.type
            return kind == PYBOOL or (isinstance(kind, ScalarType) and kind.dtype.kind in "iu")
    return False


def is_number(obj: Any) -> bool:
    return bool(obj == obj)
