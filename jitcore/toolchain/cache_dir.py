"""The cache folder: private (0700 and ours), whole files only, and small texts kept in it.

    <folder>/<sha256 of the key>.note  =  the text, a line end, sha256 of key and text

Files appear by rename, so a reader sees a whole file or none, whatever other processes do. A note
that fails its checksum is no note.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from jitcore import logs
from jitcore.config import default_cache_dir
from jitcore.toolchain.folder_trust import why_not
from jitcore.toolchain.retry_cache import believed

log = logging.getLogger("jitcore")

NOTE = ".note"
NEW = ".new-"  # how names of what is being written begin

SAID: dict[str, str] = {}  # of the process: what a user is told, by kind


def say(kind: str, message: str) -> None:
    """Warn once a process of each kind, where the user asked for something that cannot be had. A
    Python warning could raise in the user's program."""
    if kind not in SAID:
        SAID[kind] = message
        log.warning(message)


def note(kind: str, message: str, topic: logs.Topic) -> None:
    """What nobody asked for is in reports and in the log only."""
    if kind not in SAID:
        SAID[kind] = message
        topic.info(message)


def say_of_cache(folder: Path, what: str) -> None:
    """JITCORE_CACHE_DIR is the user's wish; the usual folder is nobody's."""
    text = f"the kernel cache {folder} {what}"
    if folder != default_cache_dir(os.environ):
        say("cache", text)
    else:
        note("cache", text, logs.cache)


def said() -> tuple[str, ...]:
    """All of it, for reports."""
    return tuple(SAID.values())


@believed()
def usable(folder: Path | None) -> Path | None:
    """`folder`, made if need be, if only this user can write into it."""
    if folder is None:
        return None
    try:
        if not os.path.isdir(folder):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        refusal = why_not(folder)
    except OSError as error:
        say_of_cache(folder, f"cannot be used: {error}")
        return None
    if refusal is not None:
        say_of_cache(folder, f"is not used: {refusal}")
        return None
    return folder


@contextmanager
def scratch(parent: Path | None = None) -> Iterator[Path]:
    """A folder that is gone afterwards. (`tempfile` and `shutil` draw random numbers and call what
    a program has put into `os`; tempfile.TemporaryDirectory has finalizers, which warn where a
    thread is still at work when the program ends.)"""
    made = new_name(parent) if parent else new_name(temporary(), "jitcore-")
    os.mkdir(made, 0o700)
    try:
        yield made
    finally:
        remove_all(made)


def new_name(parent: Path, prefix: str = NEW) -> Path:
    return parent / f"{prefix}{os.urandom(8).hex()}"


def temporary() -> Path:
    """Where the system keeps what is temporary, as `tempfile` looks for it."""
    given = (os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    for folder in (*given, "/tmp", "/var/tmp", "/usr/tmp"):
        if folder and os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK):
            return Path(os.path.abspath(folder))
    return Path.cwd()


def remove_all(folder: Path) -> None:
    """What cannot be removed stays."""
    try:
        found = [*os.scandir(folder)]
    except OSError:
        return
    for each in found:
        with suppress(OSError):
            if each.is_dir(follow_symlinks=False):
                remove_all(Path(each.path))
            else:
                os.unlink(each)
    with suppress(OSError):
        os.rmdir(folder)


def recall(folder: Path | None, key: str) -> str | None:
    """The text that was kept under this key; None: none, or what is there is not whole."""
    place = usable(folder)
    if place is None:
        return None
    try:
        data = (place / note_name(key)).read_bytes()
        text, _, found = data.decode().rpartition("\n")
    except TimeoutError:  # of an alarm that the program has set
        raise
    except (OSError, ValueError):
        return None
    if found != checksum(key, text):
        return None
    touch(place / note_name(key))
    return text


def touch(path: Path) -> None:
    """It is in use: what was not used for long goes when there is too much (cache.prune)."""
    try:
        os.utime(path)
    except TimeoutError:  # of an alarm that the program has set
        raise
    except OSError as error:  # nobody may change it, or it is gone already
        log.debug("%s: %s", path, error)


def remember(folder: Path | None, key: str, text: str) -> None:
    """Keep the text. Where that cannot be, the next process asks anew."""
    place = usable(folder)
    if place is None:
        return
    new = new_name(place)
    try:
        with open(new, "xb") as file:
            file.write(f"{text}\n{checksum(key, text)}".encode())
        os.replace(new, place / note_name(key))
    except BaseException as error:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        if not isinstance(error, OSError) or isinstance(error, TimeoutError):
            raise


def note_name(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest() + NOTE


def checksum(key: str, text: str) -> str:
    return hashlib.sha256(f"{key}\0{text}".encode()).hexdigest()
