"""JITCORE=1, jitcore.enable(): csrc/everywhere.c begins to look for code that works with arrays.

Loaded with NumPy, so it loads little itself: jitcore/arriving.py with the first such code,
jitcore/pipeline.py with the first that is hot.
"""

from __future__ import annotations

from importlib import import_module
from types import CodeType
from typing import Any

import numpy as np
from numpy._core import umath

from jitcore import _C
from jitcore.config import environment
from jitcore.lazy import Lazy
from jitcore.runtime.arrivals import arrivals

arriving = Lazy("jitcore.arriving")
EARLY = (
    *("jitcore.arriving", "jitcore.pipeline"),
    *("subprocess", "tempfile", "shutil", "hashlib", "json"),
)


def begin() -> None:
    _C.meet_numpy()
    before = _C.set_compiler(load)
    if before is not None:
        _C.set_compiler(before)
    _C.set_prepare(prepare)
    seconds = environment().hot_seconds
    if seconds <= 0:  # modules that are compiled while they are imported are not there for us
        for name in EARLY:
            import_module(name)
    if arrivals.count():
        arriving.review()
    _C.everywhere_begin(np, umath, seconds)


def end() -> None:
    _C.everywhere_end(umath)


def load(point: Any, frame: Any) -> None:
    """The first question to the compiler: the pipeline takes over."""
    import_module("jitcore.pipeline").compiling(point, frame)


def prepare(code: CodeType) -> None:
    arriving.prepare(code)
