"""Symbolic state → exit: the recipes for the frame's slots, and the held-back effects."""

from __future__ import annotations

from jitcore.fallback import exit
from jitcore.fallback.exit import Do, Exit, ExitEffect, Leave, Recipe
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.recipes import EMPTY, Recipes
from jitcore.symbolic.values import Dict, Exc, Known, List, Object, Traced, Tuple, Var

SHOWS_LOCALS = frozenset(
    ("locals", "vars", "dir", "eval", "exec", "_getframe", "currentframe", "stack")
)


def exit_at(vm: Machine, offset: int, stack: list[Var], through_point: bool) -> Exit:
    """The outermost frame's state, as CPython must find it before the instruction at `offset`."""
    recipes = Recipes(vm)
    frame = vm.outer
    shown = not SHOWS_LOCALS.isdisjoint(frame.code.code.co_names)
    changed = {i: var for i, var in enumerate(frame.locals) if var is not frame.initial[i]}
    read = {i for i in changed if shown or i in frame.code.live[offset]}
    on_stack = recipes.many(stack)
    slots = {i: _local(recipes, changed[i]) for i in read}
    effects = _effects(vm, recipes)
    slots |= {i: _dead_local(recipes, var) for i, var in changed.items() if i not in read}
    for name, slot in frame.code.slot_of.items():
        if slot in slots:
            effects += (ExitEffect(Do.SET_GLOBAL, (exit.KnownObject(name), slots.pop(slot))),)
    return Exit(Leave.JUMP, offset, through_point, on_stack, tuple(slots.items()), effects)


def exit_return(vm: Machine, value: Var) -> Exit:
    recipes = Recipes(vm)
    return Exit(Leave.RETURN, value=recipes.of(value), effects=_effects(vm, recipes))


def _local(recipes: Recipes, var: Var | None) -> Recipe:
    return EMPTY if var is None else recipes.of(var)


def _dead_local(recipes: Recipes, var: Var | None) -> Recipe:
    """Nothing reads the slot again, but it keeps alive what others know of: a file, an array whose
    address was taken. What it held before is released, as in CPython."""
    return recipes.of(var) if var is not None and _is_known_outside(recipes, var) else EMPTY


def _is_known_outside(recipes: Recipes, var: Var, inside: tuple[int, ...] = ()) -> bool:
    """Could anybody notice the object's end? What only the region has seen ends unnoticed. A
    container may hold itself: `inside` are those that were gone through."""
    if id(var) in inside:
        return False
    if id(var) in recipes.made or getattr(var, "origin", None) is not None:
        return True
    match var:
        case Traced(value):
            return value in recipes.handed_out
        case Tuple(items) | List(items):
            parts = list(items)
        case Dict(items):
            parts = list(items.values())
        case Object(attrs=attrs):
            parts = [x for x in attrs.values() if x is not None]
        case _:
            return isinstance(var, (Known, Exc))
    return any(_is_known_outside(recipes, part, (*inside, id(var))) for part in parts)


def _effects(vm: Machine, recipes: Recipes) -> tuple[ExitEffect, ...]:
    """NumPy's state as in the blocks that are open, and what was held back."""
    entered = [ExitEffect(Do.MAKE, (recipes.of(token),)) for token in vm.tokens]
    held = [ExitEffect(held.do, recipes.many(held.parts)) for held in vm.effects]
    return (*entered, *held)
