"""numerics="fast": NumPy's loops of mathematical functions → calls of the C library's vector ones,
NumPy's order of sums → one for vectors.

    v5 = exp(v4)        a call of NumPy's loop on a chunk in L1
    v5 = exp(v4)        C, which the compiler turns into _ZGVeN8v_exp on eight elements at once

    r.sum()             by leaves of 128, eight sums side by side
    r.sum()             by leaves of 1024, four vectors of sums side by side: emit/reductions.py

glibc's libmvec has them on x86-64, more with each release. A program whose functions are all C has
no chunks and no buffers. Bounds of the errors stand in docs/numerics.md, measured by tools/ulps.py.
"""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Mapping
from enum import Enum
from functools import cache

from jitcore.config import Numerics
from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.ir.c_expression import OPERANDS, CExpression, CKind
from jitcore.ir.graph import Node
from jitcore.kernels.body import BodyStep, KernelBody
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.store_rules import written_last
from jitcore.toolchain.compiler import cpu, machine

LIBRARY = "libmvec.so.1"

# How a vector function is called after the instructions that it is made of: doubles, floats.
PREFIXES: Mapping[str, tuple[str, str]] = {
    "avx512": ("_ZGVeN8", "_ZGVeN16"),
    "avx2": ("_ZGVdN4", "_ZGVdN8"),
    "x86_64": ("_ZGVbN2", "_ZGVbN4"),
}


class Gain(Enum):
    """Where a vector function is the faster, if NumPy has a loop in AVX-512 instructions."""

    ALWAYS = "always"
    SHORT = "short"  # as fast; what it saves is buffers, where the loop has few other steps
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class CFunction:
    """A function of the C library."""

    name: str
    gain: Gain = Gain.SHORT
    operands: int = 1


SHORT = 16  # steps; calls in longer loops wait for each other

# Ufunc → function. NumPy without AVX-512 loops calls the scalar functions: there all of them gain.
FUNCTIONS: Mapping[str, CFunction] = {
    **{name: CFunction(name) for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p")},
    "sin": CFunction("sin", Gain.ALWAYS),
    "cos": CFunction("cos", Gain.ALWAYS),
    "tan": CFunction("tan"),
    "arcsin": CFunction("asin"),
    "arccos": CFunction("acos"),
    "arctan": CFunction("atan"),
    "sinh": CFunction("sinh", Gain.NEVER),
    "cosh": CFunction("cosh"),
    "tanh": CFunction("tanh", Gain.NEVER),
    "arcsinh": CFunction("asinh", Gain.NEVER),
    "arccosh": CFunction("acosh", Gain.NEVER),
    "arctanh": CFunction("atanh"),
    "cbrt": CFunction("cbrt", Gain.NEVER),
    "power": CFunction("pow", Gain.NEVER, 2),
    "arctan2": CFunction("atan2", Gain.SHORT, 2),
    "hypot": CFunction("hypot", Gain.ALWAYS, 2),
}


def as_asked(step: Node | FusionGroup, numerics: Numerics) -> Node | FusionGroup:
    """A step of a plan, computed as numerics asks."""
    if numerics == "exact" or not isinstance(step, FusionGroup):
        return step
    return replace(step, program=faster(step.program))


def faster(program: KernelBody) -> KernelBody:
    """With C in the place of NumPy's loops, where that is the faster, and with loose sums."""
    gains = set(Gain)
    if cpu().get("AVX512_SKX"):
        gains = {Gain.ALWAYS, Gain.SHORT} if len(program.steps) <= SHORT else {Gain.ALWAYS}
    steps = [calling(step, gains) for step in program.steps]
    folds = {var: replace(fold, loose=fold.pairwise) for var, fold in program.folds.items()}
    changed = replace(program, steps=steps, folds=folds)
    late = any(not written_last(changed, out) for out in set(program.shared.values()))
    return replace(program, folds=folds) if late else changed


def calling(step: BodyStep, gains: Collection[Gain]) -> BodyStep:
    """The step with a call of a vector function, if there is one that is worth it."""
    if step.inner is None:
        return step
    chars = {dtype.char for dtype in step.inner.dtypes}
    function = FUNCTIONS.get(step.inner.ufunc.__name__)
    if function is None or function.gain not in gains or len(chars) > 1:
        return step
    (char,) = chars
    if char not in "fd" or not is_there(function, char):
        return step
    name, operands = name_of(function, char), ", ".join(OPERANDS[: function.operands])
    return BodyStep(step.args, step.outs, CExpression(f"{name}({operands})", CKind.LIBRARY, name))


def name_of(function: CFunction, char: str) -> str:
    return function.name + ("f" if char == "f" else "")


@cache
def is_there(function: CFunction, char: str) -> bool:
    """Has the C library it in vectors of this processor?"""
    prefixes = PREFIXES.get(machine(widest=True))
    try:
        vectors = ctypes.CDLL(LIBRARY)
    except OSError:
        return False
    if prefixes is None:
        return False
    symbol = f"{prefixes[char == 'f']}{'v' * function.operands}_{name_of(function, char)}"
    return hasattr(vectors, symbol)


def declarations(program: KernelBody) -> str:
    """Of the functions that the program calls, at the head of the source."""
    called = {step.code.calls for step in program.steps if step.code}
    lines = [
        f"RT_VECTOR {kind} {name}({', '.join([kind] * function.operands)});"
        for function in FUNCTIONS.values()
        for name, kind in ((function.name, "double"), (function.name + "f", "float"))
        if name in called
    ]
    return "\n".join([VECTOR, *lines, ""]) if lines else ""


VECTOR = """#if defined(__clang__)
#define RT_VECTOR
#else
#define RT_VECTOR __attribute__((simd("notinbranch"), const))
#endif"""
