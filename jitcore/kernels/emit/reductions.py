"""Folds of a program → C that combines values in NumPy's order.

A result starts as NumPy's initial value in its own memory. How a value joins it depends on the
innermost loop, which follows the memory of what is reduced:

    MANY   the result moves along it     y[i] = y[i] + v       rows are added one after the other
    ONE    it does not                   r = r + v             one after the other, or in any order
    TREE   it does not, sums of floats   *y = *y + tree        pairwise, over the whole run
    BLOCK  it does not, extremes         *y = chunk > *y ? …   chunk by chunk
    FIRST  it does not, argmax           *y = where, at last   chunk by chunk, over the whole run

NumPy's tree over n values (pairwise_sum in numpy/_core/src/umath/loops_utils.h.src): halves at
multiples of 8 until 128 are left, and those by 8 accumulators. Values fill a buffer chunk by chunk,
and whole leaves are taken out of it; what is left waits at its front. Values that an array has as
they are (`source`) stay where they are. Where numerics="fast" leaves
are longer, and summed in as many vectors as keep the processor busy (`loose`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.kernels.body import BlockHelper, Reduction
from jitcore.kernels.emit.reduction_c import (
    BLOCK_TEXT,
    FIRST_TEXT,
    KEY_TEXT,
    LEAF_TEXT,
    LOOSE_LEAF_TEXT,
    RANK_TEXT,
    TRUTH_TEXT,
    tree_text,
)
from jitcore.kernels.iteration_space import IterationSpace, StrideClass
from jitcore.toolchain.abi import c_type
from jitcore.toolchain.literals import literal

# Values that may wait for more. A loose leaf is no longer than the shortest node that is computed
# apart (csrc/kernel/split.c), so that its sums do not depend on the number of threads either.
LEAF = 128
LOOSE_LEAF = 1024


class ReductionStrategy(Enum):
    MANY = "many"
    ONE = "one"
    TREE = "tree"
    BLOCK = "block"
    FIRST = "first"


RUNS = (
    ReductionStrategy.TREE,
    ReductionStrategy.FIRST,
)  # what they know of a run is in variables until it ends
WHOLE = (
    ReductionStrategy.BLOCK,
    ReductionStrategy.FIRST,
)  # a C function goes through the elements as they are
BUFFERED = (*RUNS, ReductionStrategy.BLOCK)


@dataclass(frozen=True, slots=True)
class Placed:
    """A fold as operand k of a nest. `level` loops stand around the run that a tree sums; `at` is
    how many elements of its run came before the innermost loop."""

    k: int
    fold: Reduction
    way: ReductionStrategy
    level: int
    at: str
    source: str = ""  # C pointer to its values, of a chunk; of a tree: of a run

    @property
    def dtype(self) -> np.dtype:
        return self.fold.dtype

    @property
    def kind(self) -> str:
        return c_type(self.dtype)

    @property
    def stored(self) -> np.dtype:
        """What waits in the buffer."""
        return self.fold.raw if self.way in WHOLE else self.dtype

    @property
    def pointer(self) -> str:
        """Of the next chunk in the buffer."""
        if self.source:
            return self.source
        if self.way in WHOLE:
            return f"h{self.k}"
        return f"(h{self.k} + have{self.k} * {self.dtype.itemsize})"

    @property
    def leaf(self) -> int:
        return LOOSE_LEAF if self.fold.loose else LEAF

    @property
    def tree(self) -> str:
        """The type of the values, as the functions of its trees are called after it."""
        return f"loose_{self.kind}" if self.fold.loose else self.kind

    def combined(self, so_far: str, value: str, best: str = "") -> str:
        return self.fold.combine.format(so_far, value, best, self.at)


def placed(k: int, fold: Reduction, nest: IterationSpace) -> Placed:
    still = nest.walks[k] is StrideClass.STILL
    inner = (
        ReductionStrategy.TREE
        if fold.pairwise
        else ReductionStrategy.BLOCK
        if fold.block
        else ReductionStrategy.ONE
    )
    inner = ReductionStrategy.FIRST if fold.first else inner
    way = inner if still else ReductionStrategy.MANY
    level = nest.depth
    while level > 0 and nest.steps[k][level - 1] == 0:
        level -= 1
    return Placed(k, fold, way, level, counted(nest.steps[k][:-1]))


def counted(steps: Sequence[int]) -> str:
    """Along the outer loops that a result does not move with: how often they have gone round."""
    found = "0"
    for axis, step in enumerate(steps):
        if step == 0:
            found = f"i{axis}" if found == "0" else f"({found} * dim[{axis}] + i{axis})"
    return found


def helpers(folds: list[Placed]) -> Iterator[str]:
    """What the C of these folds calls, in parts that go by themselves."""
    trees = [one for one in folds if one.way is ReductionStrategy.TREE]
    strict = sorted({one.kind for one in trees if not one.fold.loose})
    loose = sorted({one.kind for one in trees if one.fold.loose})
    if strict:
        yield tree_text("RT_TREE", LEAF, LEAF_TEXT)
    yield from (f"RT_TREE({kind})" for kind in strict)
    if loose:
        yield tree_text("RT_LOOSE", LOOSE_LEAF, LOOSE_LEAF_TEXT)
    yield from (f"typedef {kind} loose_{kind};\nRT_LOOSE(loose_{kind})" for kind in loose)
    if any(one.dtype.char != one.fold.result.dtype.char or one.fold.first for one in folds):
        yield KEY_TEXT
    firsts = {one.fold.first for one in folds if one.fold.first}
    blocks = {one.fold.helper for one in folds if one.way is ReductionStrategy.BLOCK}
    if BlockHelper.EXTREMES in blocks:
        yield BLOCK_TEXT
    yield from (RANK_TEXT, FIRST_TEXT, *sorted({o.helper for o in firsts})) if firsts else ()
    if BlockHelper.TRUTH in blocks:
        yield TRUTH_TEXT


def buffer(one: Placed, chunk: int, name: str = "") -> str:
    waiting = one.leaf if one.way is ReductionStrategy.TREE else 0
    return f"_Alignas(64) char {name}h{one.k}[{one.stored.itemsize * (chunk + waiting)}];"


def count(one: Placed, depth: int) -> Iterator[str]:
    """n{k} counts the results."""
    yield f"i64 n{one.k} = 1;"
    yield f"for (int d = 0; d < {depth}; d++) n{one.k} *= step[{one.k * depth} + d] ? dim[d] : 1;"


def fill(one: Placed) -> str:
    """Initial values."""
    return f"for (i64 i = 0; i < n{one.k}; i++) (({one.kind} *)p[{one.k}])[i] = {one.fold.start};"


def start(one: Placed, depth: int, waiting: bool = True) -> Iterator[str]:
    """Where a run begins. `waiting`: it says how many of its values wait."""
    if one.fold.first:
        rank = one.fold.first.rank
        least = literal(rank.type(np.iinfo(rank).min))
        yield f"i64 found{one.k} = 0;"
        yield f"{c_type(rank)} t{one.k} = {least};"
        return
    length = " * ".join(f"dim[{axis}]" for axis in range(one.level, depth))
    yield f"rt_tree_{one.tree} t{one.k};"
    if waiting:
        yield f"i64 have{one.k} = 0;"
    yield f"t{one.k}.depth = 0;"
    yield f"rt_descend_{one.tree}(&t{one.k}, {length});"


def take(one: Placed, number: int) -> str:
    """After each chunk. `number`: of the loop that searches it."""
    k, kind = one.k, one.kind
    if one.way is ReductionStrategy.BLOCK:
        found = f"{one.fold.block}((const {c_type(one.stored)} *){one.pointer}, m)"
        place = f"*({kind} *)q{k}"
        return f"{place} = {one.combined(place, found)};"
    if one.fold.first:
        place = f"{one.at} * n + at"
        loop = f"&loop[{number}]"
        search = f"{one.fold.first.search}({loop}, {one.pointer}, m"
        return f"found{k} = {search}, &t{k}, {place}, found{k}, &status);"
    if one.source:
        return f"have{k} = rt_read_{one.tree}(&t{k}, ({kind} *){one.source}, have{k}, at + m);"
    return f"have{k} = rt_take_{one.tree}(&t{k}, ({kind} *)h{k}, have{k} + m);"


def join(one: Placed, depth: int) -> str:
    """Where a run ends."""
    k = one.k
    moves = "".join(f" + i{axis} * step[{k * depth + axis}]" for axis in range(one.level))
    place = f"*({one.kind} *)(p[{k}]{moves})"
    if one.fold.first:
        return f"{place} = found{k};"
    return f"{place} = {one.combined(place, f't{k}.sum')};"


def joined(folds: Sequence[Placed], depth: int) -> bool:
    """Can parts of the loop be folded apart, and their results be joined? Whole runs only, of which
    the order is a tree's, or does not matter."""
    return depth == 1 and all(
        one.level == 0 and (one.way is ReductionStrategy.TREE or not one.fold.in_order)
        for one in folds
    )


def join_parts(one: Placed, operands: int) -> str:
    """The part whose pointers come second, into the first."""
    first, second = (f"*({one.kind} *)p[{k}]" for k in (one.k, operands + one.k))
    return f"{first} = {one.combined(first, second)};"


def finish(one: Placed, depth: int) -> Iterator[str]:
    """When all is combined."""
    if one.fold.finish is None:
        return
    k, kind = one.k, one.kind
    yield f"i64 each{k} = 1;"
    yield f"for (int d = 0; d < {depth}; d++) each{k} *= step[{k * depth} + d] ? 1 : dim[d];"
    value = one.fold.finish.text.format(f"(({kind} *)p[{k}])[i]", f"each{k}", one.fold.divisor)
    yield f"for (i64 i = 0; i < n{k}; i++) (({kind} *)p[{k}])[i] = {value};"
