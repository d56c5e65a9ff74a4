"""Samples → their numbers as polynomials: those of kernels, and ints among the arguments of calls.

kernels   in extents of their inputs, which a launch looks at (csrc/kernel/dynamic_sizes.c)
calls     in the symbols: a step of the plan makes the int (csrc/plan/dynamic_int.c)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd, prod
from typing import Any

from jitcore import _C
from jitcore.guards.source import Source
from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.ir.cannot_lower import CannotLower
from jitcore.kernels.kernel import KernelSpec
from jitcore.kernels.lower import signature
from jitcore.runtime.sizes.polynomials import MOST, Basis, Column, Divided, Terms
from jitcore.runtime.sizes.sampler import Sample, Symbols
from jitcore.symbolic.state import Capture

Place = tuple[int, int]  # an input, an axis of it


@dataclass(frozen=True, slots=True)
class Fits:
    tables: Sequence[Any]  # for Kernel.sized(), kernel by kernel
    given: Sequence[Any]  # of each int among the arguments of calls: a _C.Number, or None
    arrays: tuple[Source, ...]  # whose extents these numbers are made of
    beside: Mapping[int, tuple[Source, ...]]  # kernel → arrays that it gets for their extents


def fits(samples: Sequence[Sample], symbols: Symbols) -> Fits | None:
    """None: some number is no polynomial."""
    divided = divisions_of(samples)
    basis = basis_at(samples, symbols.step).with_quotients(divided)
    tables = [table(f, basis, divided) for f in zip(*(s.forms for s in samples), strict=True)]
    sources = tuple(dict.fromkeys(axes[0].source for axes in symbols.axes))
    beside = {k: sources for k, one in enumerate(tables) if one is None}
    for k in beside:
        wide = [wider(s.forms[k], s.capture, sources) for s in samples]
        tables[k] = None if None in wide else table([one for one in wide if one], basis, divided)
    others = basis.fitted([row for row in rows_of([s.numbers() for s in samples]) if differ(row)])
    rows = rows_of([s.given for s in samples])
    given = [
        terms if differ(row) else {} for row, terms in zip(rows, basis.fitted(rows), strict=True)
    ]
    freed = basis.fitted(rows_of([s.capture.freed for s in samples]))
    if None in tables or None in others or None in given or not all(is_straight(t) for t in freed):
        return None
    firsts = [axes[0] for axes in symbols.axes]
    at = tuple((one.axis, symbols.step) for one in firsts)
    numbers = [number(basis, at, terms) if terms else None for terms in given]
    arrays = tuple(one.source for one in firsts) if any(given) else ()
    return Fits(tables, numbers, arrays, beside)


def wider(form: KernelSpec, capture: Capture, sources: Sequence[Source]) -> KernelSpec | None:
    """With these arrays among its inputs, as the last ones."""
    try:
        rows = [signature(capture.inputs[source].type).row() for source in sources]
    except CannotLower:
        return None
    return replace(form, inputs=(*form.inputs, *rows))


def is_straight(terms: Terms | None) -> bool:
    """Least and greatest at corners, also with others of its kind."""
    return terms is not None and all(sum(powers) <= 1 for powers in terms)


def basis_at(samples: Sequence[Sample], step: int) -> Basis:
    """The symbols, in steps."""
    return Basis(tuple(in_steps(row, step) for row in rows_of([s.sizes for s in samples])))


def divisions_of(samples: Sequence[Sample]) -> list[Divided]:
    """What is divided at each sample, and by what."""
    rows = zip(*(s.capture.divided for s in samples), strict=True)
    return [(tuple(one.now for one in row), row[0].divisor) for row in rows]


def rows_of(samples: Sequence[Sequence[int]]) -> list[Column]:
    return [*zip(*samples, strict=True)]


def differ(row: Column) -> bool:
    return len(set(row)) > 1


def in_steps(row: Column, step: int) -> Column:
    return tuple(n // step for n in row)


def number(basis: Basis, axes: tuple[tuple[int, int], ...], terms: Terms) -> Any:
    return _C.Number(axes, basis.quotients, tuple(terms), tuple(terms.values()))


# ---- a kernel -----------------------------------------------------------------------------------


def table(
    forms: Sequence[KernelSpec], symbols: Basis, divided: Sequence[Divided]
) -> tuple[Any, ...] | None:
    """Extents, quotients, monomials and terms for Kernel.sized(); (): nothing varies; None: it has
    no form."""
    numbers = enumerate(rows_of([form.numbers() for form in forms]))
    rows = {k: row for k, row in numbers if differ(row)}
    if not rows:
        return ()
    extents, basis = basis_of(forms, symbols)
    found = basis.fitted([*rows.values()])
    for division in divided:
        if None in found:
            basis = basis.with_quotient(division)
            found = basis.fitted([*rows.values()])
    known = [terms for terms in found if terms is not None]
    if len(known) < len(found):
        return None
    ends = tuple((*at, min(row), max(row), step(row, symbols)) for at, row in extents.items())
    powers = tuple(dict.fromkeys(one for terms in known for one in terms))
    numbers_of = tuple(
        (k, powers.index(one), times)
        for k, terms in zip(rows, known, strict=True)
        for one, times in terms.items()
    )
    return ends, basis.quotients, powers, numbers_of, smallest_part(forms)


def basis_of(forms: Sequence[KernelSpec], symbols: Basis) -> tuple[dict[Place, Column], Basis]:
    """Extents of inputs of which the others are polynomials: where they are, and what. Of n, m and
    n * m it is the first two."""
    rows: dict[Place, Column] = {}
    for k, (_, _, shape, _) in enumerate(forms[0].inputs):
        for axis in range(len(shape)):
            rows[k, axis] = tuple(form.inputs[k][2][axis] for form in forms)
    basis = Basis()
    found: dict[Place, Column] = {}
    for at, row in sorted(rows.items(), key=lambda item: degree(item[1], symbols)):
        if len(found) < MOST and not basis.knows(row):
            basis = basis.with_extent(in_steps(row, step(row, symbols)))
            found[at] = row
    return found, basis


def degree(row: Column, symbols: Basis) -> int:
    (terms,) = symbols.fitted([row])
    return max(map(sum, terms or ()), default=0)


def step(row: Column, symbols: Basis) -> int:
    """Of extents: what they have in common at all sizes, but for a remainder, which is one."""
    (terms,) = symbols.fitted([row])
    return gcd(*(times for powers, times in (terms or {}).items() if any(powers))) or 1


def smallest_part(forms: Sequence[KernelSpec]) -> int:
    """Elements, where the loop may be cut for several threads."""
    found = []
    for one in forms:
        axis, grain, least, _ = one.cut
        if grain and all(one.dim):
            found.append(least * prod(one.dim) // -(-one.dim[axis] // grain))
    return min(found, default=0)
