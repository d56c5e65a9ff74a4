"""threadpoolctl, where the program has imported it → it sees and limits jitcore's threads, too.

    with threadpoolctl.threadpool_limits(1):                   every library that it knows
    with threadpoolctl.threadpool_limits(1, user_api="jitcore"):

It finds a library by the name of its file and by its functions (csrc/kernel/workers.c), and asks a
class that the library has registered. jitcore imports nothing for that.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

from jitcore.host.private_names import LOADING
from jitcore.version import __version__

FILE = "_c."  # _C.cpython-3XX….so, in lower case as threadpoolctl compares
FUNCTIONS = ("jitcore_get_num_threads", "jitcore_set_num_threads")


def offer() -> None:
    """Register, if threadpoolctl has been imported by now, to its end, and takes classes of
    others."""
    module = sys.modules.get("threadpoolctl")
    whole = module is not None and not getattr(module.__spec__, LOADING, False)
    if whole and hasattr(module, "register"):
        registered(module)


@cache
def registered(module: Any) -> None:
    class Threads(module.LibController):  # type: ignore[misc]
        user_api = internal_api = "jitcore"
        filename_prefixes = (FILE,)
        check_symbols = FUNCTIONS

        def get_num_threads(self) -> int:
            count: int = self.dynlib.jitcore_get_num_threads()
            return count

        def set_num_threads(self, num_threads: int) -> None:
            self.dynlib.jitcore_set_num_threads(num_threads)

        def get_version(self) -> str:
            return __version__

    module.register(Threads)
