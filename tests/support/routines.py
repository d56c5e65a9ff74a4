"""A compiled function → the routines that its loops are."""

from __future__ import annotations

from typing import Any

from jitcore.runtime.records import records


def routines(fn: Any) -> list[Any]:
    record = records.find(fn.__wrapped__.__code__)
    assert record is not None
    return [one for region in record.regions for one in region.routines]
