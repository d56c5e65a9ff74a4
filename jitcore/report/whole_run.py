"""A run that is over → what `jitcore.explain` says of one call, of all of it.

source of each function that took time, line by line   what ran each line, and how long
graphs                                                  kernels, memory moved, guards in words
"""

from __future__ import annotations

from collections.abc import Iterator

from jitcore.report.explain import graph_line, listing, memory_lines
from jitcore.report.measured import run
from jitcore.report.roofline import ran
from jitcore.runtime.records import Region, records


def explained() -> Iterator[str]:
    found = run()
    yield ""
    yield from listing(found.functions)
    for record in records.ever():
        for region in record.regions:
            if region.entry is not None:
                yield ""
                yield from of_graph(region)
    yield ""
    yield from memory_lines([*filter(ran, found.compiled)])


def of_graph(region: Region) -> Iterator[str]:
    yield graph_line(region)
    yield "      it is used where"
    yield from (f"        {guard}" for guard in dict.fromkeys(region.guards))
