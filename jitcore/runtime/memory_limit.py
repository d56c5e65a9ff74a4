"""What the machine, its control group and the process's own limit allow → bytes for the pool, and
for malloc's heap (csrc/host/heap.h)."""

from __future__ import annotations

import os
from collections.abc import Iterator

from jitcore import _C
from jitcore.config import MEGABYTE, Config
from jitcore.host.cgroups import GROUPS, Limits, limits, read

MOST = 256 * MEGABYTE
SHARE = 8  # of the memory that the process may use
MOST_OF_HEAP = 64 * MEGABYTE  # what glibc gets to by itself, where a program frees large arrays
SHARE_OF_HEAP = 32
A_MINUTE = 60  # seconds: new pages for 500 MB that a program takes again are below 1% of that
LIMITS: Limits = {"": ("", "memory.max"), "memory": ("/memory", "memory.limit_in_bytes")}


def pool_bytes(config: Config) -> int:
    """What idle buffers of results may hold."""
    if config.pool_bytes is not None:
        return config.pool_bytes
    return min(MOST, allowed() // SHARE)


def heap_bytes(config: Config) -> int:
    """What malloc may keep at the top of its heap. 0: what it keeps is not our business."""
    if not config.enabled:
        return 0
    if config.heap_bytes is not None:
        return config.heap_bytes
    return min(MOST_OF_HEAP, allowed() // SHARE_OF_HEAP)


def keep_heap(config: Config) -> None:
    """Before that, and with a bound of 0, malloc is as the program has it."""
    _C.heap_keep(heap_bytes(config), A_MINUTE)


def allowed() -> int:
    """Bytes that this process may use at most."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    own = _C.addresses()  # `resource` may be a module of the program's
    addresses = machine if own is None else own
    return min(machine, addresses, *group_limits(GROUPS, read("/proc/self/cgroup")))


def group_limits(groups: str, membership: str) -> Iterator[int]:
    """The limits of the groups named in /proc/self/cgroup and of those around them."""
    for folder, name in limits(groups, membership, LIMITS):
        text = read(f"{folder}/{name}")
        if text.isdecimal():
            yield int(text)
