"""The environment and the arguments of jitcore.compile → one frozen record that is passed along.

Nothing else reads the environment. `environment()` is read once a process; a caller changes a field
with `dataclasses.replace`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from jitcore.host import log_topics
from jitcore.host.fast_dataclass import dataclass
from jitcore.host.lazy_import import LazyModule

difflib = LazyModule("difflib")
settings = LazyModule("jitcore.user.config_scope")  # which imports this module

Backend = str  # "c", "numpy", or a registered name
Numerics = Literal["exact", "fast"]
Compiling = Literal["eager", "background"]

MEGABYTE = 1 << 20
HOT_SECONDS = 0.05  # about what compiling takes: it costs no more than has been spent without it


@dataclass(frozen=True, slots=True)
class Config:
    enabled: bool = True  # JITCORE=0 turns everything off
    everywhere: bool = False  # JITCORE=1 compiles what runs, without a decorator
    report: str = ""  # JITCORE_REPORT: 1, explain, json:FILE or html:FILE, when the program ends
    cache_dir: Path | None = (
        None  # JITCORE_CACHE_DIR or the user's cache folder; None: no disk cache
    )
    cache_bytes: int = 256 * MEGABYTE  # what the disk cache may hold
    compiler: str = ""  # JITCORE_CC: this one and no other; empty: look for one
    hinted: str = ""  # CC: the first that is looked for
    compiling: Compiling = "eager"  # JITCORE_COMPILE; background: NumPy serves meanwhile
    backend: Backend = "c"  # JITCORE_BACKEND
    numerics: Numerics = "exact"
    fullgraph: bool = False
    dynamic: bool | None = None
    cache_limit: int = 8  # entries of one region before it goes dynamic or stays CPython's
    pool_bytes: int | None = None  # JITCORE_POOL_MB: idle buffers of results; None: what fits
    heap_bytes: int | None = None  # JITCORE_HEAP_MB: what malloc's heap may keep; None: what fits
    threads: int | None = None  # JITCORE_NUM_THREADS, OMP_NUM_THREADS; None: the processors we have
    sized: frozenset[int] = (
        frozenset()
    )  # extents that are others in other samples, see runtime/sizes/sampler.py
    verify: bool = False  # JITCORE_VERIFY=1 runs regions and CPython, and compares
    strict: bool = False  # JITCORE_STRICT=1: errors of jitcore's own reach the program
    reports: Path | None = None  # JITCORE_REPORTS: where bug reports go; None: for temporary files
    report_values: str = "small"  # JITCORE_REPORT_VALUES: which arrays they include
    keep_all: bool = False  # keep regions that do not pay: for tests
    include: tuple[str, ...] = ()  # JITCORE_INCLUDE: modules, paths, globs that JITCORE=1 compiles
    exclude: tuple[str, ...] = ()  # JITCORE_EXCLUDE: those that are CPython's
    dump: Path | None = None  # JITCORE_DUMP: a folder for what was made of each function, as text
    perf: bool = False  # JITCORE_PERF=1: kernels have names for profilers and debuggers
    logs: str = ""  # JITCORE_LOGS: topics that are told of, see jitcore/logs.py
    hot_seconds: float = (
        HOT_SECONDS  # spent in code before JITCORE=1 compiles it; JITCORE_STRESS=1: none
    )

    @property
    def results(self) -> str:
        """What results depend on. Functions for which it is the same may be in one graph."""
        return f"backend={self.backend!r}, numerics={self.numerics!r}"


def from_environment(env: Mapping[str, str]) -> Config:
    """The configuration that these environment variables describe."""
    switch = env.get("JITCORE", "")
    folder = env.get("JITCORE_CACHE_DIR", "")
    return Config(
        enabled=switch != "0",
        everywhere=switch == "1",
        report=report_in(env.get("JITCORE_REPORT", "")),
        cache_dir=Path(folder) if folder else default_cache_dir(env),
        compiler=env.get("JITCORE_CC", ""),
        hinted=env.get("CC", ""),
        compiling="background" if env.get("JITCORE_COMPILE", "") == "background" else "eager",
        backend=env.get("JITCORE_BACKEND", "") or "c",
        pool_bytes=megabytes_in(env.get("JITCORE_POOL_MB", "")),
        heap_bytes=0 if tells_malloc(env) else megabytes_in(env.get("JITCORE_HEAP_MB", "")),
        threads=threads_in(env.get("JITCORE_NUM_THREADS", ""), env.get("OMP_NUM_THREADS", "")),
        verify=env.get("JITCORE_VERIFY") == "1",
        strict=env.get("JITCORE_STRICT") == "1",
        reports=absolute(env["JITCORE_REPORTS"]) if env.get("JITCORE_REPORTS") else None,
        report_values=word_in(env.get("JITCORE_REPORT_VALUES", ""), VALUES),
        keep_all=env.get("JITCORE_KEEP_ALL") == "1",
        include=words_in(env.get("JITCORE_INCLUDE", "")),
        exclude=words_in(env.get("JITCORE_EXCLUDE", "")),
        dump=absolute(env["JITCORE_DUMP"]) if env.get("JITCORE_DUMP") else None,
        perf=env.get("JITCORE_PERF") == "1",
        logs=env.get("JITCORE_LOGS", ""),
        hot_seconds=0.0 if env.get("JITCORE_STRESS") == "1" else HOT_SECONDS,
    )


VALUES = ("small", "all", "none")
COMPILING: tuple[Compiling, ...] = ("eager", "background")

# Variable → what it may be, in words and as a test. Nothing is always allowed.
ALLOWED: Mapping[str, tuple[str, Callable[[str], bool]]] = {
    "JITCORE": ("0 (off) or 1 (without a decorator)", lambda text: text in ("0", "1")),
    **dict.fromkeys(
        ("JITCORE_VERIFY", "JITCORE_STRICT", "JITCORE_PERF", "JITCORE_STRESS", "JITCORE_KEEP_ALL"),
        ("0 or 1", lambda text: text in ("0", "1")),
    ),
    "JITCORE_COMPILE": (" or ".join(COMPILING), lambda text: text in COMPILING),
    "JITCORE_REPORT": ("0, 1, explain, json:FILE or html:FILE", lambda text: is_report(text)),
    "JITCORE_NUM_THREADS": ("a number from 1 on", lambda text: threads_in(text) is not None),
    "JITCORE_LOGS": (log_topics.WORDS, log_topics.is_understood),
    "JITCORE_REPORT_VALUES": (" or ".join(VALUES), lambda text: text in VALUES),
    **dict.fromkeys(
        ("JITCORE_POOL_MB", "JITCORE_HEAP_MB"),
        ("a number of megabytes from 0 on", str.isdecimal),
    ),
}


# Those that may be anything.
FREE = (
    *("JITCORE_CACHE_DIR", "JITCORE_CC", "JITCORE_BACKEND", "JITCORE_REPORTS", "JITCORE_DUMP"),
    *("JITCORE_INCLUDE", "JITCORE_EXCLUDE"),
)
PREFIX = "JITCORE"
OTHERS = ("JITCORE_BUILD_", "JITCORE_TEST_")  # of setup.py and the tests


def not_understood(env: Mapping[str, str]) -> dict[str, str]:
    """Variable → what is wrong with it. from_environment does as if these were not set."""
    return misspelt(env) | {
        name: f"{name}={env[name]!r} is not understood, and left out: it may be {words}"
        for name, (words, allows) in ALLOWED.items()
        if env.get(name) and not allows(env[name])
    }


def misspelt(env: Mapping[str, str]) -> dict[str, str]:
    known = {*ALLOWED, *FREE}
    found = [name for name in env if name.startswith(PREFIX) and name not in known]
    return {
        name: f"{name} is no variable of jitcore's, and left out{nearest(name)}"
        for name in found
        if env[name] and not name.startswith(OTHERS)
    }


def nearest(name: str) -> str:
    """By what follows the prefix that all share."""
    known = [one.removeprefix(PREFIX) for one in sorted({*ALLOWED, *FREE})]
    found = difflib.get_close_matches(name.removeprefix(PREFIX), known, 1)
    return f": did you mean {PREFIX}{found[0]}?" if found else ""


def complaints() -> dict[str, str]:
    """Of this process's environment."""
    return not_understood(os.environ)


def threads_in(*texts: str) -> int | None:
    """The first that says a number; OpenMP has a list of them, for nested loops."""
    for text in texts:
        first = text.split(",")[0].strip()
        if first.isdecimal() and int(first) > 0:
            return min(int(first), sys.maxsize)
    return None


def megabytes_in(text: str) -> int | None:
    """In bytes."""
    return min(int(text) * MEGABYTE, sys.maxsize) if text.isdecimal() else None


def tells_malloc(env: Mapping[str, str]) -> bool:
    """Does the user say what glibc's malloc is to do (`man mallopt`)?"""
    return "glibc.malloc." in env.get("GLIBC_TUNABLES", "") or any(
        name.startswith("MALLOC_") and value for name, value in env.items()
    )


def absolute(folder: str) -> Path:
    """Programs may go to other folders later."""
    try:
        return Path(os.path.abspath(folder))
    except OSError:  # where the program stands there is no folder any more
        return Path(folder)


def word_in(text: str, words: tuple[str, ...]) -> str:
    """The first, where it is none of them."""
    return text if text in words else words[0]


REPORTS = ("json", "html")  # that go to a file


def is_report(text: str) -> bool:
    kind, colon, file = text.partition(":")
    return not colon or (kind in REPORTS and bool(file))


def report_in(text: str) -> str:
    """Empty: none is wanted."""
    kind, colon, file = text.partition(":")
    if text == "0" or not is_report(text):
        return ""
    return f"{kind}:{absolute(file)}" if colon else text


def words_in(text: str) -> tuple[str, ...]:
    """Between commas."""
    return tuple(word for part in text.split(",") if (word := part.strip()))


@cache
def environment() -> Config:
    """The process's configuration; later changes of os.environ do not count."""
    return from_environment(os.environ)


class Module(ModuleType):
    """`jitcore.config` is this module, whoever imported it first, and what users call."""

    def __call__(self, **changes: Any) -> Any:
        return settings.config(**changes)


sys.modules[__name__].__class__ = Module


def default_cache_dir(env: Mapping[str, str]) -> Path | None:
    """The user's cache folder (XDG base directories); None where there is no home."""
    base = env.get("XDG_CACHE_HOME", "")
    if base and os.path.isabs(base):
        return Path(base) / "jitcore"
    try:
        return Path.home() / ".cache" / "jitcore"
    except RuntimeError:
        return None
