"""A Run ↔ JSON. The file has the fields of run.py, and `format`, which grows when they change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from jitcore.report.run import Run

FORMAT = 1


def text(run: Run) -> str:
    return json.dumps({"format": FORMAT, **asdict(run)}, indent=1) + "\n"


def read(written: str) -> Run:
    """ValueError: it is no report of this version's."""
    try:
        found = json.loads(written)
        if found["format"] != FORMAT:
            raise ValueError(f"a report of format {found['format']}; this jitcore reads {FORMAT}")
        made: Run = built(Run, found)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a report of jitcore's: {error!r}") from error
    return made


def built(kind: Any, found: Any) -> Any:
    """Lists become tuples, objects their dataclass."""
    if is_dataclass(kind) and isinstance(kind, type):
        hints: Mapping[str, Any] = get_type_hints(kind)
        return kind(**{one.name: built(hints[one.name], found[one.name]) for one in fields(kind)})
    if get_origin(kind) is tuple:
        inner = get_args(kind)[0]
        return tuple(built(inner, one) for one in found)
    if get_origin(kind) in (Union, UnionType) and found is not None:
        return built(next(one for one in get_args(kind) if one is not type(None)), found)
    return found
