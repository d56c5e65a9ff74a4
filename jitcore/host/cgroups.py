"""The control groups of this process → the files that say what they may use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

GROUPS = "/sys/fs/cgroup"
# Controller (none: version 2) → what follows GROUPS, and the file that has the limit.
Limits = Mapping[str, tuple[str, str]]


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
        with open(path, errors="surrogateescape") as file:
            return file.read().strip()
    except OSError:
        return ""
