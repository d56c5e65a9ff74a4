"""Importing this fills the tables of call models: callable ─▶ its meaning on symbolic values.

    numbers.py      int, abs, math           sequences.py    len, range, zip, sorted
    objects.py      isinstance, getattr      containers.py   methods of list, dict, set, tuple
    arrays.py       methods of arrays and NumPy's scalars
    classes.py      C(…), instance(…)        errstate.py     np.errstate
    prints.py       print                    directives.py   jitcore's own functions

A model may assume that argument counts were checked (jitcore/symbolic/arity.py). What it cannot do
is a break.
"""

from jitcore.symbolic.models import (
    arrays,
    classes,
    containers,
    directives,
    errstate,
    numbers,
    objects,
    prints,
    sequences,
)

__all__ = [
    "arrays",
    "classes",
    "containers",
    "directives",
    "errstate",
    "numbers",
    "objects",
    "prints",
    "sequences",
]
