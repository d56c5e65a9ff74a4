"""Folds of a program → C that combines values in NumPy's order.

A result starts as NumPy's initial value in its own memory. How a value joins it depends on the
innermost loop, which follows the memory of what is reduced:

    MANY   the result moves along it     y[i] = y[i] + v       rows are added one after the other
    ONE    it does not                   r = r + v             one after the other, or in any order
    TREE   it does not, sums of floats   *y = *y + tree        pairwise, over the whole run

NumPy's tree over n values (pairwise_sum in numpy/_core/src/umath/loops_utils.h.src): halves at
multiples of 8 until 128 are left, and those by 8 accumulators. Values fill a buffer chunk by chunk,
and whole leaves are taken out of it; what is left waits at its front.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np

from .abi import c_type
from .loops import Nest, Walk
from .program import Fold

LEAF = 128  # values that may wait for more

TREE_TEXT = """
/* `right`: how many values the right half of each open node has, 0 once it is being summed. */
#define RT_TREE(T) \\
typedef struct { i64 leaf, right[64]; T left[64], sum; int depth; } rt_tree_##T; \\
static inline void rt_descend_##T(rt_tree_##T *t, i64 n) { \\
    for (; n > 128; t->depth++) { \\
        i64 half = n / 2 - n / 2 % 8; \\
        t->right[t->depth] = n - half; \\
        n = half; \\
    } \\
    t->leaf = n; } \\
static inline T rt_leaf_##T(const T *x, i64 n) { \\
    T s, r[8]; \\
    i64 i = 1; \\
    if (n < 8) { \\
        for (s = x[0]; i < n; i++) s += x[i]; \\
        return s; \\
    } \\
    for (int j = 0; j < 8; j++) r[j] = x[j]; \\
    for (i = 8; i + 8 <= n; i += 8) \\
        for (int j = 0; j < 8; j++) r[j] += x[i + j]; \\
    s = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7])); \\
    for (; i < n; i++) s += x[i]; \\
    return s; } \\
static inline void rt_join_##T(rt_tree_##T *t, T s) { \\
    while (t->depth > 0 && t->right[t->depth - 1] == 0) \\
        s = t->left[--t->depth] + s; \\
    t->sum = s; \\
    t->leaf = 0; \\
    if (t->depth > 0) { \\
        i64 n = t->right[t->depth - 1]; \\
        t->left[t->depth - 1] = s; \\
        t->right[t->depth - 1] = 0; \\
        rt_descend_##T(t, n); \\
    } } \\
static inline i64 rt_take_##T(rt_tree_##T *t, T *x, i64 have) { \\
    i64 at = 0; \\
    while (t->leaf > 0 && have - at >= t->leaf) { \\
        i64 n = t->leaf; \\
        rt_join_##T(t, rt_leaf_##T(x + at, n)); \\
        at += n; \\
    } \\
    for (i64 i = 0; i < have - at; i++) x[i] = x[at + i]; \\
    return have - at; }
"""

KEY_TEXT = """
/* Integers in the order of the floats, NaNs above all; `flip`: of the negated floats.
   Where 0 is the largest, -0 may be there as well; where -0 is, 0 is not. */
#define RT_KEY(T, I, MOST, INF) \\
static inline I rt_key_##T(T x, int flip) { \\
    union { T t; I i; } b = {x}; \\
    b.i ^= flip ? ~MOST : 0; \\
    I k = b.i ^ ((b.i >> (8 * sizeof(I) - 1)) & MOST); \\
    return (b.i & MOST) > INF ? MOST : k; } \\
static inline I rt_unkey_##T(I k, int flip, int *status) { \\
    I b = k ^ ((k >> (8 * sizeof(I) - 1)) & MOST); \\
    if (k > INF || k == 0) *status |= RT_DOUBT; \\
    return b ^ (flip ? ~MOST : 0); }
RT_KEY(f32, i32, 0x7fffffff, 0x7f800000)
RT_KEY(f64, i64, 0x7fffffffffffffffLL, 0x7ff0000000000000LL)
"""


class Way(Enum):
    MANY = "many"
    ONE = "one"
    TREE = "tree"


@dataclass(frozen=True, slots=True)
class Placed:
    """A fold as operand k of a nest. `level` loops stand around the run that a tree sums."""

    k: int
    fold: Fold
    way: Way
    level: int

    @property
    def dtype(self) -> np.dtype:
        return self.fold.dtype

    @property
    def kind(self) -> str:
        return c_type(self.dtype)

    @property
    def pointer(self) -> str:
        """Of a tree's next chunk."""
        return f"(h{self.k} + have{self.k} * {self.dtype.itemsize})"

    def combined(self, so_far: str, value: str) -> str:
        return self.fold.combine.format(so_far, value)


def placed(k: int, fold: Fold, nest: Nest) -> Placed:
    still = nest.walks[k] is Walk.STILL
    way = (Way.TREE if fold.pairwise else Way.ONE) if still else Way.MANY
    level = nest.depth
    while level > 0 and nest.steps[k][level - 1] == 0:
        level -= 1
    return Placed(k, fold, way, level)


def helpers(folds: list[Placed]) -> str:
    """What the C of these folds calls."""
    kinds = sorted({one.kind for one in folds if one.way is Way.TREE})
    trees = TREE_TEXT + "".join(f"RT_TREE({kind})\n" for kind in kinds) if kinds else ""
    keyed = any(one.dtype.char != one.fold.result.dtype.char for one in folds)
    return trees + (KEY_TEXT if keyed else "")


def buffer(one: Placed, chunk: int) -> str:
    return f"_Alignas(64) char h{one.k}[{one.dtype.itemsize * (chunk + LEAF)}];"


def fill(one: Placed, depth: int) -> Iterator[str]:
    """Initial values; n{k} counts the results."""
    yield f"i64 n{one.k} = 1;"
    yield f"for (int d = 0; d < {depth}; d++) n{one.k} *= step[{one.k * depth} + d] ? dim[d] : 1;"
    yield f"for (i64 i = 0; i < n{one.k}; i++) (({one.kind} *)p[{one.k}])[i] = {one.fold.start};"


def start(one: Placed, depth: int) -> Iterator[str]:
    """Where the run of a tree begins."""
    length = " * ".join(f"dim[{axis}]" for axis in range(one.level, depth))
    yield f"rt_tree_{one.kind} t{one.k};"
    yield f"i64 have{one.k} = 0;"
    yield f"t{one.k}.depth = 0;"
    yield f"rt_descend_{one.kind}(&t{one.k}, {length});"


def take(one: Placed) -> str:
    """After each chunk."""
    k, kind = one.k, one.kind
    return f"have{k} = rt_take_{kind}(&t{k}, ({kind} *)h{k}, have{k} + m);"


def join(one: Placed, depth: int) -> str:
    """Where the run of a tree ends."""
    k = one.k
    moves = "".join(f" + i{axis} * step[{k * depth + axis}]" for axis in range(one.level))
    place = f"*({one.kind} *)(p[{k}]{moves})"
    return f"{place} = {one.combined(place, f't{k}.sum')};"


def finish(one: Placed, depth: int) -> Iterator[str]:
    """When all is combined."""
    if not one.fold.finish:
        return
    k, kind = one.k, one.kind
    yield f"i64 each{k} = 1;"
    yield f"for (int d = 0; d < {depth}; d++) each{k} *= step[{k * depth} + d] ? 1 : dim[d];"
    value = one.fold.finish.format(f"(({kind} *)p[{k}])[i]", f"each{k}")
    yield f"for (i64 i = 0; i < n{k}; i++) (({kind} *)p[{k}])[i] = {value};"
