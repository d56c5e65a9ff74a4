"""Capture and plan → the graph's text at each stage, with the same names all through.

captured       segments: windows of pure steps, loud steps, loops that are one C function
to be done     without what nobody reads; stores to the windows before them
planned        kernels, with the nodes that they run, and NumPy's calls
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jitcore.dump.exits import exit_lines
from jitcore.fallback.exit import Exit
from jitcore.ir.graph import Node, Value
from jitcore.ir.text import node_lines, show, typed
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.kernel import name_of
from jitcore.opcodes.decode import Code
from jitcore.plan.liveness import Live
from jitcore.plan.segments import PlannedSegment, Schedule
from jitcore.symbolic.state import Capture, EffectStep, LoopRegion, Segment

Names = dict[Value, str]
INDENT = "    "


def captured_lines(capture: Capture, names: Names, decoded: Code) -> Iterator[str]:
    for value in capture.graph.inputs:
        source = next((str(s) for s, one in capture.inputs.items() if one is value), "")
        yield f"{typed((value,), names)} = {source}"
    for segment in capture.segments:
        yield from segment_lines(segment, names, decoded)
    yield "exit:"
    yield from indented(exit_lines(capture.exit, names, decoded))


def segment_lines(segment: Segment, names: Names, decoded: Code) -> Iterator[str]:
    match segment:
        case EffectStep(node, _, offset):
            yield f"at {offset}, in earnest:"
            yield from node_lines(node, names, INDENT)
        case LoopRegion():
            yield "loops, as one C function:"
            for node in segment.nodes:
                yield from node_lines(node, names, INDENT)
            for exit in dict.fromkeys(segment.exits.values()):
                yield f"{INDENT}where it is left in mid-flight:"
                yield from indented(exit_lines(exit, names, decoded), 2)
        case _:
            yield f"window, repeated by CPython where a step fails{start(segment.start)}:"
            for node in segment.nodes:
                yield from node_lines(node, names, INDENT)


def start(exit: Exit) -> str:
    return f", from {exit.offset} on" if exit.offset >= 0 else ""


def live_lines(live: Iterable[Live], names: Names) -> Iterator[str]:
    for one in live:
        if not one.nodes:
            continue
        yield f"loud at {one.loud}:" if one.loud is not None else "window:"
        for node in one.nodes:
            yield from node_lines(node, names, INDENT)


def plan_lines(plan: Schedule, names: Names) -> Iterator[str]:
    for segment in plan.segments:
        yield from planned_lines(segment, names)
    if plan.frameless:
        yield "(a whole call: it needs no Python frame)"


def planned_lines(segment: PlannedSegment, names: Names) -> Iterator[str]:
    if segment.routine is not None:
        given = ", ".join(show(value, names) for value in segment.routine.inputs)
        yield f"loops({given}) -> {typed(segment.routine.outputs, names)}"
    for step in segment.steps:
        if isinstance(step, FusionGroup):
            given = ", ".join(show(value, names) for value in step.inputs)
            yield f"kernel {name_of(step)}({given}) -> {typed(step.results, names)}:"
            for node in step.nodes:
                yield from node_lines(node, names, INDENT)
        elif isinstance(step, Node):
            yield from node_lines(step, names, "")
        else:
            given = ", ".join(show(value, names) for value in step.inputs)
            yield f"backend({given}) -> {typed(step.outputs, names)}"


def indented(lines: Iterable[str], depth: int = 1) -> Iterator[str]:
    return (f"{INDENT * depth}{line}" for line in lines)
