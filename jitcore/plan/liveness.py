"""Segments of a capture → what is read after each, and nodes that somebody reads.

Dead nodes go, but for those that may warn or raise.
"""

from __future__ import annotations

from typing import Any

from jitcore.fallback.exit import Built, Computed, Exit, Recipe
from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.graph import Node, Value, uses
from jitcore.ir.purity import removable
from jitcore.plan.fold_constants import told
from jitcore.symbolic.state import Capture, EffectStep, Window
from jitcore.symbolic.state import LoopRegion as Looped


def exit_values(capture: Capture) -> set[Value]:
    """What any exit may hand out."""
    found: set[Value] = set()
    for segment in capture.segments:
        found |= recipe_values(segment.at if isinstance(segment, EffectStep) else segment.start)
        if isinstance(segment, Looped):
            found |= routine_values(segment)
    return found | recipe_values(capture.exit)


def recipe_values(exit: Exit) -> set[Value]:
    found: set[Value] = set()
    todo: list[Recipe] = [*exit.stack, *(recipe for _, recipe in exit.locals)]
    todo += [part for effect in exit.effects for part in effect.parts]
    todo += [exit.value] if exit.value is not None else []
    while todo:
        recipe = todo.pop()
        if isinstance(recipe, Computed):
            found.add(recipe.value)
        elif isinstance(recipe, Built):
            todo.extend(recipe.parts)
    return found


@dataclass(frozen=True, slots=True)
class Live:
    """One segment: its exit, the nodes that somebody reads, and what is read after it."""

    start: Exit
    nodes: tuple[Node, ...]
    after: set[Value]
    loud: int | None
    errstate: int | None
    loops: Looped | None = None


def live_windows(capture: Capture) -> list[Live]:
    live = recipe_values(capture.exit)
    numbers: dict[Value, Any] = {}
    windows = {
        id(one): told(one.nodes, numbers) for one in capture.segments if isinstance(one, Window)
    }
    found: list[Live] = []
    for segment in reversed(capture.segments):
        after = set(live)
        if isinstance(segment, EffectStep):
            live |= set(segment.node.inputs)
            live |= recipe_values(segment.at)
            state = segment.errstate
            found.append(Live(segment.at, (segment.node,), after, segment.offset, state))
            continue
        if isinstance(segment, Looped):
            live |= routine_values(segment)
            state = segment.errstate
            found.append(Live(segment.start, tuple(segment.nodes), after, None, state, segment))
            continue
        kept: list[Node] = []
        for node in reversed(windows[id(segment)]):
            dead = live.isdisjoint(node.outputs)
            # a dead division still warns, a dead inv() still raises
            if dead and (removable(node) or not numbers.keys().isdisjoint(node.outputs)):
                continue
            kept.append(node)
            live |= set(node.inputs)
            after |= set(node.outputs) if dead else set()
        live |= recipe_values(segment.start)
        found.append(Live(segment.start, tuple(reversed(kept)), after, None, segment.errstate))
    found.reverse()
    return found


def routine_values(segment: Looped) -> set[Value]:
    """What a routine and its exits take from before it, and what it makes."""
    found = recipe_values(segment.start)
    for exit in segment.exits.values():
        found |= recipe_values(exit)
    for node in segment.nodes:
        found |= uses(node)
    return found
