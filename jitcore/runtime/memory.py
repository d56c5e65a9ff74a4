"""What the machine, its control group and the process's own limit allow → bytes for the pool."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator, Mapping

from jitcore.config import MEGABYTE, Config

MOST = 256 * MEGABYTE
SHARE = 8  # of the memory that the process may use
GROUPS = "/sys/fs/cgroup"
# Controller (none: version 2) → what follows GROUPS, and the file that has the limit.
Limits = Mapping[str, tuple[str, str]]
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


def limits(groups: str, membership: str, files: Limits) -> Iterator[tuple[str, str]]:
    """The folders of those groups, outermost first, each with the file that has the limit."""
    for line in membership.splitlines():
        _, controllers, inside = line.split(":", 2)
        for controller in files.keys() & controllers.split(","):
            below, name = files[controller]
            folder = groups + below
            for part in (None, *filter(None, inside.split("/"))):
                folder = f"{folder}/{part}" if part else folder
                yield folder, name


def read(path: str) -> str:
    """Nothing where there is no such file."""
    try:
        with open(path) as file:
            return file.read().strip()
    except OSError:
        return ""
