"""JITCORE_DUMP: what was made of a function is written where the user asked for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jitcore.host.lazy_import import LazyModule
from jitcore.host.user_exceptions import is_users
from jitcore.runtime.records import Record
from jitcore.toolchain.cache_dir import say

dumping = LazyModule("jitcore.dump.function")


def dumped(top: Path, record: Record, *region: Any) -> None:
    """A full disk, or a fault of ours, is told of once, and is nothing to the program."""
    try:
        dumping.show(top, record, *region)
    except Exception as error:
        if is_users(error):
            raise
        say("dump", f"JITCORE_DUMP={top}: {type(error).__name__}: {error}")
