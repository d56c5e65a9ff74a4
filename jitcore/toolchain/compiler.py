"""C text → assembly, looked through for fused multiply-add → a shared library.

gcc 12 fuses alternating additions and subtractions into vfmaddsub although -ffp-contract=off
forbids it, so flags alone prove nothing: selftest.py picks among the sets below, and the assembly
of every kernel is searched again.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from jitcore.config import Numerics
from jitcore.host.fast_dataclass import dataclass
from jitcore.host.private_names import cpu_features
from jitcore.toolchain.cache_dir import scratch
from jitcore.toolchain.subprocesses import CompileError, run, run_all

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
    "-g0",  # zig's default is to say where all comes from
    "-w",
)
LINK = ("-shared", "-nostdlib")

# For a text so long that what -O3 adds takes the compiler several times as long.
QUICK = ("-O1", "-ftree-loop-vectorize")

# Sets of further flags, best first; the first one with which the compiler passes is used. clang
# knows neither -fsignaling-nans nor, off x86, -mno-fma. Told to be strict it makes no vector code;
# without, it may drop and invent flags, though not in the C that is emitted here.
STRICT = "-ffp-exception-behavior=strict"
AVX2 = ("-mavx2", "-mf16c", "-mno-fma", "-mno-fma4", "-mno-avx512f")
MACHINES: dict[str, tuple[tuple[str, ...], ...]] = {
    "avx2": (AVX2, (), (*AVX2, STRICT)),
    "x86_64": (("-msse2", "-mno-fma"), (), ("-msse2", "-mno-fma", STRICT)),
    "": ((), (STRICT,)),
}

# numerics="fast": fused multiply-adds and the C library's vector functions (kernels/fast_math.py),
# which gcc knows by their declarations, clang by a flag. No part of -ffast-math that takes meaning
# from NaNs, infinities, the sign of zeros or floating-point flags.
_AVX2 = ("-mavx2", "-mfma", "-mf16c")
_AVX512 = (*_AVX2, *("-mavx512f", "-mavx512dq", "-mavx512bw", "-mavx512vl"))
_WIDE = (*_AVX512, "-mprefer-vector-width=512")
_VECLIB = "-fveclib=libmvec"
FAST_MACHINES: dict[str, tuple[tuple[str, ...], ...]] = {
    "avx512": ((*_WIDE, _VECLIB), _WIDE, _AVX2, ()),
    "avx2": ((*_AVX2, _VECLIB), _AVX2, ()),
    "x86_64": (("-msse2",), ()),
    "": ((),),
}
EXACT_ONLY = ("-fsignaling-nans", "-ffp-contract=off")


@dataclass(frozen=True, slots=True)
class Flags:
    """What numerics asks of the compiler."""

    common: tuple[str, ...]
    machines: dict[str, tuple[tuple[str, ...], ...]]
    libraries: tuple[str, ...]
    rounds: bool  # after every operation: no fused instruction


FLAGS: dict[Numerics, Flags] = {
    "exact": Flags(COMMON, MACHINES, (), True),
    "fast": Flags(
        (*(flag for flag in COMMON if flag not in EXACT_ONLY), "-ffp-contract=fast"),
        FAST_MACHINES,
        ("-lm",),
        False,
    ),
}

# Of assembly: what a compiler has made of the C is nowhere else to be had.
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


@dataclass(frozen=True, slots=True)
class Compiler:
    path: str
    extra: tuple[str, ...]  # words after the compiler's name in CC
    identity: str  # changes when the compiler does
    numerics: Numerics = "exact"

    @property
    def command(self) -> tuple[str, ...]:
        return (self.path, *self.extra)


def compilers(named: str, hinted: str = "") -> Iterator[Compiler]:
    """Those that are there, in turn: the one that the user names for jitcore alone, or the usual
    ones, after them the one that the ziglang wheel brings."""
    seen: set[str] = set()
    for command in [named] if named else [hinted, "cc", "gcc", "clang"]:
        words = command.split()
        path = which(words[0]) if words else None
        if path is not None:
            yield from unseen(path, tuple(words[1:]), seen)
    if not named and (zig := zig_path()) is not None:
        yield from unseen(zig, ("cc",), seen)


def which(name: str, folders: str | None = None) -> str | None:
    """As shutil.which, whose module loads compressors. A folder of the search path that hangs on
    where the program stands is passed by."""
    given = os.environ.get("PATH", os.defpath) if folders is None else folders
    paths = [path for path in given.split(os.pathsep) if os.path.isabs(path)]
    for path in [""] if os.path.dirname(name) else paths:
        found = os.path.join(path, name)
        if os.path.isfile(found) and os.access(found, os.X_OK):
            return found
    return None


def unseen(path: str, extra: tuple[str, ...], seen: set[str]) -> Iterator[Compiler]:
    real = os.path.realpath(path)
    stat = os.stat(real)
    identity = f"{real} {stat.st_size} {stat.st_mtime_ns} {' '.join(extra)}"
    if identity not in seen:
        seen.add(identity)
        yield Compiler(path, extra, identity)


def zig_path() -> str | None:
    """The program in the ziglang wheel (the extra `jitcore[compiler]`)."""
    spec = find_spec("ziglang")
    for folder in spec.submodule_search_locations or () if spec is not None else ():
        found = which("zig", folder)
        if found is not None:
            return found
    return None


def find(named: str) -> Compiler | None:
    """The first of them, whether it works or not."""
    return next(compilers(named), None)


def cpu() -> dict[str, bool]:
    """NumPy's view of the processor: what its own loops were picked by."""
    features: dict[str, bool] = cpu_features
    return features


def machine(widest: bool = False) -> str:
    """Which row of MACHINES fits this processor; `widest`: of FAST_MACHINES."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return ""
    if widest and cpu().get("AVX512_SKX"):
        return "avx512"
    return "avx2" if cpu().get("AVX2") and cpu().get("F16C") else "x86_64"


@cache
def processor() -> str:
    """What of it NumPy and jitcore pick code by."""
    on = " ".join(name for name, there in sorted(cpu().items()) if there)
    return f"{platform.machine()} {on}"


def fingerprint(compiler: Compiler) -> str:
    """Everything besides the source that the library depends on."""
    asked = FLAGS[compiler.numerics]
    return "\n".join(
        (
            compiler.identity,
            " ".join(asked.common + QUICK + LINK + asked.libraries),
            processor(),
        )
    )


def fused(assembly: str) -> str | None:
    """The first fused multiply-add in the text, if any."""
    found = FUSED.search(assembly)
    return found.group(1) if found else None


def assembly(compiler: Compiler, flags: tuple[str, ...], sources: Mapping[Path, str]) -> list[str]:
    """Each source compiled to assembly, left in its file, side by side; it rounds after every
    operation, if it must."""
    asked = FLAGS[compiler.numerics]
    jobs = []
    for target, source in sources.items():
        words = ("-S", "-x", "c", "-", "-o", str(target))  # zig knows no "-o -"
        jobs.append(((*compiler.command, *asked.common, *flags, *words), source))
    run_all(jobs, next(iter(sources)).parent)
    texts = [target.read_text() for target in sources]
    bad = next(filter(None, map(fused, texts)), None)
    if bad is not None and asked.rounds:
        raise CompileError(f"{compiler.path} emits {bad} although told not to")
    return texts


def build(compiler: Compiler, flags: tuple[str, ...], source: str, target: Path) -> None:
    """Compile `source` into the shared library `target`; CompileError where that cannot be, OSError
    where nothing can be written beside it."""
    build_all(compiler, flags, {target: source})


def build_all(compiler: Compiler, flags: tuple[str, ...], sources: Mapping[Path, str]) -> None:
    """Several that stand in one folder, side by side."""
    with scratch(next(iter(sources)).parent) as folder:
        made = {folder / f"{target.stem}.s": target for target in sources}
        texts = zip(made, sources.values(), strict=True)
        assembly(compiler, flags, dict(texts))
        for text, target in made.items():
            words = ("-x", "assembler", str(text), "-o", str(target))
            run((*compiler.command, *LINK, *words, *FLAGS[compiler.numerics].libraries), "", folder)
