"""C text → the address of its kernel: from memory, from disk, or compiled now.

    <cache folder>/<sha256 of text, flags, compiler, CPU, NumPy, ABI>.so
    = ELF library, then MARK, then the SHA-256 of the file's name and all before MARK

A file that fails its checksum is compiled again. Loading maps the file, so a pruned one stays alive
where it is in use. See folder.py for the folder.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from ..config import Config
from ..version import __version__
from .abi import ABI
from .beside import side_by_side
from .folder import say, scratch, usable
from .library import Library, dlopen
from .progress import progress
from .selftest import Chosen, chosen
from .toolchain import CompileError, build, fingerprint

MARK = b"jitcore-kernel\x01"
DIGEST = hashlib.sha256().digest_size
LOADED = 1024  # libraries kept in memory beyond those that kernels hold

log = logging.getLogger("jitcore")


def library(source: str, config: Config) -> Library | None:
    """The kernel of `source`; None: no compiler here, or it cannot make it (said once)."""
    return loaded(source, config.compiler, config.hinted, config.cache_dir, config.cache_bytes)


def libraries(sources: Sequence[str], config: Config) -> list[Library | None]:
    """Of each; those that are not there yet are compiled side by side."""
    by = chosen(config.compiler, config.hinted, config.cache_dir)
    place = usable(config.cache_dir)
    new = [
        source
        for source in dict.fromkeys(sources)
        if by is not None and not (place and (place / file_name(source, by)).exists())
    ]
    if new:
        with progress(f"compiling {len(new)} kernel{'s' if len(new) > 1 else ''}"):
            side_by_side(lambda source: library(source, config), new)
    return [library(source, config) for source in sources]


@lru_cache(maxsize=LOADED)
def loaded(source: str, named: str, hinted: str, folder: Path | None, limit: int) -> Library | None:
    place = usable(folder)
    by = chosen(named, hinted, folder)
    if by is None:
        return None
    name = file_name(source, by)
    if place is not None:
        found = from_disk(place / name)
        if found is not None:
            return found
    return compiled(by, source, name, place, limit)


def file_name(source: str, by: Chosen) -> str:
    key = "\0".join((source, fingerprint(by.compiler), *by.flags, __version__, str(ABI)))
    return hashlib.sha256(key.encode()).hexdigest() + ".so"


def compiled(by: Chosen, source: str, name: str, place: Path | None, limit: int) -> Library | None:
    """Compile in the cache folder, or in a folder of our own where that fails."""
    if place is not None:
        try:
            return keep(by, source, place / name, limit)
        except TimeoutError:  # of an alarm that the program has set: not the disk's
            raise
        except OSError as error:
            say("cache", f"the kernel cache {place} cannot be written: {error}")
        except CompileError as error:
            # a full disk shows as the compiler's failure: the second try elsewhere tells
            log.debug("compiling in %s: %s", place, error)
    try:
        with scratch() as ours:
            target = ours / name
            build(by.compiler, by.flags, source, target)
            return dlopen(target)
    except TimeoutError:
        raise
    except (OSError, CompileError) as error:
        say("kernel", f"a kernel cannot be compiled, NumPy does its work: {error}")
        return None


def keep(by: Chosen, source: str, target: Path, limit: int) -> Library:
    """Compile beside `target`, sign, rename into place, load."""
    with scratch(target.parent) as ours:
        made = ours / target.name
        build(by.compiler, by.flags, source, made)
        sign(made, target.name)
        os.replace(made, target)
    prune(target.parent, limit, target)
    return dlopen(target)


def sign(path: Path, name: str) -> None:
    digest = hashlib.sha256(name.encode() + path.read_bytes()).digest()
    with path.open("ab") as file:
        file.write(MARK + digest)


def is_whole(path: Path) -> bool:
    """Was this file written by `keep`, and all of it?"""
    data = path.read_bytes()
    code, tail = data[: -DIGEST - len(MARK)], data[-DIGEST - len(MARK) :]
    return tail == MARK + hashlib.sha256(path.name.encode() + code).digest()


def from_disk(path: Path) -> Library | None:
    try:
        if not is_whole(path):
            return None
        found = dlopen(path)
        os.utime(path)  # prune removes what was not used for long
    except OSError:
        return None
    return found


def prune(folder: Path, limit: int, newest: Path) -> None:
    """Remove the files unused for longest until the folder holds at most `limit` bytes."""
    files = []
    for path in folder.glob("*.so"):
        try:
            found = path.stat()
        except FileNotFoundError:
            continue  # another process prunes, too
        files.append((found.st_mtime_ns, found.st_size, path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= limit:
            return
        if path != newest:
            path.unlink(missing_ok=True)
            total -= size
