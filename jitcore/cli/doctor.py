"""`python -m jitcore doctor`: this machine, this process → what jitcore finds, and what to install.

    ok     compiler     /usr/bin/cc (gcc 12.2.0), tried: NumPy's bits
    ok     threads      2 a kernel, of 2 processors
    WRONG  cache        others may write to it: chmod 700 …

Exit status 1 where something is wrong. A kernel is compiled in a folder of its own, and compared.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from types import FunctionType
from typing import Any

import numpy as np

from jitcore.attach import attach
from jitcore.auto.site_check import is_armed
from jitcore.cli.cache import kept, size
from jitcore.cli.commands import parser
from jitcore.config import MEGABYTE, Config, complaints, environment
from jitcore.host import numpy_versions
from jitcore.host.cpu_count import processors
from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.runtime.adopt import twin
from jitcore.runtime.memory_limit import heap_bytes, pool_bytes
from jitcore.runtime.notify import collect
from jitcore.runtime.threads import threads_of
from jitcore.toolchain.cache_dir import said, scratch, usable
from jitcore.toolchain.compiler import Compiler, find, machine
from jitcore.toolchain.selftest import chosen
from jitcore.toolchain.subprocesses import CompileError, run
from jitcore.version import __version__

INSTALL = "install gcc or clang, or: pip install 'jitcore[compiler]'"
ELEMENTS = 1000


@dataclass(frozen=True, slots=True)
class Finding:
    what: str
    text: str
    good: bool = True

    def __str__(self) -> str:
        return f"{'ok' if self.good else 'WRONG':<6} {self.what:<12} {self.text}"


def main(arguments: Sequence[str]) -> int:
    """Prints the findings. 1 if something is wrong."""
    parser("doctor").parse_args(arguments)
    print(title())
    wrong = 0
    for look in LOOKS:
        for finding in look(environment()):
            print(finding, flush=True)
            wrong += not finding.good
    return int(wrong > 0)


def title() -> str:
    python = f"{platform.python_implementation()} {platform.python_version()}"
    where = f"{platform.system()} {platform.machine()}"
    return f"jitcore {__version__}, {python}, NumPy {np.__version__}, {where}"


def numpy(config: Config) -> Iterator[Finding]:
    try:
        numpy_versions.check(np.__version__)
    except ImportError as error:
        yield Finding("numpy", str(error), False)
    else:
        yield Finding("numpy", f"{np.__version__}: one that kernels were compared with")


def compiler(config: Config) -> Iterator[Finding]:
    first = find(config.compiler)
    if first is None:
        named = f"JITCORE_CC names {config.compiler!r}, which is not there; " * bool(
            config.compiler
        )
        yield Finding("compiler", f"{named}NumPy does all the work: {INSTALL}", False)
        return
    passed = chosen(config.compiler, config.hinted, config.cache_dir)
    if passed is None:
        told = "; ".join(said())
        yield Finding("compiler", f"none gives NumPy's bits: {told}; {INSTALL}", False)
        return
    shown = f"{' '.join(passed.compiler.command)} ({release(passed.compiler)})"
    yield Finding("compiler", f"{shown}, tried: NumPy's bits; code for {machine() or 'any'}")


def release(of: Compiler) -> str:
    """The first line that it says of itself."""
    try:
        told = run((*of.command, "--version"), "").splitlines()
    except CompileError:
        told = []
    return told[0].strip() if told else "of an unknown version"


def threads(config: Config) -> Iterator[Finding]:
    reason = "" if config.threads is None else ", as the environment says"
    yield Finding("threads", f"{threads_of(config)} a kernel, of {processors()} processors{reason}")


def folder(config: Config) -> Iterator[Finding]:
    if config.cache_dir is None:
        yield Finding("cache", "none: each process compiles anew; set JITCORE_CACHE_DIR", False)
    elif usable(config.cache_dir) is None:
        told = "; ".join(text for text in said() if str(config.cache_dir) in text)
        yield Finding("cache", told or f"{config.cache_dir} cannot be used", False)
    else:
        held, most = kept(config.cache_dir), config.cache_bytes // MEGABYTE
        yield Finding(
            "cache", f"{config.cache_dir}: {len(held)} kernels, {size(held)} of {most} MB"
        )


def memory(config: Config) -> Iterator[Finding]:
    yield Finding("pool", f"up to {pool_bytes(config) // MEGABYTE} MB of idle buffers for results")
    yield Finding("heap", f"malloc may keep up to {heap_bytes(config) // MEGABYTE} MB at its top")


def settings(config: Config) -> Iterator[Finding]:
    for complaint in complaints().values():
        yield Finding("environment", complaint, False)


def switch(config: Config) -> Iterator[Finding]:
    missing = "has no effect: this Python has not read jitcore.pth; install jitcore for it"
    try:
        told = "works" if is_armed((sys.executable,)) else missing
    except OSError as error:
        told = f"has no effect: {error}"
    yield Finding("JITCORE=1", told, told == "works")


def chain(x: Any) -> Any:
    return np.sqrt(x * x + 1.0) - x / 3.0


def trial(config: Config) -> Iterator[Finding]:
    """A kernel from text to result, in a folder that is gone afterwards."""
    with scratch() as place:
        own = replace(config, cache_dir=place, keep_all=True, compiling="eager", threads=None)
        assert isinstance(chain, FunctionType)
        compiled = attach(twin(chain), own)
        x = np.linspace(-2.0, 5.0, ELEMENTS)
        started = perf_counter()
        with collect() as found:
            same = compiled(x).tobytes() == chain(x).tobytes()
        again = compiled(x).tobytes() == chain(x).tobytes()
    made = sum(len(one.kernels) for one in found if hasattr(one, "kernels"))
    if not (same and again):
        yield Finding("trial", "a kernel gave other bits than NumPy: please report it", False)
    elif made == 0:
        yield Finding("trial", "no kernel was made; see above", False)
    else:
        took = perf_counter() - started
        yield Finding("trial", f"NumPy's bits; trying the compiler and compiling took {took:.1f} s")


LOOKS: tuple[Callable[[Config], Iterator[Finding]], ...] = (
    *(settings, numpy, compiler, threads, folder, memory, switch, trial),
)
