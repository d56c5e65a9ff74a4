"""jitcore: makes plain NumPy code fast and changes nothing but the speed.

Its names are loaded when they are first used: the switch (jitcore/switch.py) is imported by
programs that may never import NumPy, and so this file, the switch and pristine.py import no other
module.
"""

from jitcore import pristine
from jitcore.version import __version__

for folder in __path__:
    pristine.adopt(folder)
del folder

TYPE_CHECKING = False  # not typing's: a program may do without that module
if TYPE_CHECKING:
    from jitcore.api import (
        ArraySpec,
        CachedEntry,
        CacheInfo,
        allow_in_graph,
        assume_constant_result,
        compile,
        disable,
        enable,
        explain,
        get_num_threads,
        graph_break,
        ignore_module,
        is_compiling,
        mark_dynamic,
        mark_static,
        register_backend,
        report,
        reset,
        set_num_threads,
        stance,
        wait,
    )
    from jitcore.errors import GraphBreakError, InternalError, JitcoreError, SignatureError
    from jitcore.user.config_scope import config

__all__ = [
    "ArraySpec",
    "CacheInfo",
    "CachedEntry",
    "GraphBreakError",
    "InternalError",
    "JitcoreError",
    "SignatureError",
    "__version__",
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "config",
    "disable",
    "enable",
    "explain",
    "get_num_threads",
    "graph_break",
    "ignore_module",
    "is_compiling",
    "mark_dynamic",
    "mark_static",
    "register_backend",
    "report",
    "reset",
    "set_num_threads",
    "stance",
    "wait",
]


def __getattr__(name: str) -> object:
    """The first of the names that is used brings them all; then this is a module like others."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with __import__("jitcore.host.lazy_import", fromlist=["loading"]).loading():
        api = __import__("jitcore.api", fromlist=[name])
    globals().update({each: getattr(api, each) for each in __all__ if each != "__version__"})
    globals().pop("__getattr__", None)
    globals().pop("__dir__", None)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
