"""Exit → Python-like text: what a region leaves in CPython's frame, and where CPython goes on.

self.total = %4              effects, in order
stack: %2, %5
y = %3                       locals
goto 56                      line 12: print("half way")
"""

from __future__ import annotations

import linecache
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Any

from jitcore.fallback.exit import (
    Built,
    Computed,
    Do,
    Empty,
    Exit,
    ExitEffect,
    KnownObject,
    Leave,
    Loaded,
    Make,
    Recipe,
)
from jitcore.guards.guard import name_of
from jitcore.guards.source import shown
from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.graph import Value
from jitcore.opcodes.decode import Code

PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))


def exit_lines(exit: Exit, names: dict[Value, str], decoded: Code) -> list[str]:
    words = Words(names, times_read(exit))
    lines = [line for effect in exit.effects for line in words.effect(effect)]
    if exit.stack:
        stack = ", ".join(words.of(one) for one in exit.stack)
        lines += [*words.flushed(), f"stack: {stack}"]
    for slot, recipe in exit.locals:
        text = words.of(recipe)
        left = f"del {decoded.local_names[slot]}"
        lines += words.flushed()
        lines.append(left if type(recipe) is Empty else f"{decoded.local_names[slot]} = {text}")
    value = "" if exit.value is None else words.of(exit.value)
    return [*lines, *words.flushed(), WHERE_TO[exit.leave](exit, value, decoded)]


def goes_on(exit: Exit, value: str, decoded: Code) -> str:
    at = f"the region point at {exit.offset}" if exit.through_point else str(exit.offset)
    return f"goto {at}    # {line_at(decoded, exit.offset)}".rstrip("# ")


def line_at(decoded: Code, offset: int) -> str:
    """The user's line of an instruction."""
    line = decoded.instrs[decoded.by_offset[offset]].position[0]
    if line is None:
        return ""
    text = linecache.getline(decoded.code.co_filename, line).strip()
    return f"line {line}: {text}" if text else f"line {line}"


WHERE_TO: Mapping[Leave, Callable[[Exit, str, Code], str]] = {
    Leave.RETURN: lambda exit, value, decoded: f"return {value}",
    Leave.JUMP: goes_on,
    Leave.MISS: lambda exit, value, decoded: "a miss: CPython runs the piece from its start",
}


def times_read(exit: Exit) -> Counter[int]:
    """How often each recipe occurs: what occurs twice is one object."""
    found: Counter[int] = Counter()
    todo: list[Recipe] = [part for effect in exit.effects for part in effect.parts]
    todo += [*exit.stack, *(recipe for _, recipe in exit.locals)]
    todo += [exit.value] if exit.value is not None else []
    while todo:
        recipe = todo.pop()
        found[id(recipe)] += 1
        if isinstance(recipe, Built) and found[id(recipe)] == 1:
            todo.extend(recipe.parts)
    return found


@dataclass(slots=True)
class Words:
    names: dict[Value, str]
    read: Counter[int]
    made: dict[int, str] = field(default_factory=dict)  # recipes that have a name of their own
    lines: list[str] = field(default_factory=list)  # that come before the one at hand

    def flushed(self) -> list[str]:
        lines, self.lines = self.lines, []
        return lines

    def effect(self, effect: ExitEffect) -> Iterator[str]:
        parts = [self.of(part) for part in effect.parts]
        text = EFFECTS[effect.do]([*map(bare, effect.parts, parts)])
        yield from self.flushed()
        yield text

    def of(self, recipe: Recipe) -> str:
        match recipe:
            case KnownObject(obj):
                return constant(obj)
            case Loaded(source):
                return str(source)
            case Computed(value):
                return self.names.setdefault(value, f"%{len(self.names)}")
            case Empty():
                return "NULL"
            case Built(make, parts):
                return self.named(recipe, make, parts)

    def named(self, recipe: Recipe, make: Make, parts: tuple[Recipe, ...]) -> str:
        found = self.made.get(id(recipe))
        if found is not None:
            return found
        text = MADE[make]([self.of(part) for part in parts])
        if self.read[id(recipe)] > 1:
            name = self.made[id(recipe)] = f"t{len(self.made)}"
            self.lines.append(f"{name} = {text}")
            return name
        return text


def bare(recipe: Recipe, text: str) -> str:
    """A name, where it is one."""
    return recipe.obj if isinstance(recipe, KnownObject) and type(recipe.obj) is str else text


def constant(obj: Any) -> str:
    """Without running code of the user's."""
    if type(obj) in PLAIN:
        return shown(obj)
    if type(obj) is tuple:
        return items("(", obj, ",)" if len(obj) == 1 else ")")
    return name_of(obj)


def items(before: str, objects: tuple[Any, ...], after: str) -> str:
    return f"{before}{', '.join(map(constant, objects))}{after}"


def called(parts: list[str]) -> str:
    return f"{parts[0]}({', '.join(parts[1:])})"


def pairs(parts: list[str], between: str) -> str:
    both = zip(parts[::2], parts[1::2], strict=True)
    return ", ".join(f"{key}{between}{value}" for key, value in both)


EFFECTS: Mapping[Do, Callable[[list[str]], str]] = {
    Do.SET_GLOBAL: lambda parts: f"{parts[0]} = {parts[1]}    # global",
    Do.DEL_GLOBAL: lambda parts: f"del {parts[0]}    # global",
    Do.SET_CELL: lambda parts: f"{parts[0]}.cell_contents = {parts[1]}",
    Do.CALL: called,
    Do.MAKE: lambda parts: parts[0],
}

MADE: Mapping[Make, Callable[[list[str]], str]] = {
    Make.TUPLE: lambda parts: f"({', '.join(parts)}{',' * (len(parts) == 1)})",
    Make.LIST: lambda parts: f"[{', '.join(parts)}]",
    Make.SET: lambda parts: f"{{{', '.join(parts)}}}" if parts else "set()",
    Make.DICT: lambda parts: f"{{{pairs(parts, ': ')}}}",
    Make.SLICE: lambda parts: f"slice({', '.join(parts)})",
    Make.CALL: called,
    Make.METHOD: lambda parts: f"{parts[1]}.{parts[0].rpartition('.')[2]}",
    Make.CELL: lambda parts: f"cell({', '.join(parts)})",
    Make.FUNCTION: lambda parts: f"function({', '.join(parts)})",
    Make.INSTANCE: lambda parts: f"{parts[0]}({pairs(parts[1:], '=')})",
    Make.ADVANCED: lambda parts: f"advanced({', '.join(parts)})",
    Make.TAKEN: lambda parts: f"taken({', '.join(parts)})",
}
