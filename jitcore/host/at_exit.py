"""The program ends: what was compiled lets go of the program's objects.

Guards know some of them by identity that cannot be referenced weakly, a function's globals for one,
and code objects have the guards, where CPython's collector does not look. They would outlive the
interpreter: finalizers of a script's globals would not run, and its open files would not be
flushed.
"""

from __future__ import annotations

import atexit
import sys
from functools import cache

import jitcore._C as _C


@cache
def leave_at_exit() -> None:
    """To be asked for before anything else of ours is: so it runs last, after the reports."""
    atexit.register(leave)


def leave() -> None:
    """Finalizers, and what else runs from here on, are CPython's."""
    _C.set_compiler(None)
    adopt = sys.modules.get("jitcore.runtime.adopt")
    reset = getattr(adopt, "reset", None)  # a daemon thread may be about to load it
    if reset is not None:
        reset()
