"""Whose report it is: the process, what it runs, and how it came to be.

Nothing is asked of multiprocessing where the program has not loaded it.
"""

from __future__ import annotations

import os
import sys

from jitcore.report.run import Process


def process(measuring: int) -> Process:
    """`measuring`: the process that began to; 0: none has."""
    pid = os.getpid()
    name, parent = started_by_multiprocessing()
    return Process(pid, name, parent, measuring if measuring != pid else 0)


def started_by_multiprocessing() -> tuple[str, int]:
    known = sys.modules.get("multiprocessing.process")
    parent = known.parent_process() if known is not None else None
    if known is None or parent is None:
        return "", 0
    return known.current_process().name, parent.pid or 0


def command() -> str:
    """As it was started; multiprocessing's own words say nothing of the program, which is then in
    sys.argv."""
    return " ".join(sys.argv if started_by_multiprocessing()[0] else sys.orig_argv)


def whose(process: Process, command: str) -> str:
    child = f", {process.name} of process {process.parent}" if process.name else ""
    forked = f", with what process {process.forked} had done before the fork"
    return f"process {process.pid}{child}{forked if process.forked else ''}: {command}"
