"""`(number * matrix) @ vector` → one call of the extension's (csrc/numpy/blas_scaled_gemv.c), no
array between.

    s = 1.5 * a         →    _C.scaled_product(multiply, matmul, 1.5, a, x)
    y = s @ x

That its bits are NumPy's a trial says, once in a process and for a matrix that is worth it: of what
this process runs, since OpenBLAS chooses its kernels when it is loaded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from functools import cache
from typing import Any

import numpy as np

from jitcore import _C
from jitcore.ir.graph import Node, Value, uses
from jitcore.ir.op import Effect, Kind, Op
from jitcore.ir.types import ArrayType, ScalarType, Shape
from jitcore.toolchain.blas import threads_of_blas
from jitcore.toolchain.numpy_loops import core_loop

SCALED = Op("jitcore.scaled_product", _C.scaled_product, Kind.OPAQUE, Effect.FLAGS)
LEAST = 1 << 19  # elements: NumPy's array of them lies beyond the caches


def scaled(nodes: Sequence[Node], after: Set[Value]) -> list[Node]:
    """The nodes of a window; `after`: values that are wanted behind it."""
    found = dict(pairs(nodes, after))
    if not found or not agrees():
        return [*nodes]
    lost = {node.outputs[0] for node in found.values()}
    left = [node for node in nodes if lost.isdisjoint(node.outputs)]
    return [joined(node, found[node]) if node in found else node for node in left]


def pairs(nodes: Sequence[Node], after: Set[Value]) -> list[tuple[Node, Node]]:
    """Products, and what makes their matrices."""
    made = {node.outputs[0]: node for node in nodes if is_scaling(node)}
    readers = Counter(value for node in nodes for value in uses(node))
    found = []
    for node in nodes:
        if is_product(node) and (matrix := node.args[0]) in made:
            once = readers[matrix] == 1 and matrix not in after and node.inputs.count(matrix) == 1
            found += [(node, made[matrix])] if once else []
    return found


def is_scaling(node: Node) -> bool:
    if node.op.ufunc is not np.multiply or node.kwargs or len(node.args) != 2:
        return False
    number, matrix = operands(node)
    return is_number(number) and is_array(matrix, 2) and matrix.type.size >= LEAST


def operands(node: Node) -> tuple[Any, Any]:
    a, b = node.args
    return (b, a) if is_array(a, 2) else (a, b)


def is_product(node: Node) -> bool:
    if node.op.name != "matmul" or node.kwargs or len(node.args) != 2 or node.bodies:
        return False
    return is_array(node.args[0], 2) and is_array(node.args[1], 1)


def is_number(arg: Any) -> bool:
    if type(arg) is Value:
        return isinstance(arg.type, ScalarType) and arg.type.dtype.char == "d"
    return type(arg) in (float, np.float64)


def is_array(arg: Any, ndim: int) -> bool:
    t = arg.type if type(arg) is Value else None
    plain = isinstance(t, ArrayType) and t.ndim == ndim and t.numeric and t.c_contiguous
    return plain and t.dtype.char == "d"  # type: ignore[union-attr]


def joined(product: Node, scaling: Node) -> Node:
    args = (np.multiply, np.matmul, *operands(scaling), product.args[1])
    return Node(SCALED, args, {}, product.outputs, (), product.where)


# ---- the trial -----------------------------------------------------------------------------------

# More than OpenBLAS does on one thread, and less; rows that are no multiple of what a thread gets.
TRIED: tuple[Shape, ...] = ((231, 2053), (234, 2048), (1013, 515), (29_999, 18), (9, 60_001))
ORDERS = (2, 1, 0)  # of csrc/numpy/blas_scaled_gemv.c; the last one is NumPy's own loop


@cache
def agrees() -> bool:
    """Has it NumPy's bits here?"""
    loop, threads = core_loop(np.matmul, "ddd"), threads_of_blas()
    if loop is None or threads is None:
        return False
    for order in ORDERS:
        by = (loop.capsule,), threads, order
        if all(is_right(by, shape) for shape in TRIED):
            return _C.scaled_use(*by)
    return False


def is_right(by: tuple[tuple[object, ...], int, int], shape: Shape) -> bool:
    rng: np.random.Generator = np.random.Generator(np.random.PCG64(shape[0]))
    a = rng.standard_normal(shape) * 2.0 ** rng.integers(-20, 20, shape[1])
    x = rng.standard_normal(shape[1])
    made = _C.scaled_try(*by, 1.1, a, x)
    return made is not None and bool(made.tobytes() == (1.1 * a @ x).tobytes())
