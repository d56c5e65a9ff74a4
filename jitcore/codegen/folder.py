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
from contextlib import contextmanager
from pathlib import Path

from ..lazy import Lazy
from .believed import believed
from .private import why_not

shutil = Lazy("shutil")
tempfile = Lazy("tempfile")
log = logging.getLogger("jitcore")

NOTE = ".note"
NEW = ".new-"  # how names of what is being written begin

SAID: dict[str, str] = {}  # of the process: what a user has been told, by kind


def say(kind: str, message: str) -> None:
    """Warn once a process of each kind. A Python warning could raise in the user's program."""
    if kind not in SAID:
        SAID[kind] = message
        log.warning(message)


def said() -> tuple[str, ...]:
    """All of it, for reports."""
    return tuple(SAID.values())


@believed()
def usable(folder: Path | None) -> Path | None:
    """`folder`, made if need be, if only this user can write into it."""
    if folder is None:
        return None
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        refusal = why_not(folder)
    except OSError as error:
        say("cache", f"the kernel cache {folder} cannot be used: {error}")
        return None
    if refusal is not None:
        say("cache", f"the kernel cache {folder} is not used: {refusal}")
        return None
    return folder


@contextmanager
def scratch(parent: Path | None = None) -> Iterator[Path]:
    """A folder that is gone afterwards. (tempfile.TemporaryDirectory has finalizers, which warn
    where a thread is still at work when the program ends.)"""
    made = Path(tempfile.mkdtemp(prefix=NEW if parent else "jitcore-", dir=parent))
    try:
        yield made
    finally:
        remove_all(made)


def remove_all(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


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
    scratch = None
    try:
        handle, scratch = tempfile.mkstemp(prefix=NEW, dir=place)
        with open(handle, "wb") as file:
            file.write(f"{text}\n{checksum(key, text)}".encode())
        os.replace(scratch, place / note_name(key))
    except BaseException as error:
        if scratch is not None:
            Path(scratch).unlink(missing_ok=True)
        if not isinstance(error, OSError) or isinstance(error, TimeoutError):
            raise


def note_name(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest() + NOTE


def checksum(key: str, text: str) -> str:
    return hashlib.sha256(f"{key}\0{text}".encode()).hexdigest()
