"""What else the arrays of a place may be: the likeliest first.

sizes seen there, what the user says, what the region reads
    ─▶ the same arrays with other extents
    ─▶ runtime/sizes/sized_entry.py: an entry for those and the present ones
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jitcore.guards.source import Source
from jitcore.host.fast_dataclass import replace
from jitcore.ir.graph import uses
from jitcore.ir.types import ArrayType, standard_strides
from jitcore.plan.liveness import exit_values
from jitcore.runtime.sizes.sampler import Arrays, Facts, loose
from jitcore.runtime.sizes.sized_entry import arrays_of, symbols_of
from jitcore.symbolic.state import Capture
from jitcore.user.dynamic_axes import Marks, marks_of

LONG = 17  # shorter axes are unrolled where they do not vary
Axes = Mapping[Source, frozenset[int]]
Seen = Sequence[tuple[Facts, Arrays]]  # at this place, in order


def others(captured: Capture, seen: Seen, dynamic: bool | None, is_first: bool) -> Iterator[Arrays]:
    """Arrays to compare with, of which some extents are other ones."""
    now, marks = arrays_of(captured.guards), marks_in(captured)
    for arrays in candidates(captured, seen, dynamic, is_first):
        static = differs_where_static(arrays, now, marks)
        if not static and symbols_of(arrays, now, related=True) is not None:
            yield arrays


def candidates(
    captured: Capture, seen: Seen, dynamic: bool | None, is_first: bool
) -> Iterator[Arrays]:
    now, facts = arrays_of(captured.guards), loose(captured.guards)
    yield with_others(now, said(captured, all_vary=bool(dynamic) and is_first))
    if dynamic is False:
        return
    yield from (arrays for known, arrays in reversed(seen) if known == facts)
    yield with_others(now, varied(now, [arrays for _, arrays in seen]))
    if is_first:
        yield with_others(now, measured(captured))


def with_others(arrays: Arrays, varying: Axes) -> Arrays:
    """The same arrays with one more along each of these axes."""
    found = dict(arrays)
    for source, axes in varying.items():
        t = arrays[source]
        shape = tuple(n + (axis in axes) for axis, n in enumerate(t.shape))
        order = next((o for o in "CF" if standard_strides(t.dtype, t.shape, o) == t.strides), "")
        strides = standard_strides(t.dtype, shape, order) if order else t.strides
        found[source] = replace(t, shape=shape, strides=strides)
    return found


# ---- which axes vary -----------------------------------------------------------------------------


def marks_in(captured: Capture) -> dict[Source, Marks]:
    """What the user has said of the arrays."""
    objects = {s: captured.examples.get(value) for s, value in captured.inputs.items()}
    return {source: marks_of(objects.get(source)) for source in arrays_of(captured.guards)}


def said(captured: Capture, all_vary: bool) -> Axes:
    """By the user."""
    marks = marks_in(captured)
    return {
        source: at_least(2, t, range(t.ndim) if all_vary else marks[source].dynamic)
        - frozenset(marks[source].static)
        for source, t in arrays_of(captured.guards).items()
    }


def varied(now: Arrays, seen: Sequence[Arrays]) -> Axes:
    """Those that have been others, also where something else was another, too. An array of which
    these have one element now, which is a case of its own, varies along all its axes."""
    found = {}
    for source, t in now.items():
        known = [arrays[source] for arrays in seen if source in arrays]
        axes = [
            axis
            for axis, n in enumerate(t.shape)
            if any(one.ndim == t.ndim and one.shape[axis] != n for one in known)
        ]
        alone = all(t.shape[axis] < 2 for axis in axes)
        if axes:
            found[source] = at_least(LONG, t, range(t.ndim) if alone else axes)
    return found


def measured(captured: Capture) -> Axes:
    """Of arrays of which nothing is read but what they are: `total / x.size`. The others have to
    have other extents: what is computed of such an array varies with it."""
    arrays = arrays_of(captured.guards)
    read = exit_values(captured).union(*map(uses, captured.graph.body.nodes))
    kept = {s for s in arrays if captured.inputs[s] in read}
    extents = {n for source in kept for n in arrays[source].shape}
    return {
        source: at_least(LONG, t, range(t.ndim))
        for source, t in arrays.items()
        if source not in kept and extents.isdisjoint(t.shape)
    }


def at_least(least: int, t: ArrayType, axes: Sequence[int] | frozenset[int]) -> frozenset[int]:
    return frozenset(axis for axis in axes if t.shape[axis] >= least)


def differs_where_static(before: Arrays, now: Arrays, marks: Mapping[Source, Marks]) -> bool:
    """In an extent for which the user wants an entry of its own."""
    return any(
        before[source].shape[axis] != now[source].shape[axis]
        for source, said in marks.items()
        for axis in said.static
    )
