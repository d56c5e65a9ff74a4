"""Compilers in turn → the first that keeps to NumPy's bits and flags, with the flags it needs.

Each is tried once: runtime_c/selftest.c has the forms of generated C, one test each, and NumPy says
what comes out and which floating-point flags are raised. A compiler that differs is not used. What
was found is kept on disk, for this compiler, these flags and this processor.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from jitcore import logs
from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.toolchain.abi import FLAGS, SYMBOL, runtime_text
from jitcore.toolchain.c_helpers import QUIET, SELECT, SINK
from jitcore.toolchain.cache_dir import note, recall, remember, say, scratch
from jitcore.toolchain.compiler import FLAGS as ALL_FLAGS
from jitcore.toolchain.compiler import (
    MACHINES,
    PROBE,
    Compiler,
    build,
    build_all,
    compilers,
    fingerprint,
)
from jitcore.toolchain.compiler import machine as machine_here
from jitcore.toolchain.dlopen import Library, dlopen
from jitcore.toolchain.numpy_loops import same_bits
from jitcore.toolchain.retry_cache import believed
from jitcore.toolchain.subprocesses import CompileError

Array = np.ndarray[Any, Any]

# Of selftest.c: the number of the test, x, y and the result, elements → flags.
FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, *[ctypes.c_void_p] * 3, ctypes.c_longlong)
SIZE = 67  # elements: whole vectors, and some more
PLACES = (3, SIZE - 1)  # one in the vectors, one after them
TAKEN = "taken"

# Pairs of operands that raise flags, or come close.
PAIRS: dict[str, tuple[tuple[float, float], ...]] = {
    "d": (
        (1.0, 0.0), (0.0, 0.0), (-0.0, 0.0), (0.0, -0.0), (1e308, 1e308), (-1e308, 1e300),
        (1e-308, 1e-308), (1e-310, 3.0), (5e-324, 2.0), (1e-200, 1e160), (np.inf, np.inf),
        (np.nan, 1.0), (1.0, np.nan), (-1.0, 2.0), (1e300, 1e-20), (1.0, np.inf),
    ),
    "f": (
        (1.0, 0.0), (0.0, 0.0), (-0.0, 0.0), (0.0, -0.0), (3e38, 3e38), (1e-38, 1e-38),
        (1e-40, 3.0), (1e-45, 2.0), (np.inf, np.inf), (np.nan, 1.0), (1.0, np.nan), (-1.0, 2.0),
    ),
    "i": ((2**31 - 1, 1), (-(2**31), -1), (2**31 - 1, 2**31 - 1), (65536, 65536)),
    "b": ((127, 1), (-128, -1), (-128, -128)),
    "q": ((2**63 - 1, 1), (-(2**63), -1), (2**63 - 1, 2**63 - 1)),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Test:
    """One function of selftest.c, by its place there."""

    name: str
    dtype: str
    means: Callable[[Any, Any], Any]
    result: str = ""  # if another type


def in_order(ufunc: np.ufunc, x: Array, y: Array) -> Array:
    """The fold of x[0] with the products after it."""
    values = np.concatenate([x[:1], x[1:] * y[1:]])
    folded: Array = ufunc.accumulate(values)[-1:]
    return folded


TESTS = (
    Test("x + y", "d", lambda x, y: x + y),
    Test("x - y", "d", lambda x, y: x - y),
    Test("x * y", "d", lambda x, y: x * y),
    Test("x / y", "d", lambda x, y: x / y),
    Test("x + y", "f", lambda x, y: x + y),
    Test("x - y", "f", lambda x, y: x - y),
    Test("x * y", "f", lambda x, y: x * y),
    Test("x / y", "f", lambda x, y: x / y),
    Test("sqrt(x) * y", "d", lambda x, y: np.sqrt(x) * y),
    Test("sqrt(x) * y", "f", lambda x, y: np.sqrt(x) * y),
    Test("x * y + x * x - y / 3", "d", lambda x, y: x * y + x * x - y / 3.0),
    Test("x * y + x * x - y / 3", "f", lambda x, y: x * y + x * x - y / np.float32(3)),
    Test("(x + 0) * y", "d", lambda x, y: (x + 0.0) * y),
    Test("0 - x + -y", "d", lambda x, y: 0.0 - x + -y),
    Test("fabs(x) - y", "d", lambda x, y: np.fabs(x) - y),
    Test("float(x * y)", "d", lambda x, y: (x * y).astype("f"), "f"),
    Test("double(x) * double(y)", "f", lambda x, y: x.astype("d") * y.astype("d"), "d"),
    Test("x < y", "d", lambda x, y: x < y, "?"),
    Test("x < y", "f", lambda x, y: x < y, "?"),
    Test("x == y", "d", lambda x, y: x == y, "?"),
    Test("x < y ? x : y", "d", lambda x, y: np.where(x < y, x, y)),
    Test("x < y ? x / y : x * y", "d", lambda x, y: np.where(x < y, x / y, x * y)),
    Test("x < y ? x / y : x * y", "f", lambda x, y: np.where(x < y, x / y, x * y)),
    Test("x < 0.5 ? sqrt(x) : -0", "d", lambda x, y: np.where(x < 0.5, np.sqrt(x), -0.0)),
    Test("x / y, not read", "d", lambda x, y: (x / y, x)[1]),
    Test("x / y, not read", "f", lambda x, y: (x / y, x)[1]),
    Test("x < x ? x / y : y", "d", lambda x, y: (x / y, y)[1]),
    Test("x / y < x / y", "d", lambda x, y: (x / y, np.zeros_like(x))[1]),
    Test("x + y", "i", lambda x, y: x + y),
    Test("x * y", "i", lambda x, y: x * y),
    Test("x + y", "b", lambda x, y: x + y),
    Test("x * y", "q", lambda x, y: x * y),
    Test("x + 1 > x", "q", lambda x, y: x + 1 > x, "?"),
    Test("sum of x * y, in order", "d", lambda x, y: in_order(np.add, x, y)),
    Test("sum of x * y, in order", "f", lambda x, y: in_order(np.add, x, y)),
    Test("product of x * y, in order", "d", lambda x, y: in_order(np.multiply, x, y)),
    Test("product of x * y, in order", "f", lambda x, y: in_order(np.multiply, x, y)),
)


# Compiled side by side: the longest wait of a first run.
PARTS = (TESTS[:19], TESTS[19:])


@dataclass(frozen=True, slots=True)
class Chosen:
    """A compiler that passed."""

    compiler: Compiler
    flags: tuple[str, ...]


@believed()
def chosen(named: str, hinted: str, folder: Path | None) -> Chosen | None:
    """The first compiler that passes (see compiler.py). Why another does not is said once:
    a warning, if none passes."""
    refused: dict[str, str] = {}
    found = None
    for compiler in compilers(named, hinted):
        try:
            found = Chosen(compiler, proven_flags(compiler, folder))
            break
        except CompileError as error:
            text = f"the C compiler {compiler.path} is not used: {error}"
            refused[f"compiler {compiler.path}"] = text
    for kind, text in refused.items():
        if found is None:
            say(kind, text)
        else:
            note(kind, text, logs.kernels)
    if found is None and not refused:
        say(
            "compiler",
            f"no C compiler found{f' ({named})' if named else ''}: kernels run as NumPy calls",
        )
    return found


@cache
def proven_flags(compiler: Compiler, folder: Path | None) -> tuple[str, ...]:
    """The first flags for this machine with which the compiler passes; CompileError: none."""
    error = CompileError("no flags")
    for flags in dict.fromkeys(MACHINES[machine_here()]):
        try:
            wrong = verdict(compiler, flags, folder)
        except CompileError as refusal:
            error = refusal if str(error) == "no flags" else error
            continue
        if not wrong:
            return flags
        error = CompileError(f"it gets {wrong} wrong")
    raise error


@believed()
def fast(by: Chosen, folder: Path | None) -> Chosen | None:
    """The same compiler told to be fast, with the first flags for this machine that it takes."""
    compiler = replace(by.compiler, numerics="fast")
    sets = dict.fromkeys(ALL_FLAGS["fast"].machines[machine_here(widest=True)])
    for flags in sets:
        key = "\0".join((fingerprint(compiler), *flags, PROBE))
        known = recall(folder, key) == TAKEN
        if known or takes(compiler, flags):
            if not known:  # a refusal may be that of a full disk: it is not kept
                remember(folder, key, TAKEN)
            return Chosen(compiler, flags)
    return None


def takes(compiler: Compiler, flags: tuple[str, ...]) -> bool:
    try:
        with scratch() as ours:
            build(compiler, flags, PROBE, ours / "probe.so")
    except TimeoutError:  # of an alarm that the program has set
        raise
    except (OSError, CompileError):
        return False
    return True


def verdict(compiler: Compiler, flags: tuple[str, ...], folder: Path | None) -> str:
    """The test that failed, or nothing; from an earlier process, or found now."""
    texts = sources()
    key = "\0".join((fingerprint(compiler), np.__version__, *flags, *texts, repr(PAIRS)))
    kept = recall(folder, key)
    if kept is None:
        kept = tried(compiler, flags, texts)
        remember(folder, key, kept)
    return kept


def sources() -> tuple[str, ...]:
    text = (Path(__file__).parent.parent / "runtime_c" / "selftest.c").read_text(encoding="utf-8")
    common = "\n".join((runtime_text(), QUIET, SELECT, SINK, PROBE, text))
    return tuple(f"#define PART {part}\n{common}" for part in range(len(PARTS)))


@cache
def tried(compiler: Compiler, flags: tuple[str, ...], texts: tuple[str, ...]) -> str:
    try:
        with scratch() as folder:
            targets = [folder / f"selftest{part}.so" for part in range(len(texts))]
            build_all(compiler, flags, dict(zip(targets, texts, strict=True)))
            libraries = [dlopen(target, SYMBOL) for target in targets]
    except TimeoutError:  # of an alarm that the program has set
        raise
    except OSError as error:
        raise CompileError(str(error)) from error
    return next(failures(libraries), "")


def failures(libraries: Sequence[Library]) -> Iterator[str]:
    """The tests that give other bits or flags than NumPy."""
    for library, tests in zip(libraries, PARTS, strict=True):
        function = FUNCTION(library.address)
        for number, test in enumerate(tests):
            for x, y in operands(test.dtype):
                want, raised = by_numpy(test, x, y)
                got = np.zeros_like(want)
                flags = function(number, *(one.ctypes.data for one in (x, y, got)), x.size)
                if flags != raised or not same_bits(got, want):
                    yield f"{test.name} ({np.dtype(test.dtype)})"
                    break


def operands(char: str) -> Iterator[tuple[Array, Array]]:
    """Calm ones of several lengths, and each pair among calm ones."""
    x, y = calm(char, 1), calm(char, 2)
    for size in (1, 2, 5, 8, 31, SIZE):
        yield x[:size], y[:size]
    for place in PLACES:
        for one, two in PAIRS[char]:
            x, y = calm(char, 1), calm(char, 2)
            x[place], y[place] = one, two
            yield x, y


def calm(char: str, seed: int) -> Array:
    """Values between 1 and 2, or small integers: multiples of the golden ratio, modulo 1."""
    near = np.arange(seed, seed + SIZE) * seed * 0.6180339887498949 % 1.0
    return (near * 7).astype(char) if np.dtype(char).kind == "i" else (near + 1).astype(char)


def by_numpy(test: Test, x: Array, y: Array) -> tuple[Array, int]:
    """The result, and the flags that NumPy finds raised."""
    raised = 0

    def note(kind: str, mask: int) -> None:
        nonlocal raised
        raised |= next(bit for name, bit in FLAGS.items() if kind.startswith(name))

    with np.errstate(all="call", call=note):
        result = np.asarray(test.means(x, y))
    return result.astype(test.result or test.dtype), raised
