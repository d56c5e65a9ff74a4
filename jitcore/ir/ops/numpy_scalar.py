"""Rows: methods and attributes of NumPy scalars.

The rows of arrays are what a call names (METHODS, ATTRIBUTES); `specialise` puts these in their
place where the first argument is a scalar.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from jitcore.ir.infer.by_sample import asked
from jitcore.ir.op import Args, Effect, Inferred, Kind, Kwargs, Op, Unsupported, leaf_type
from jitcore.ir.types import ScalarType

_METHODS = (
    *("sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "mean", "std", "var"),
    *("cumsum", "cumprod", "round", "clip", "conj", "conjugate", "item", "astype", "copy"),
    *("ravel", "flatten", "reshape", "squeeze", "transpose"),
)
_ATTRIBUTES = ("T", "real", "imag")


def infer_generic(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """Asked of a scalar of the same type; a Python number has no such method."""
    t = leaf_type(args[0])
    if not isinstance(t, ScalarType) or t.python:
        raise Unsupported(f"{op.words} of {t}")
    return asked(op, args, kwargs)


def effect_of_generic(op: Op, args: Args, kwargs: Kwargs) -> Effect:
    """Releases of NumPy warn of `out`, of degrees of freedom, of imaginary parts cast away."""
    t = leaf_type(args[0]) if args else None
    cast = op.name == "generic.astype" and isinstance(t, ScalarType) and t.dtype.kind != "c"
    return op.effect if (len(args) == 1 and not kwargs) or cast else Effect.LOUD


def _row(name: str) -> Op:
    found = getattr(np.generic, name)
    target = found.__get__ if name in _ATTRIBUTES else found
    return Op(
        f"generic.{name}",
        target,
        Kind.INDEX,
        Effect.FLAGS,
        infer_generic,
        effect_rule=effect_of_generic,
    )


ROWS: tuple[Op, ...] = tuple(map(_row, (*_METHODS, *_ATTRIBUTES)))

# Name of the array's row -> row.
GENERIC: Mapping[str, Op] = {row.name.replace("generic", "ndarray", 1): row for row in ROWS}
