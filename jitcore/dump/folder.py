"""Code object → a folder of its own, with a name that is safe and readable; texts → whole files.

heat.Solver.step-20/    the file, the function, its first line; a second such function: -20.2
"""

from __future__ import annotations

import os
import re
import weakref
from contextlib import suppress
from pathlib import Path
from types import CodeType

UNSAFE = re.compile(r"[^\w.-]+", re.ASCII)
LONGEST = 100  # characters of a name
PROCESS = "%p"  # in JITCORE_DUMP: the number of the process
OURS = re.compile(r"(source\.py|code\.txt|region-\d+-\d+(\.[\w.-]+)?\.(txt|c))\Z", re.ASCII)

TAKEN: dict[Path, weakref.ref[CodeType]] = {}  # by this process


def folder_of(top: Path, code: CodeType, first: bool) -> Path:
    """The same for a code object at all times. `first`: what was left there before goes."""
    place = Path(str(top).replace(PROCESS, str(os.getpid())))
    name = name_of(code)
    mine = weakref.ref(code)
    count = 1
    while True:
        found = place / (name if count == 1 else f"{name}.{count}")
        if TAKEN.setdefault(found, mine)() is None:  # that function is gone
            TAKEN[found] = mine
        if TAKEN[found]() is code:
            break
        count += 1
    found.mkdir(parents=True, exist_ok=True)
    if first:
        clear(found)
    return found


def name_of(code: CodeType) -> str:
    parts = code.co_qualname.replace(".<locals>", "")
    words = f"{Path(code.co_filename).stem}.{parts}"
    return f"{safe(words)[:LONGEST]}-{code.co_firstlineno}"


def safe(text: str) -> str:
    return UNSAFE.sub("_", text).strip("._-") or "_"


def clear(folder: Path) -> None:
    for path in folder.iterdir():
        if OURS.match(path.name):
            path.unlink(missing_ok=True)


def write(path: Path, text: str) -> None:
    """Whole, or not at all."""
    new = path.with_name(f".new-{os.urandom(8).hex()}-{path.name}")
    file = new.open("x", encoding="utf-8", errors="backslashreplace")  # follows no link
    try:
        with file:
            file.write(text if text.endswith("\n") else f"{text}\n")
        os.replace(new, path)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise
