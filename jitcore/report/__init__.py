"""What users see of a run. Reads everything, changes nothing.

    pipeline, csrc/observe/meter.c ─ measured.py ─▶ Run ─▶ console.py, page.py, json_file.py

    run.py              the records of a Run
    meter_snapshot.py   the meter's counts, and the difference of two
    session.py          a piece of a program ─▶ its Run
    annotated.py        regions, breaks ─▶ what runs each source line, and how long
    user_source.py      file, line ─▶ text, functions
    versions.py         recompiles ─▶ one line a place
    processes.py        which process, and how it began
    explain.py          one call ─▶ Explanation           whole_run.py    a finished run ─▶ one
    life.py             a region point ─▶ its state, why, and when it is looked at again
    roofline.py         runs of kernels ─▶ between memory and computing
    destinations.py     None, a stream, a file name ─▶ where a report goes
    console.py          Run ─▶ text                       page.py         Run ─▶ one HTML file
    json_file.py        Run ↔ JSON                        before_after.py  bars of means
    timeline.py         Run ─▶ SVG, tree of calls         graphviz.py     graph ─▶ dot

May assume nothing of a file that it reads: each field's type is checked.
"""

import sys
from types import ModuleType
from typing import Any

from jitcore.host.lazy_import import LazyModule

reports = LazyModule("jitcore.report.destinations")


class Package(ModuleType):
    """`jitcore.report` is this package, whoever imported it first, and what users call."""

    def __call__(self, to: Any = None, /) -> None:
        reports.report(to)


sys.modules[__name__].__class__ = Package
