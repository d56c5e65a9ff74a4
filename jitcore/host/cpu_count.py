"""How many processors the process has: those that affinity and the control groups' quotas leave."""

from __future__ import annotations

import os
from collections.abc import Iterator
from math import ceil

from jitcore.host.cgroups import GROUPS, Limits, limits, read

QUOTAS: Limits = {"": ("", "cpu.max"), "cpu": ("/cpu", "cpu.cfs_quota_us")}
PERIOD = "cpu.cfs_period_us"


def processors() -> int:
    """Those that this process may use at a time, a part of one counted as a whole one."""
    own = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        own = len(os.sched_getaffinity(0))
    return max(1, min([own, *map(ceil, quotas(GROUPS, read("/proc/self/cgroup")))]))


def quotas(groups: str, membership: str) -> Iterator[float]:
    """Processors that the groups named in /proc/self/cgroup and those around them grant."""
    for folder, name in limits(groups, membership, QUOTAS):
        words = read(f"{folder}/{name}").split()
        if len(words) == 1:  # version 1: the period stands in a file of its own
            words.append(read(f"{folder}/{PERIOD}"))
        if len(words) == 2 and all(map(str.isdecimal, words)) and int(words[1]) > 0:
            yield int(words[0]) / int(words[1])
