"""Products of a vector and a matrix in a loop → those of its next rounds too, before they are due.

    for q in range(n):
        a[r, q] = a[r, q] @ c               24 rounds: what is read of c serves them all

    for i in range(n):
        c[i, i:] = x[:, i] @ x[:, i:]       x[:, i:] begins one column further on in each round

csrc/numpy/blas_gemv.c has them in the order of additions of NumPy's BLAS, which a trial finds, once
in a process. When rounds may be looked at before they are due, batch_products.py says.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from jitcore import _C
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Body, Node, Value
from jitcore.ir.ops.dyn_array import SLICE_COUNT, SPAN
from jitcore.ir.types import ArrayType, DynArrayType
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import Access, BatchedRows, Layout, SubscriptKind
from jitcore.loops.remarks import tried
from jitcore.loops.transform import dots
from jitcore.loops.transform.batch_products import Round, is_vector, moves, planned
from jitcore.toolchain.blas import threads_of_blas

Array = np.ndarray[Any, Any]

ROUNDS = 24  # RT_ROWS in routine_rt.h
WIDE = 8  # columns: what a row may have beyond its own


# ---- which products ------------------------------------------------------------------------------


def begin(w: LoopEmitter, loop: Node, body: Body, end: str) -> None:
    """Before a `for`, after ahead.begin: of the products that stand in its body."""
    candidates = [(k, node) for k, node in enumerate(body.nodes) if is_product(node)]
    if not candidates:
        return
    of = Round.of(body)
    for at, node in candidates:
        made = tried(w, loop, "batched products", batched, w, of, at, node, end)
        if made is not None:
            w.rows[node] = made
            w.aheads[-1].append(made.plan.variable)
            w.line(f"{made.plan.variable}.to = 0;")


def batched(w: LoopEmitter, of: Round, at: int, node: Node, end: str) -> BatchedRows:
    written = of.written()
    if not agrees():
        raise CannotLower("no order of additions has the bits of NumPy's BLAS here")
    vector, matrix = (of.access(arg) for arg in node.args)
    if vector is None or not is_vector(vector):
        raise CannotLower("the vector of the product is no plain slice of an array from outside")
    if not moves(vector):
        raise CannotLower("the vector of the product is the same in each iteration")
    rest = rest_of(of, node.args[1])
    if matrix is None or not is_matrix(matrix, rest):
        raise CannotLower("the matrix of the product is another in each iteration")
    plan = planned(w, of, at, (vector, matrix), written, end, "rt_rows", False)
    return BatchedRows(plan, rest)


def is_product(node: Node) -> bool:
    if node.op.name != "matmul" or node.kwargs or len(node.args) != 2:
        return False
    (out,) = node.outputs
    if not isinstance(out.type, DynArrayType) or out.type.dtype.char != "d":
        return False
    return [*map(axes_of, node.args)] == [1, 2]


def axes_of(arg: Any) -> int:
    kind = arg.type if type(arg) is Value else None
    if not isinstance(kind, ArrayType | DynArrayType) or kind.dtype.char != "d":
        return 0
    return kind.ndim


def is_matrix(matrix: Access, rest: Value | None) -> bool:
    """The same in each round, but for where its columns begin."""
    how = [axis.how for axis in matrix.axes]
    if rest is not None and how[-1] is SubscriptKind.ANY:
        how[-1] = SubscriptKind.SLICE
    return how.count(SubscriptKind.SLICE) == 2 and how.count(SubscriptKind.AT) == len(how) - 2


def rest_of(of: Round, matrix: Value) -> Value | None:
    """Where the columns begin, `i` or `i + 1` of a slice to the end; None: it is no such slice."""
    node = of.node(matrix)
    if node is None or node.op is not SPAN or type(node.args[1][-1]) is not tuple:
        return None
    _, count, step = node.args[1][-1]
    made = of.node(count)
    if type(step) is not int or step != 1 or made is None or made.op is not SLICE_COUNT:
        return None
    extent, first, stop, _ = made.args
    if stop is not None or not of.is_still(extent) or type(first) is not Value:
        return None
    return first if of.is_item(first) or is_next(of, first) else None


def is_next(of: Round, value: Value) -> bool:
    node = of.node(value)
    if node is None or node.op.name != "op.add" or len(node.args) != 2:
        return False
    item, more = node.args
    return of.is_item(item) and type(more) is int


# ---- text ----------------------------------------------------------------------------------------


def look_ahead(w: LoopEmitter, node: Node, a: Layout, b: Layout, into: Layout) -> str:
    """What precedes the call of this round's own product."""
    of = w.rows.get(node)
    if of is None:
        return ""
    plan, columns = of.plan, b.extents[1]
    variable, room = plan.variable, w.scratch("char *")
    w.line(f"if ({plan.index} >= {variable}.to) {{")
    w.depth += 1
    with w.block():
        place = w.room(node, f"({columns} + {WIDE}) * {ROUNDS * 8}")
        w.line(f"{room} = {place};")
        lanes, tests = dots.rounds(w, plan)
        if of.rest is not None:
            tests.append(f"{w.text(of.rest)} >= 0")
        vector = f"{a.pointer}, {a.steps[0]}, {dots.lane(w, plan.operands[0])}"
        moved, rest = ("8", 1) if of.rest is not None else ("0", 0)
        matrix = f"{b.pointer}, {b.steps[0]}, {b.steps[1]}, {moved}, {rest}"
        sizes = f"{a.extents[0]}, {columns}"
        w.line(f"if ({' && '.join(tests) or '1'})")
        first = f"&{variable}, {plan.index}, {lanes}"
        w.line(f"    world->rows({first}, {sizes}, {vector}, {matrix}, {room});")
        w.line(f"else {variable}.to = {plan.index} + {ROUNDS}, {variable}.ready = 0;")
    w.depth -= 1
    w.line("}")
    w.line(f"if ({variable}.ready)")
    row = f"{room} + ({plan.index} - {variable}.from) * {variable}.row"
    w.line(f"    __builtin_memcpy({into.pointer}, {row}, (unsigned long)({columns} * 8));")
    return "else "


# ---- which order is NumPy's ----------------------------------------------------------------------

# Vectors, rows, columns: what is left of four, more and less than OpenBLAS does on one thread.
TRIED = (
    (3, 64, 64),
    (3, 65, 67),
    (4, 66, 65),
    (3, 67, 66),
    (5, 301, 333),
    (3, 1203, 381),
    (3, 1201, 387),
    (3, 97, 6003),
    (3, 5001, 94),
)
MOST = 600_000  # elements of a matrix


def agrees() -> bool:
    """Has one of the orders NumPy's bits here?"""
    return order() is not None


@cache
def order() -> str | None:
    """The first that has."""
    threads = threads_of_blas()
    if threads is None:
        return None
    rng = np.random.Generator(np.random.PCG64(5))
    numbers = (rng.random(MOST) - 0.5) * 2.0 ** (np.arange(MOST) % 37 % 20)
    for name in _C.row_orders():
        by = threads, name
        if all(is_right(by, numbers, *one, strided) for one in TRIED for strided in (False, True)):
            _C.row_order(*by)
            return name
    return None


def is_right(
    by: tuple[int, str], numbers: Array, count: int, rows: int, columns: int, strided: bool
) -> bool:
    y = numbers[: rows * columns].reshape(rows, columns)
    x = numbers[-rows * count :].reshape((rows, count) if strided else (count, rows))
    moves, vectors = ((8 * count, 8), x.T) if strided else ((8, 8 * rows), x)
    room = np.empty(ROUNDS * (columns + WIDE))
    steps = (*moves, 8 * columns, strided)  # each in one of two ways: see `rest`
    threads, name = by
    ready, made, row = _C.row_products(threads, name, x, y, room, count, rows, columns, *steps)
    if not ready or made != count:
        return False
    for k, vector in enumerate(vectors):
        wanted = vector @ y[:, k if strided else 0 :]
        if room[k * row // 8 :][: wanted.size].tobytes() != wanted.tobytes():
            return False
    return True
