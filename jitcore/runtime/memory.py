"""What the machine, its control group and the process's own limit allow → bytes for the pool."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator

from jitcore.config import MEGABYTE, Config
from jitcore.groups import GROUPS, Limits, limits, read

MOST = 256 * MEGABYTE
SHARE = 8  # of the memory that the process may use
LIMITS: Limits = {"": ("", "memory.max"), "memory": ("/memory", "memory.limit_in_bytes")}


def pool_bytes(config: Config) -> int:
    """What idle buffers of results may hold."""
    if config.pool_bytes is not None:
        return config.pool_bytes
    return min(MOST, allowed() // SHARE)


def allowed() -> int:
    """Bytes that this process may use at most."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    own = [soft] if soft != resource.RLIM_INFINITY else []
    return min([machine, *own, *group_limits(GROUPS, read("/proc/self/cgroup"))])


def group_limits(groups: str, membership: str) -> Iterator[int]:
    """The limits of the groups named in /proc/self/cgroup and of those around them."""
    for folder, name in limits(groups, membership, LIMITS):
        text = read(f"{folder}/{name}")
        if text.isdecimal():
            yield int(text)
