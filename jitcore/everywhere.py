"""JITCORE=1, jitcore.enable(): csrc/everywhere.c begins to look for code that works with arrays.

Loaded with NumPy, so it loads little itself: jitcore/arriving.py with the first such code,
jitcore/pipeline.py with the first that is hot.
"""

from __future__ import annotations

import atexit
import sys
from functools import cache
from importlib import import_module
from types import CodeType
from typing import Any

import numpy as np
from numpy._core import umath

from jitcore import _C, numpy_versions, pristine
from jitcore.config import complaints, environment
from jitcore.leaving import leave_at_exit
from jitcore.runtime.arrivals import arrivals
from jitcore.runtime.memory import keep_heap
from jitcore.users import is_users

EARLY = (
    *("jitcore.arriving", "jitcore.pipeline"),
    *("subprocess", "hashlib", "json"),
)


def begin() -> None:
    pristine.take()
    numpy_versions.check(np.__version__)
    leave_at_exit()
    _C.meet_numpy()
    keep_heap(environment())
    before = _C.set_compiler(load)
    if before is not None:
        _C.set_compiler(before)
    _C.set_prepare(prepare)
    seconds = environment().hot_seconds
    if seconds <= 0:  # modules that are compiled while they are imported are not there for us
        for name in EARLY:
            import_module(name)
    if arrivals.count():
        import_module("jitcore.arriving").review()
    complain()
    if environment().report:  # frames that run by then are measured, too
        _C.meter(True)
        report_at_exit()
    _C.everywhere_begin(sys.modules["numpy"], umath, seconds, "jitcore.pipeline" in sys.modules)


def complain() -> None:
    """The pipeline, which would, may never be loaded."""
    found = complaints()
    folder = loaded("jitcore.codegen.folder") if found else None
    if folder is not None:
        for variable, complaint in found.items():
            folder.say(variable, complaint)


@cache
def report_at_exit() -> None:
    atexit.register(tell)


def tell() -> None:
    reports = loaded("jitcore.report.reports")
    if reports is not None:
        reports.at_exit()


def end() -> None:
    _C.everywhere_end(umath)


def load(point: Any, frame: Any) -> None:
    """The first question to the compiler: the pipeline takes over."""
    pipeline = loaded("jitcore.pipeline")
    if pipeline is None:
        point.close()
    else:
        pipeline.compiling(point, frame)


def prepare(code: CodeType) -> None:
    own = loaded("jitcore.arriving")
    if own is not None:
        own.prepare(code)


def loaded(name: str) -> Any:
    """One of our modules. None, and the end, where that fails: the program has a module `array` of
    its own, say, that ours gets in the library's stead."""
    try:
        return import_module(name)
    except Exception as error:
        if is_users(error):
            raise
        if _C.everywhere():
            end()
            what = f"{type(error).__name__}: {error}"
            print(f"jitcore: JITCORE=1 has no effect any more: {what}", file=sys.stderr)
        return None
