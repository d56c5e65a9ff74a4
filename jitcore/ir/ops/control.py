"""Rows: nodes with bodies.

           arguments                bodies                                       outputs
    cond   predicate                then: () -> r...        else: () -> r...     r...
    for    trip count, initial...   body: (i, carried...) -> carried...          carried...
    loop   initial...               body: (carried...) -> (again, carried...)    carried...

`loop` is tested at its end: its body runs at least once.
"""

from __future__ import annotations

from collections.abc import Mapping

from jitcore.ir.op import Kind, Op

ROWS: tuple[Op, ...] = tuple(Op(name, None, Kind.CONTROL) for name in ("cond", "for", "loop"))
CONTROL: Mapping[str, Op] = {row.name: row for row in ROWS}
