"""C text → the address of its kernel: from memory, from disk, or compiled now.

    <cache folder>/<sha256 of text, flags, compiler, CPU, ABI>.so
    = ELF library, then MARK, then the SHA-256 of all before

Kernels that are wanted at once are compiled at once: starting a compiler costs as much as a small
kernel. Their library then has a name for each, and each has its own symbol in it. A file that fails
its checksum, or has not the symbol, is compiled again. Loading maps the file, so a pruned one stays
alive where it is in use. See cache_dir.py for the folder.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import local

from jitcore import logs
from jitcore.config import Config, Numerics, environment
from jitcore.errors import InternalError
from jitcore.host.deadline import foresee
from jitcore.toolchain.abi import ABI
from jitcore.toolchain.c_source import CSource
from jitcore.toolchain.cache_dir import (
    NEW,
    NOTE,
    remove_all,
    say,
    say_of_cache,
    scratch,
    touch,
    usable,
)
from jitcore.toolchain.compiler import QUICK, build, fingerprint
from jitcore.toolchain.dlopen import Library, dlopen
from jitcore.toolchain.parallel_map import side_by_side
from jitcore.toolchain.retry_cache import believed
from jitcore.toolchain.selftest import Chosen, chosen, fast
from jitcore.toolchain.subprocesses import CompileError
from jitcore.toolchain.symbol_names import SHOWN, own_symbol, symbol_of
from jitcore.version import __version__

MARK = b"jitcore-kernel\x01"
DIGEST = hashlib.sha256().digest_size
GROWN, KIB, SHARE = ".grown", 1024, 16
UNWOUND = ("-fasynchronous-unwind-tables",)  # debuggers find who called; the code is the same
DAY = 86400.0  # seconds; no compiler takes that long
LOADED = 1024  # libraries kept in memory beyond those that kernels hold
SECONDS = 4e-6  # of a compiler's, for each character of several kernels
ASKED = local()  # disk: was more than memory asked, on this thread


def library(source: CSource, config: Config) -> Library | None:
    """The kernel of `source`; None: no compiler here, or it cannot make it (said once)."""
    commands, kept = (config.compiler, config.hinted), (config.cache_dir, config.cache_bytes)
    ASKED.disk = False
    found = loaded(source, *commands, *kept, config.numerics)
    if found is not None and not ASKED.disk:
        logs.cache.debug("in memory: a kernel of %d characters of C", len(source.text))
    return found


def one_by_one() -> int:
    return 1


def libraries(
    sources: Sequence[CSource], config: Config, width: Callable[[], int] = one_by_one
) -> list[Library | None]:
    """Of each; those that are not there yet are compiled in `width` texts, side by side."""
    by = compiler_for(config.compiler, config.hinted, config.cache_dir, config.numerics)
    place = usable(config.cache_dir)
    if by is not None and place is not None and len(sources) > 1:
        wanted = {file_name(source, by): source for source in sources}
        new = {name: text for name, text in wanted.items() if not os.path.exists(place / name)}
        if len(new) > 1:
            foresee(SECONDS * sum(map(length, new.values())))
            limit = config.cache_bytes
            side_by_side(lambda part: together(by, part, place, limit), parts(new, width()))
    return [library(source, config) for source in sources]


def length(source: CSource) -> int:
    return len(source.text)


def parts(new: dict[str, CSource], width: int) -> list[dict[str, CSource]]:
    """About equally long."""
    names = sorted(new, key=lambda name: length(new[name]))
    made = [{name: new[name] for name in names[k::width]} for k in range(width)]
    return [part for part in made if len(part) > 1]


def together(by: Chosen, new: dict[str, CSource], place: Path, limit: int) -> None:
    """Compile several kernels as one library, with a name for each. Where that fails, each will be
    compiled alone, and what is wrong will be said then."""
    first, *others = new
    text = "\n".join(own_symbol(source, name) for name, source in new.items())
    try:
        with scratch(place) as ours:
            made = ours / first
            timed_build(by, [*new.values()], text, made)
            sign(made)
            for name in others:
                os.link(made, ours / name)
            for name in new:
                os.replace(ours / name, place / name)
    except TimeoutError:  # of an alarm that the program has set
        raise
    except (OSError, CompileError) as error:
        logs.kernels.debug("compiling %d kernels in %s: %s", len(new), place, error)
    else:
        prune(place, limit, {place / name for name in new})


def timed_build(by: Chosen, sources: Sequence[CSource], text: str, target: Path) -> None:
    """`text`: all of them, with symbols of their own."""
    start = time.perf_counter()
    quick = QUICK if any(one.quick for one in sources) else ()
    unwound = UNWOUND if any(one.label for one in sources) else ()
    build(by.compiler, (*quick, *by.flags, *unwound), text, target)
    took = (time.perf_counter() - start) * 1e3
    what = f"{len(sources)} kernels" if len(sources) > 1 else "a kernel"
    logs.kernels.info("%s: %s compiled in %.1f ms", target.stem[:SHOWN], what, took)


@believed(most=LOADED)
def loaded(
    source: CSource,
    named: str,
    hinted: str,
    folder: Path | None,
    limit: int,
    numerics: Numerics = "exact",
) -> Library | None:
    ASKED.disk = True
    place = usable(folder)
    by = compiler_for(named, hinted, folder, numerics)
    if by is None:
        return None
    name = file_name(source, by)
    if place is not None:
        found = from_disk(place / name, symbol_of(source, name))
        logs.cache.info("%s on disk: %s", "found" if found is not None else "not", place / name)
        if found is not None:
            return found
    foresee(SECONDS * length(source))
    return compiled(by, source, name, place, limit)


def forget_failures() -> None:
    """Of kernels, compilers and the folder: the next graph asks at once."""
    for one in (loaded, chosen, fast, usable):
        one.failures.clear()


def compiler_for(named: str, hinted: str, folder: Path | None, numerics: Numerics) -> Chosen | None:
    by = chosen(named, hinted, folder)
    return fast(by, folder) or by if by is not None and numerics == "fast" else by


def file_name(source: CSource, by: Chosen) -> str:
    key = "\0".join((source.text, fingerprint(by.compiler), *by.flags, __version__, str(ABI)))
    return hashlib.sha256(key.encode()).hexdigest() + ".so"


def compiled(
    by: Chosen, source: CSource, name: str, place: Path | None, limit: int
) -> Library | None:
    """Compile in the cache folder, or in a folder of our own where that fails."""
    if place is not None:
        try:
            return keep(by, source, place / name, limit)
        except TimeoutError:  # of an alarm that the program has set: not the disk's
            raise
        except OSError as error:
            say_of_cache(place, f"cannot be written: {error}")
        except CompileError as error:
            # a full disk shows as the compiler's failure: the second try elsewhere tells
            logs.kernels.debug("compiling in %s: %s", place, error)
    try:
        with scratch() as ours:
            target = ours / name
            timed_build(by, [source], own_symbol(source, name), target)
            return dlopen(target, symbol_of(source, name))
    except TimeoutError:
        raise
    except (OSError, CompileError) as error:
        if environment().strict:
            raise InternalError(f"a kernel cannot be compiled: {error}") from error
        say("kernel", f"a kernel cannot be compiled, NumPy does its work: {error}")
        return None


def keep(by: Chosen, source: CSource, target: Path, limit: int) -> Library:
    """Compile beside `target`, sign, rename into place, load."""
    with scratch(target.parent) as ours:
        made = ours / target.name
        timed_build(by, [source], own_symbol(source, target.name), made)
        sign(made)
        os.replace(made, target)
    prune(target.parent, limit, {target})
    return dlopen(target, symbol_of(source, target.name))


def sign(path: Path) -> None:
    digest = hashlib.sha256(path.read_bytes()).digest()
    with path.open("ab") as file:
        file.write(MARK + digest)


def is_whole(path: Path) -> bool:
    """Was this file written by `keep`, and all of it?"""
    data = path.read_bytes()
    code, tail = data[: -DIGEST - len(MARK)], data[-DIGEST - len(MARK) :]
    return tail == MARK + hashlib.sha256(code).digest()


def from_disk(path: Path, symbol: str) -> Library | None:
    try:
        if path.is_symlink() or not is_whole(path):
            return None
        found = dlopen(path, symbol)
    except OSError:
        return None
    touch(path)
    return found


def prune(folder: Path, limit: int, newest: set[Path]) -> None:
    """Remove the files unused for longest until the folder holds at most `limit` bytes.

    Looking at thousands of files takes longer than compiling one, so it is done when the folder
    has grown by a sixteenth of the limit. Where it cannot be done, the kernels are there all the
    same.
    """
    try:
        if has_grown(folder, limit // SHARE, newest):
            remove_left(folder)
            remove_oldest(folder, limit, newest)
    except TimeoutError:  # of an alarm that the program has set
        raise
    except OSError as error:
        logs.cache.debug("looking through %s: %s", folder, error)


def remove_left(folder: Path) -> None:
    """What processes had begun when they were killed."""
    for path in folder.glob(f"{NEW}*"):
        if time.time() - path.stat().st_mtime < DAY:
            continue
        if path.is_dir():
            remove_all(path)
        else:
            path.unlink(missing_ok=True)


def remove_oldest(folder: Path, limit: int, newest: set[Path]) -> None:
    files = []
    for path in (*folder.glob("*.so"), *folder.glob(f"*{NOTE}")):
        try:
            found = path.stat()
        except FileNotFoundError:
            continue  # another process prunes, too
        files.append((found.st_mtime_ns, own_size(found), path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= limit:
            return
        if path not in newest:
            path.unlink(missing_ok=True)
            total -= size
            logs.cache.info("removed, as it was not used for longest: %s, %d bytes", path, size)


def own_size(found: os.stat_result) -> int:
    """The names of a file share its bytes. One that another process removes has no name."""
    return found.st_size // max(found.st_nlink, 1)


def size_of(path: Path) -> int:
    try:
        return own_size(path.stat())
    except FileNotFoundError:
        return 0


def has_grown(folder: Path, least: int, newest: set[Path]) -> bool:
    """One byte in the file GROWN stands for a KiB that was added since the folder was pruned."""
    added = sum(map(size_of, newest))
    with (folder / GROWN).open("ab") as file:
        file.write(b"." * (added // KIB + 1))
        grown = file.tell() * KIB > least
        if grown:
            file.truncate(0)
    return grown
