"""A Run ↔ JSON. The file has the fields of run.py, and `format`, which grows when they change.

A file may be another's: what is read has the types that run.py says, each leaf of it, so that
whoever shows a Run need not ask.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from jitcore.report.run import Run

FORMAT = 5
LEAVES: Mapping[type, tuple[type, ...]] = {
    str: (str,),
    bool: (bool,),
    int: (int,),
    float: (float, int),
}
BITS = 63  # of a number
WRITTEN = "as JITCORE_REPORT=json:FILE writes it"


def text(run: Run) -> str:
    return json.dumps({"format": FORMAT, **asdict(run)}, indent=1) + "\n"


def read(written: str) -> Run:
    """ValueError: it is no report of this version's; says why."""
    try:
        found = json.loads(written)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(found, dict) or "format" not in found:
        raise ValueError(f"JSON, but no report of jitcore's, {WRITTEN}")
    if found["format"] != FORMAT:
        raise ValueError(f"a report of format {found['format']!r:.20}; this jitcore reads {FORMAT}")
    try:
        made: Run = built(Run, found)
        if any(call.caller >= k for k, call in enumerate(made.calls)):
            raise ValueError("not a report of jitcore's: a call that stands before its caller")
    except KeyError as error:
        raise ValueError(f"not a report of jitcore's: it has no {error}") from error
    except (TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"not a report of jitcore's: {error}") from error
    return made


def built(kind: Any, found: Any) -> Any:
    """Lists become tuples, objects their dataclass."""
    if is_dataclass(kind) and isinstance(kind, type):
        hints: Mapping[str, Any] = get_type_hints(kind)
        return kind(**{one.name: built(hints[one.name], found[one.name]) for one in fields(kind)})
    if get_origin(kind) is tuple:
        inner = get_args(kind)[0]
        return tuple(built(inner, one) for one in leaf((list,), found))
    if get_origin(kind) in (Union, UnionType):
        inner = next(one for one in get_args(kind) if one is not type(None))
        return None if found is None else built(inner, found)
    if get_origin(kind) is Literal:
        return leaf_among(get_args(kind), found)
    return leaf(LEAVES[kind], found)


def leaf(kinds: tuple[type, ...], found: Any) -> Any:
    if type(found) not in kinds:
        raise TypeError(f"{type(found).__name__} in place of {kinds[0].__name__}")
    if isinstance(found, int) and found.bit_length() > BITS:
        raise TypeError(f"a number of {found.bit_length()} bits")
    if isinstance(found, float) and not math.isfinite(found):
        raise TypeError(f"a number that is {found}")
    return found


def leaf_among(known: tuple[str, ...], found: Any) -> Any:
    if found not in known:
        raise TypeError(f"{found!r:.40} in place of one of {', '.join(known)}")
    return found
