"""`python -m jitcore cache [size | list | clear]`: the kernels that are kept on disk."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from jitcore.cli.commands import parser
from jitcore.config import MEGABYTE, environment
from jitcore.host.fast_dataclass import dataclass
from jitcore.toolchain.cache import GROWN, own_size
from jitcore.toolchain.cache_dir import NEW, NOTE, remove_all, usable

KERNEL = ".so"


@dataclass(frozen=True, slots=True)
class CacheEntry:
    path: Path
    size: int  # bytes; several kernels of one graph share a file
    used: float  # seconds since the epoch


def main(arguments: Sequence[str]) -> int:
    """1 where there is no folder, or others may write to it."""
    understood = parser("cache")
    understood.add_argument("what", nargs="?", choices=[*COMMANDS], default="size")
    word = understood.parse_args(arguments).what
    folder = environment().cache_dir
    if folder is None or (folder.exists() and usable(folder) is None):
        print(f"jitcore: there is no kernel cache to use: {folder}", file=sys.stderr)
        return 1
    try:
        COMMANDS[word](folder)
        sys.stdout.flush()
    except BrokenPipeError:  # who reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def kept(folder: Path, suffix: str = KERNEL) -> list[CacheEntry]:
    """What is in the folder, used last first."""
    found = []
    for path in folder.glob(f"*{suffix}"):
        try:
            stat = path.stat()
        except FileNotFoundError:
            continue  # another process prunes
        found.append(CacheEntry(path, own_size(stat), stat.st_mtime))
    return sorted(found, key=lambda one: -one.used)


def size(held: Sequence[CacheEntry]) -> str:
    return f"{sum(one.size for one in held) / MEGABYTE:.1f}"


def show_size(folder: Path) -> None:
    held = kept(folder)
    most = environment().cache_bytes // MEGABYTE
    print(f"{folder}: {len(held)} kernels, {size(held)} of {most} MB")


def show_list(folder: Path) -> None:
    for one in kept(folder):
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.used))
        print(f"{used} {one.size:9} {one.path.name.removesuffix(KERNEL)}")


def clear(folder: Path) -> None:
    """Programs that run keep the kernels that they have loaded."""
    held = [*kept(folder), *kept(folder, NOTE)]
    for one in held:
        one.path.unlink(missing_ok=True)
    for path in folder.glob(f"{NEW}*"):
        remove_all(path)
    (folder / GROWN).unlink(missing_ok=True)
    print(f"{folder}: {len(held)} files removed")


COMMANDS: Mapping[str, Callable[[Path], None]] = {
    "size": show_size,
    "list": show_list,
    "clear": clear,
}
