"""C text → assembly, looked through for fused multiply-add → a shared library.

gcc 12 fuses alternating additions and subtractions into vfmaddsub although -ffp-contract=off
forbids it, so flags alone prove nothing: the probe below picks flags, and the assembly of every
kernel is searched again. Assembly goes through memory; nothing but the library is written here.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy._core._multiarray_umath import __cpu_features__  # type: ignore[import-not-found]

SECONDS = 120.0

# -O3 for the loops. Traps stay honoured (the default): NumPy reports flags, so arithmetic may not
# be dropped or invented. errno would keep sqrt a call. Signed overflow wraps, as NumPy's does.
COMMON = (
    "-std=gnu11",
    "-O3",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-math-errno",
    "-fsignaling-nans",
    "-ffp-contract=off",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-asynchronous-unwind-tables",
    "-fno-stack-protector",
    "-w",
)
LINK = ("-shared", "-nostdlib")

# Sets of further flags, best first; the first one that compiles the probe without FMA is used.
# clang knows neither -fsignaling-nans nor, off x86, -mno-fma.
MACHINES: dict[str, tuple[tuple[str, ...], ...]] = {
    "avx2": (("-mavx2", "-mf16c", "-mno-fma", "-mno-fma4", "-mno-avx512f"),),
    "x86_64": (("-msse2", "-mno-fma"), ()),
    "": ((),),
}

FUSED = re.compile(
    r"^\s*(vfn?m(?:add|sub)\w*|fn?m(?:add|sub|la|ls)\w*|vfm[as]\w*|xvn?m(?:add|sub)\w*)\s",
    re.MULTILINE,
)

PROBE = """
void probe(long n, const double *a, const double *b, const double *c, double *out)
{
    for (long i = 0; i + 1 < n; i += 2) {
        out[i] = a[i] * b[i] - c[i];
        out[i + 1] = a[i + 1] * b[i + 1] + c[i + 1];
    }
}
void probe_complex(long n, const double *a, const double *b, double *out)
{
    for (long i = 0; i < n; i++) {
        double x = a[2 * i], y = a[2 * i + 1], u = b[2 * i], v = b[2 * i + 1];
        out[2 * i] = x * u - y * v;
        out[2 * i + 1] = x * v + y * u;
    }
}
"""


class CompileError(Exception):
    """The C compiler refused, died, was not there, or made code that rounds otherwise."""


@dataclass(frozen=True, slots=True)
class Compiler:
    path: str
    extra: tuple[str, ...]  # words after the compiler's name in CC
    identity: str  # changes when the compiler does

    @property
    def command(self) -> tuple[str, ...]:
        return (self.path, *self.extra)


def candidates(named: str) -> list[str]:
    """Commands to try: the user's own choice alone, or the usual ones."""
    if named:
        return [named]
    return [str(sysconfig.get_config_var("CC") or ""), "cc", "gcc", "clang"]


@cache
def find(named: str) -> Compiler | None:
    """The compiler called `named` (a command, maybe with flags), or the system's one for ''."""
    for command in candidates(named):
        words = command.split()
        path = shutil.which(words[0]) if words else None
        if path is None:
            continue
        real = os.path.realpath(path)
        stat = os.stat(real)
        identity = f"{real} {stat.st_size} {stat.st_mtime_ns} {' '.join(words[1:])}"
        return Compiler(path, tuple(words[1:]), identity)
    return None


def cpu() -> dict[str, bool]:
    """NumPy's view of the processor: what its own loops were picked by."""
    features: dict[str, bool] = __cpu_features__
    return features


def machine() -> str:
    """Which row of MACHINES fits this processor."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return ""
    return "avx2" if cpu().get("AVX2") and cpu().get("F16C") else "x86_64"


@cache
def processor() -> str:
    """What of it NumPy and jitcore pick code by."""
    on = " ".join(name for name, there in sorted(cpu().items()) if there)
    return f"{platform.machine()} {on}"


def fingerprint(compiler: Compiler) -> str:
    """Everything besides the source that the library depends on."""
    return "\n".join(
        (
            compiler.identity,
            " ".join(COMMON + LINK),
            str(MACHINES),
            processor(),
            np.__version__,
        )
    )


def run(command: tuple[str, ...], text: str) -> str:
    """The standard output of `command` fed with `text`; CompileError unless it exits with 0."""
    try:
        done = subprocess.run(
            command,
            input=text,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except TimeoutError:  # of an alarm that the program has set
        raise
    except (OSError, subprocess.SubprocessError) as error:
        raise CompileError(f"{command[0]}: {error}") from error
    if done.returncode != 0:
        raise CompileError(f"{command[0]} exit {done.returncode}: {done.stderr.strip()[:2000]}")
    return done.stdout


def fused(assembly: str) -> str | None:
    """The first fused multiply-add in the text, if any."""
    found = FUSED.search(assembly)
    return found.group(1) if found else None


def assembly(compiler: Compiler, flags: tuple[str, ...], source: str) -> str:
    """`source` compiled to assembly that rounds after every operation."""
    text = run((*compiler.command, *COMMON, *flags, "-S", "-x", "c", "-", "-o", "-"), source)
    bad = fused(text)
    if bad is not None:
        raise CompileError(f"{compiler.path} emits {bad} although told not to")
    return text


@cache
def proven_flags(compiler: Compiler) -> tuple[str, ...]:
    """The first flags for this machine with which the compiler rounds as IEEE 754 says."""
    error = CompileError("no flags")
    for flags in (*MACHINES[machine()], ()):
        try:
            assembly(compiler, flags, PROBE)
        except CompileError as refusal:
            error = refusal
        else:
            return flags
    raise error


def build(compiler: Compiler, source: str, target: Path) -> None:
    """Compile `source` into the shared library `target`; CompileError where that cannot be."""
    text = assembly(compiler, proven_flags(compiler), source)
    run((*compiler.command, *LINK, "-x", "assembler", "-", "-o", str(target)), text)
