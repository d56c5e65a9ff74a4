"""Rows: what a Python complex has besides its arithmetic.

complex.real       z -> its real part, a Python float
complex.imag       z -> its imaginary part
complex.conjugate  z -> z.conjugate()
"""

from __future__ import annotations

from jitcore.ir.op import Args, Inferred, Kind, Kwargs, Op
from jitcore.ir.types import PYCOMPLEX, PYFLOAT


def real(z: complex) -> float:
    return z.real


def imag(z: complex) -> float:
    return z.imag


def conjugate(z: complex) -> complex:
    return z.conjugate()


def part(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    return PYFLOAT


def whole(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    return PYCOMPLEX


PARTS = {
    "real": Op("complex.real", real, Kind.INDEX, rule=part),
    "imag": Op("complex.imag", imag, Kind.INDEX, rule=part),
}
CONJUGATE = Op("complex.conjugate", conjugate, Kind.INDEX, rule=whole)
ROWS: tuple[Op, ...] = (*PARTS.values(), CONJUGATE)
