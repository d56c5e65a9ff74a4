"""What tools/weight.py counts: a row for each recogniser and each routine for one shape of program.

`seen`: functions of jitcore, "module:function". `applied`: did this call do it? It gets the result,
the arguments, and how many lines of C the writer (the first argument) had before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Applied = Callable[[Any, Any, int], bool]


def always(*_: Any) -> bool:
    return True


def some(result: Any, *_: Any) -> bool:
    """Neither None nor empty."""
    return bool(result)


def found(result: Any, *_: Any) -> bool:
    return result is not None


def grew(_: Any, args: Any, before: int) -> bool:
    return len(args[0].lines) > before


def differs(result: Any, args: Any, *_: Any) -> bool:
    return [*map(id, result)] != [*map(id, args[0])]


def by_call(*names: str) -> Applied:
    return lambda node, args, _: node is not args[0] and args[0].op.name in names


def of_form(name: str) -> Applied:
    return lambda form, *_: form is not None and form.__module__ == f"jitcore.loops.forms.{name}"


def loop_with(part: Callable[[Any], Any]) -> Applied:
    return lambda loop, *_: loop is not None and bool(part(loop))


def sequences(loop: Any) -> bool:
    return any(port[0] in "LTUBYuGn" for port in loop.facts[1])


@dataclass(frozen=True)
class Row:
    name: str  # of its files, with * and {…}
    what: str
    seen: str
    applied: Applied

    def files(self, root: Path) -> Iterator[Path]:
        for part in self.name.split():
            yield from sorted((root if part.startswith("csrc") else root / "jitcore").glob(part))


WAVES, STRIPS = "loops.transform.wavefront:rows", "loops.transform.strip_mine_driver:rounds"
JAM, BEST = "loops.transform.unroll_and_jam_c:rounds", "loops.transform.minmax:rounds"
ROUTINE, FORM, IN_C = (
    "loops.build_loop:routine",
    "loops.forms.scalars:form_of",
    "passes.replace_calls:in_c",
)
T, P, K, E, F = (
    "loops/transform/",
    "passes/",
    "kernels/chains/",
    "kernels/emit/",
    "loops/forms/",
)

ROWS = (
    Row(f"{T}versioning.py", "several iterations at once, with a fallback to one by one",
        f"{WAVES} {STRIPS} {JAM} {BEST}", grew),
    Row(f"{T}doall.py csrc/loop/doall.*", "DOALL parallel loop", ROUTINE,
        loop_with(lambda loop: loop.more[2])),
    Row(f"{T}loop_nest.py {T}skew.py {T}wavefront.py", "skewing, wavefront", WAVES, grew),
    Row(f"{T}strip_mine*.py csrc/loop/blocks.*", "strip mining, interchange", STRIPS, grew),
    Row(f"{T}unroll_and_jam*.py", "unroll-and-jam", JAM, grew),
    Row(f"{T}minmax.py", "vectorised max/min reduction of ints", BEST, grew),
    Row(f"{T}forward_stores.py", "store-to-load forwarding in a recurrence",
        "loops.transform.forward_stores:latest", found),
    Row(f"{T}dots.py csrc/numpy/blas_dot*", "dot product in the BLAS's order",
        "loops.transform.dots:product", always),
    Row(f"{T}batch_products.py", "dot products of later iterations, computed early",
        "loops.transform.dots:look_ahead", always),
    Row(f"{T}batch_gemv.py csrc/numpy/blas_gemv.*", "vector-matrix products of several iterations",
        "loops.transform.batch_gemv:look_ahead", always),
    Row(f"{F}arithmetic.py", "lowering: checked arithmetic", FORM, of_form("arithmetic")),
    Row(f"{F}comparisons.py", "lowering: comparisons", FORM, of_form("comparisons")),
    Row(f"{F}elements.py", "lowering: elements", FORM, of_form("elements")),
    Row(f"{F}functions.py", "lowering: conversions, math", FORM, of_form("functions")),
    Row(f"{F}scalars.py", "lowering: ranges", FORM, of_form("scalars")),
    Row(f"{F}slices.py", "lowering: slice bounds", FORM, of_form("slices")),
    Row(f"{F}ufuncs.py", "lowering: ufuncs of numbers", "loops.forms.ufuncs:ufunc_form", always),
    Row("csrc/loop/loop.* csrc/loop/read.c csrc/loop/def.h", "native loop", ROUTINE, found),
    Row("csrc/loop/call_out*", "call-outs from a native loop", ROUTINE,
        loop_with(lambda loop: loop.more[0])),
    Row("csrc/loop/boxing.*", "boxing: lists, tuples, strings in a native loop", ROUTINE,
        loop_with(sequences)),
    Row("csrc/loop/scratch.*", "scratch buffers", ROUTINE, loop_with(lambda loop: loop.facts[5])),
    Row(f"{P}scaled_gemv.py csrc/numpy/blas_scaled_gemv.*", "fused scaling and gemv",
        "passes.scaled_gemv:scaled", differs),
    Row(f"{P}decompose.py", "decompositions", "passes.decompose:expanded", differs),
    Row(f"{P}pad_rolls.py", "np.roll as halo", "passes.pad_rolls:without_rolls", differs),
    Row(f"{P}fold_filled.py", "constant folding of filled arrays",
        "passes.fold_filled:without_fills", differs),
    Row(f"{P}unroll_short_axes.py", "full unrolling of short reductions",
        "passes.unroll_short_axes:in_elements", differs),
    Row(f"{P}elide_concat.py", "concat elision", "passes.elide_concat:joined", always),
    Row(f"{P}fuse.py {P}clusters.py", "fusion", "passes.fuse:group_of", found),
    Row(f"{P}rematerialize.py", "rematerialisation", "passes.rematerialize:take", always),
    Row(f"{P}reuse_buffers.py", "buffer reuse", "passes.reuse_buffers:take_over", some),
    Row(f"{P}order_stores.py", "stores after all that can fail",
        "passes.order_stores:stores_last", differs),
    Row(f"{P}chain.py {K}feeding.py {K}stages.py {K}operands.py {K}chain_c.py",
        "overlapped tiling: chains of stages", "passes.chain:chained", differs),
    Row(f"{K}stencil.py", "chains: stencils with halos", "kernels.chains.stencil:by_shifts", found),
    Row(f"{K}rowwise.py", "chains: row-wise fusion", "kernels.chains.rowwise:by_rows", found),
    Row("csrc/numpy/histogram.*", "histogram", IN_C, by_call("histogram")),
    Row("csrc/numpy/bincount.*", "bincount", "passes.replace_calls:own_bins", found),
    Row(f"{P}small_matmul.py csrc/numpy/small_matmul.*", "small matmul, dot", IN_C,
        by_call("dot", "ndarray.dot", "matmul")),
    Row("csrc/numpy/argmax.*", "argmax, argmin in a kernel", "kernels.emit.reductions:placed",
        lambda one, *_: one.fold.first is not None),
    Row(f"{E}reductions.py {E}reduction_c.py", "reductions in NumPy's order",
        "kernels.emit.reductions:placed", found),
    Row(f"{E}register_tile.py", "register tiling", "kernels.emit.register_tile:held", some),
    Row(f"{E}skip_unselected.py", "predicated skip", "kernels.emit.skip_unselected:mask_of", found),
    Row(f"{E}fp_liveness.py", "flag liveness", "kernels.emit.fp_liveness:sink", always),
)  # fmt: skip
