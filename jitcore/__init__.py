"""jitcore: makes plain NumPy code fast and changes nothing but the speed."""

from jitcore.api import (
    CacheInfo,
    compile,
    disable,
    explain,
    graph_break,
    is_compiling,
    register_backend,
    reset,
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
    "graph_break",
    "is_compiling",
    "register_backend",
    "reset",
]
