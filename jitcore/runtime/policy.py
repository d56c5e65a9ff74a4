"""Is another version of a place worth making? Not beyond a limit, where each is of use for a
moment, or where it would be the same again."""

from __future__ import annotations

import re
from collections import Counter
from types import CodeType
from typing import Any

from jitcore.config import Config
from jitcore.fallback import breaks
from jitcore.fallback.breaks import Break, place_of
from jitcore.guards.reason import Change
from jitcore.runtime.notify import at_limit
from jitcore.runtime.records import Record
from jitcore.runtime.regions import facts_of
from jitcore.symbolic.state import Capture

MOST_PLACES = 8  # that vary to the limit, in one function
FEW_HITS = 3
MAX_WASTED = 3  # entries in a row with few hits, while one frame runs
SIZES = "sizes"
KINDS = {  # by what is another
    r"\.shape\b": SIZES,
    r"\.dtype$|\.ndim$": "dtypes or ranks",
    r"\.strides$|\.flags\.": "layouts",
    r"^type\(": "types",
}


def exhausted(record: Record, point: Any, code: CodeType) -> bool:
    """Of a place; and of the whole function, where each of many places varies."""
    tries = record.tries[point.offset] = record.tries.get(point.offset, 0) + 1
    again = sum(record.tries.values()) - len(record.tries)
    limit = record.config.cache_limit
    if tries <= limit and (tries == 1 or again <= MOST_PLACES * limit):
        return False
    if not point.always_declines:
        text = f"{tries - 1} versions"
        text = text if tries > limit else f"{again - 1} versions of its graphs, besides the first"
        text += what_varies(record, point.offset)
        at_limit(record, Break(breaks.CACHE_LIMIT, text, place_of(code)))
    return True


def what_varies(record: Record, offset: int) -> str:
    """What has most often been the reason of another version, in words that hints go by."""
    mine = [one for one in record.recompiles if one.offset == offset]
    kinds = Counter(kind for one in mine for kind in {*map(kind_of, one.changes)})
    if not kinds:
        return ""
    ((kind, _),) = kinds.most_common(1)
    return f", for different {kind}{alone(record.config) if kind == SIZES else ''}"


def alone(config: Config) -> str:
    """Why there is no entry for all sizes."""
    if config.dynamic is False:
        return " under dynamic=False"
    if config.backend != "c":
        return " with a backend other than C"
    return " in the background" if config.compiling == "background" else ""


def kind_of(change: Change) -> str:
    found = (kind for part, kind in KINDS.items() if re.search(part, change.source))
    return next(found, "numbers" if change.use else "objects")


def changes_each_round(record: Record, point: Any, code: CodeType) -> bool:
    """The last entries of this point were of use for a round or two of the frame that is still
    running: shapes, or numbers that shapes depend on, are others each time."""
    run, count = record.wasted.get(point.offset, (0, 0))
    mine = [r.entry for r in record.regions if r.offset == point.offset and r.entry is not None]
    useless = run == point.activation and bool(mine) and mine[-1].hits <= FEW_HITS
    count = count + 1 if useless else 0
    record.wasted[point.offset] = point.activation, count
    if count < MAX_WASTED:
        return False
    text = f"{count} versions, each used in one or two iterations of a loop"
    at_limit(record, Break(breaks.CACHE_LIMIT, text, place_of(code)))
    return True


def repeats(record: Record, point: Any, captured: Capture) -> bool:
    """The guards of an entry hold, and it did not run to an exit: another like it would not
    either."""
    facts = facts_of(captured)
    return any(r.offset == point.offset and r.facts == facts for r in record.regions)
