"""JITCORE=1, jitcore.enable(): csrc/policy/hotness.c begins to look for code that works with
arrays.

Loaded with NumPy, so it loads little itself: jitcore/auto/prepare.py with the first such code,
jitcore/attach.py with the first that is hot.
"""

from __future__ import annotations

import atexit
import sys
from functools import cache
from importlib import import_module
from types import CodeType
from typing import Any

import numpy as np

from jitcore import _C, pristine
from jitcore.config import complaints, environment
from jitcore.host import numpy_versions
from jitcore.host.at_exit import leave_at_exit
from jitcore.host.lazy_import import loading
from jitcore.host.private_names import umath
from jitcore.host.user_exceptions import is_users
from jitcore.runtime.memory_limit import keep_heap
from jitcore.runtime.pending_points import arrivals

EARLY = (
    *("jitcore.auto.prepare", "jitcore.attach"),
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
        import_module("jitcore.auto.prepare").review()
    complain()
    if environment().report:  # frames that run by then are measured, too
        _C.meter(True)
        report_at_exit()
    _C.everywhere_begin(sys.modules["numpy"], umath, seconds, "jitcore.attach" in sys.modules)


def complain() -> None:
    """The pipeline, which would, may never be loaded."""
    found = complaints()
    folder = loaded("jitcore.toolchain.cache_dir") if found else None
    if folder is not None:
        for variable, complaint in found.items():
            folder.say(variable, complaint)


@cache
def report_at_exit() -> None:
    atexit.register(tell)


def tell() -> None:
    reports = loaded("jitcore.report.destinations")
    if reports is not None:
        reports.at_exit()


def end() -> None:
    _C.everywhere_end(umath)


def load(point: Any, frame: Any) -> None:
    """The first question to the compiler: the pipeline takes over."""
    attaching = loaded("jitcore.attach")
    if attaching is None:
        point.close("error")
    else:
        attaching.compiling(point, frame)


def prepare(code: CodeType) -> None:
    own = loaded("jitcore.auto.prepare")
    if own is not None:
        own.prepare(code)


def loaded(name: str) -> Any:
    """One of our modules. None, and the end, where that fails: the program has a module `array` of
    its own, say, that ours gets in the library's stead."""
    try:
        with loading():
            return import_module(name)
    except Exception as error:
        if is_users(error):
            raise
        if _C.everywhere():
            end()
            what = f"{type(error).__name__}: {error}"
            print(f"jitcore: JITCORE=1 has no effect any more: {what}", file=sys.stderr)
        return None
