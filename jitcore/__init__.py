"""jitcore: makes plain NumPy code fast and changes nothing but the speed."""

from jitcore.api import (
    CacheInfo,
    compile,
    disable,
    explain,
    get_num_threads,
    graph_break,
    is_compiling,
    register_backend,
    reset,
    set_num_threads,
    wait,
)
from jitcore.errors import GraphBreakError, InternalError, JitcoreError
from jitcore.version import __version__

__all__ = [
    "CacheInfo",
    "GraphBreakError",
    "InternalError",
    "JitcoreError",
    "__version__",
    "compile",
    "disable",
    "explain",
    "get_num_threads",
    "graph_break",
    "is_compiling",
    "register_backend",
    "reset",
    "set_num_threads",
    "wait",
]
