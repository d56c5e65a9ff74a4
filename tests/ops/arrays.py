"""Arrays of every dtype, shape and layout, and the comparison of a row with NumPy."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from jitcore.ir import UNKNOWN, Effect, Unsupported, Value, leaf_type, map_tree, type_of

DTYPES = ("?", "b", "h", "i", "l", "q", "B", "H", "I", "L", "Q", "e", "f", "d", "F", "D")
SHAPES = ((), (1,), (4,), (0,), (3, 4), (1, 4), (3, 1), (2, 0), (2, 3, 4), (2, 1, 4), (1, 1))


def filled(shape: tuple[int, ...], dtype: str = "d", order: str = "C") -> np.ndarray:
    numbers = np.arange(1, 1 + int(np.prod(shape))).reshape(shape) % 7
    return np.array(numbers.astype(dtype), order=order)


def layouts(shape: tuple[int, ...], dtype: str = "d") -> dict[str, np.ndarray]:
    """The same shape in memory in every way that NumPy code makes."""
    twice = tuple(2 * dim for dim in shape)
    found = {
        "C": filled(shape, dtype),
        "F": filled(shape, dtype, "F"),
        "strided": filled(twice, dtype)[tuple(slice(None, None, 2) for _ in shape)],
        "transposed": filled(shape[::-1], dtype).T,
        "reversed": filled(shape, dtype)[tuple(slice(None, None, -1) for _ in shape)],
        "broadcast": np.broadcast_to(filled(shape[1:], dtype), shape),
    }
    if len(shape) > 1:
        found["swapped"] = np.moveaxis(filled((*shape[1:], shape[0]), dtype), -1, 0)
        found["half F"] = filled(twice, dtype, "F")[tuple(slice(dim) for dim in shape)]
    packed = np.zeros(shape, [("gap", "u1"), ("x", dtype)])
    packed["x"] = found["C"]
    found["misaligned"] = packed["x"]
    return {name: one for name, one in found.items() if type(one) is np.ndarray}


def exact(t: Any) -> Any:
    """A type in a form that tells int64 from longlong, and that has no strides if it is empty."""
    if isinstance(t, tuple):
        return tuple(map(exact, t))
    char = (str(t), t.dtype.char) if hasattr(t, "dtype") else (str(t),)
    if getattr(t, "shape", ()) and t.size == 0:
        return t.dtype.char, t.shape, t.aligned, t.writeable
    return char


def symbolic(tree: Any) -> Any:
    """Arrays and numbers become values; all else stays constant."""

    def leaf(x: Any) -> Any:
        return Value(type_of(x)) if isinstance(x, np.ndarray | np.generic) else x

    return map_tree(leaf, tree)


def answer(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The types that NumPy gives, or the exception; and whether it emitted a warning."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            result = call(*args, **kwargs)
        except Exception as error:
            return error, bool(caught), None
    types = tuple(map(type_of, result)) if type(result) is tuple else type_of(result)
    return types, bool(caught), result


def check(row: Any, args: tuple[Any, ...], **kwargs: Any) -> bool:
    """Whether the row foretold the result; raises AssertionError if it foretold another."""
    inputs, words = symbolic(args), symbolic(kwargs)
    try:
        inferred = row.infer(inputs, words)
    except Unsupported:
        inferred = Unsupported
    effect = row.effect_of(inputs, words)
    same = None if inferred is Unsupported else row.same_object(inputs, words)
    real, warned, result = answer(row.target, args, kwargs)
    where = f"{row.name} {[str(leaf_type(x)) for x in args]} {kwargs}"
    assert effect >= Effect.LOUD or not warned, f"{where}: warns"
    if inferred is Unsupported:
        plain = isinstance(args[0], np.ndarray) or row.name != "getitem"
        assert isinstance(real, Exception) or not plain, f"{where}: refused, NumPy gives {real}"
        return True
    if isinstance(real, Exception):
        return inferred is None
    assert inferred is None or exact(inferred) == exact(real), f"{where}: {inferred}, not {real}"
    if same is not None and not isinstance(same, tuple):
        at = next(i for i, x in enumerate([*inputs, *words.values()]) if x is same)
        assert [*args, *kwargs.values()][at] is result, f"{where}: another object"
    elif inferred is not None and type(result) is np.ndarray:
        assert not any(result is x for x in args), f"{where}: the same object"
    return inferred is not None and inferred is not UNKNOWN
