"""Importing this fills the tables of call models."""

from jitcore.symbolic.models import (
    arrays,
    classes,
    containers,
    errstate,
    marks,
    numbers,
    objects,
    prints,
    sequences,
)

__all__ = [
    "arrays",
    "classes",
    "containers",
    "errstate",
    "marks",
    "numbers",
    "objects",
    "prints",
    "sequences",
]
