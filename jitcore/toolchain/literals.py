"""NumPy scalars → C initialisers."""

from __future__ import annotations

import numpy as np


def literal(value: np.generic) -> str:
    """A C initialiser with the same bits (any NaN for a NaN)."""
    item = value.item()
    match value.dtype.kind:
        case "b":
            return str(int(item))
        case "c":
            return f"{{{real_literal(item.real)}, {real_literal(item.imag)}}}"
        case "f":
            if value.dtype.char == "e":
                return str(int(value.view(np.uint16)))
            return real_literal(item)
        case "i" if item == -(2**63):
            return "-9223372036854775807LL - 1"
        case "i":
            return f"{item}LL"
        case _:
            return f"{item}ULL"


def real_literal(value: float) -> str:
    if value != value:
        return '__builtin_nan("")'
    if value in (float("inf"), float("-inf")):
        return "-__builtin_inf()" if value < 0 else "__builtin_inf()"
    return value.hex()
