"""A block of a kernel → its C text: one loop for a run of steps, or one call of a NumPy inner loop.

A value lives in a register inside a run. What a later block or the caller needs is stored: into the
result's own memory, else into a buffer whose slot is used again after its last reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from jitcore.kernels.body import BodyStep, Constant, Table
from jitcore.kernels.emit.buffers import Block, Kernel
from jitcore.kernels.emit.c_lines import Text
from jitcore.kernels.emit.fp_liveness import SINKS, sink
from jitcore.kernels.emit.reductions import BUFFERED
from jitcore.kernels.emit.register_tile import pieces
from jitcore.kernels.emit.skip_unselected import needed
from jitcore.kernels.iteration_space import StrideClass
from jitcore.toolchain.abi import c_type


def stored_dtype(kernel: Kernel, var: int) -> np.dtype[Any]:
    """The type of what is stored for this variable."""
    fold = kernel.folds.get(var)
    return kernel.program.vars[var].dtype if fold is None else fold.stored


def emit_call(kernel: Kernel, block: Block, text: Text) -> None:
    """Flags are read before the call, since some of NumPy's loops clear them."""
    (step,) = block.steps
    places = [kernel.places[var] for var in (*step.args, *step.outs)]
    text.open("{")
    text(f"char *const a[] = {{{', '.join(place.pointer for place in places)}}};")
    text(f"const i64 s[] = {{{', '.join(place.step for place in places)}}};")
    text("const i64 count = m;")  # the address of m itself would hide how often the runs go round
    call(kernel, step, text)
    text.close()


def call(kernel: Kernel, step: BodyStep, text: Text) -> None:
    calls = (other for other in kernel.program.steps if other.inner)
    number = next(k for k, other in enumerate(calls) if other is step)
    text("status |= rt_flags();")
    words = f"loop[{number}].context, a, &count, s, loop[{number}].aux"
    text(f"if (loop[{number}].fn({words}) < 0)", step.outs[0])
    text("    return RT_ERROR;")


def emit_run(kernel: Kernel, block: Block, text: Text) -> None:
    inside, made = block.reads - block.makes, block.makes
    shared = {var: out for var, out in kernel.program.shared.items() if out in made}
    text.open("{")
    for var in sorted(inside - shared.keys()):
        declare_source(kernel, var, text)
    for var in sorted(made & kernel.stored):
        declare_target(kernel, var, text)
    if any(step.within for step in block.steps):
        text("int outside = 0;")
    sunk = sorted(made & kernel.sunk)
    kinds = sorted({SINKS[kernel.program.vars[var].dtype.char][0] for var in sunk})
    for kind in kinds:
        text(f"{kind.replace('f', 'u')} sink_{kind} = 0;")
    mask = kernel.mask(block)
    if mask is not None:
        text("u8 some = 0;")
        emit_loop(kernel, needed(block.steps, mask), shared, text, mask)
        text.open("if (some) {")
    for piece in ways_through(kernel, block):
        emit_loop(kernel, block.steps, shared, text, piece=piece)
    if mask is not None:
        text.close()
    for kind in kinds:
        text(f'__asm__ volatile("" :: "r"(sink_{kind}));')
    for var in sorted(made & kernel.folds.keys()):
        if kernel.places[var].walk is StrideClass.STILL:
            kind, place = kernel.folds[var].kind, kernel.places[var]
            text(f"*({kind} *){place.pointer} = r{var};")
    if any(step.within for step in block.steps):
        text("status |= outside ? RT_DOUBT : 0;")
    text.close()


ALL = ("0", "m")


def ways_through(kernel: Kernel, block: Block) -> Iterable[tuple[str, str]]:
    """From where to where loops go."""
    if not kernel.held:
        return [ALL]
    widest = max(kernel.program.vars[out].dtype.itemsize for out in block.makes)
    return [(str(first), str(end)) for first, end in pieces(kernel.held, widest)]


def emit_loop(
    kernel: Kernel,
    steps: Sequence[BodyStep],
    shared: Mapping[int, int],
    text: Text,
    mask: int | None = None,
    piece: tuple[str, str] = ALL,
) -> None:
    """The elements of a chunk, one after the other; is `some` of this mask true?"""
    made = {out for step in steps for out in step.outs}
    asked = set() if mask is None else {mask}
    read = {arg for step in steps for arg in step.args} | asked
    read -= made
    if kernel.held:
        text("RT_AS_IT_IS")
    text("RT_INDEPENDENT")
    text.open(f"for (i64 i = {piece[0]}; i < {piece[1]}; i++) {{")
    for var in sorted(read):
        source = f"y{shared[var]}" if var in shared else f"x{var}"
        text.each(load(kernel, var, source, shared.get(var, var)), var)
    for step in steps:
        compute(kernel, step, text)
    for var in sorted(made & kernel.sunk):
        text(sink(var, kernel.program.vars[var].dtype.char))
    if mask is not None:
        text(f"some |= {name(kernel, mask)} != 0;")
    text.close()


def declare_source(kernel: Kernel, var: int, text: Text) -> None:
    if isinstance(kernel.program.vars[var], Constant):
        return
    place, kind = kernel.places[var], c_type(kernel.program.vars[var].dtype)
    if isinstance(kernel.program.vars[var], Table):
        text(f"const char *restrict x{var} = {place.pointer};")
    elif place.walk is StrideClass.STILL:
        text(f"const {kind} v{var} = *(const {kind} *){place.pointer};", var)
    elif place.walk is StrideClass.UNIT:
        text(f"const {kind} *restrict x{var} = (const {kind} *){place.pointer};")
    else:
        text(f"const char *restrict x{var} = {place.pointer};")


def declare_target(kernel: Kernel, var: int, text: Text) -> None:
    place, kind = kernel.places[var], c_type(stored_dtype(kernel, var))
    if place.walk is StrideClass.STILL:  # a fold; a loop has one place for it
        text(f"{kind} r{var} = *({kind} *){place.pointer};")
    elif place.walk is StrideClass.UNIT:
        own = f"r{kernel.folds[var].k}" if kernel.held else f"({kind} *){place.pointer}"
        text(f"{kind} *restrict y{var} = {own};")
    else:
        text(f"char *restrict y{var} = {place.pointer};")


def load(kernel: Kernel, var: int, source: str, like: int) -> Iterator[str]:
    """From where that other variable is, if it is another."""
    found = kernel.program.vars[var]
    if isinstance(found, Constant | Table):
        return
    place, kind = kernel.places[like], c_type(found.dtype)
    if place.walk is StrideClass.UNIT:
        yield f"const {kind} v{var} = {source}[i];"
    elif place.walk is StrideClass.STRIDE:
        yield f"const {kind} v{var} = *(const {kind} *)({source} + i * {place.step});"


def name(kernel: Kernel, var: int) -> str:
    match kernel.program.vars[var]:
        case Constant():
            return f"k{var}"
        case Table():
            return f"(x{var} + i * {kernel.places[var].step})"
        case _:
            return f"v{var}"


def compute(kernel: Kernel, step: BodyStep, text: Text) -> None:
    assert step.code is not None
    (out,) = step.outs
    kind = c_type(kernel.program.vars[out].dtype)
    names = [name(kernel, arg) for arg in step.args]
    names += [f"r{out}"] if step.carried else []
    text(f"const {kind} v{out} = {step.code.text.format(*names)};", out)
    if step.within:
        text(f"outside |= !({step.within.format(*names, f'v{out}')});")
    if step.carried:
        text(f"r{out} = v{out};", out)
    if out not in kernel.stored:
        return
    place, fold = target(kernel, out), kernel.folds.get(out)
    made = out if kernel.places[out].walk is StrideClass.STILL else -1
    if fold is None or fold.way in BUFFERED:
        text(f"{place} = v{out};", made)
        return
    first = fold.fold.first
    best = target(kernel, first.best) if first else ""
    text(f"{place} = {fold.combined(place, f'v{out}', best)};", made)


def target(kernel: Kernel, var: int) -> str:
    """Where the loop stores this variable."""
    place, kind = kernel.places[var], c_type(stored_dtype(kernel, var))
    return {
        StrideClass.STILL: f"r{var}",
        StrideClass.UNIT: f"y{var}[i]",
        StrideClass.STRIDE: f"*({kind} *)(y{var} + i * {place.step})",
    }[place.walk]
