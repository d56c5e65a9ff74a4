"""Results of a loop → the dead arrays whose memory they take.

    t = a @ b            the product is an array of its own
    y = np.tanh(t + c)   nobody reads t again: y is written where t stands, and is that array

A launch makes sure that nobody else has the array; else it copies it into a new one
(csrc/kernel/launch.c). Only arrays that this window has made are taken: where a launch is refused,
CPython repeats the window, and makes them anew.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set

from jitcore.ir.op import Kind
from jitcore.ir.types import ArrayType
from jitcore.ir.value import Value
from jitcore.kernels.body import Input, KernelBody
from jitcore.kernels.iteration_space import IterationSpace, StrideClass
from jitcore.kernels.lower import Lowering
from jitcore.kernels.lower_reduce import is_dense
from jitcore.kernels.store_rules import is_same, written_last
from jitcore.kernels.view_offsets import ViewOffset
from jitcore.passes.rematerialize import ReadyUnit

NEW = (Kind.MAP, Kind.REDUCE, Kind.CREATE, Kind.LINALG)  # what such a node gives is a new array


def dying(
    parts: Sequence[ReadyUnit], live_out: Collection[Value], views: Mapping[Value, ViewOffset]
) -> list[set[Value]]:
    """For each part the arrays that it alone reads, and reads as they are."""
    made = {
        value
        for part in parts
        for node in part.nodes
        for value in node.outputs
        if node.op.kind in NEW and isinstance(value.type, ArrayType) and is_dense(value.type)
    }
    readers: dict[Value, list[int]] = {}
    for k, part in enumerate(parts):
        for value in {views[v].array if v in views else v for v in part.reads()}:
            readers.setdefault(value, []).append(k)
    kept = {views[v].array if v in views else v for v in live_out}
    viewed = {at.array for at in views.values()}
    lone = {v: at[0] for v, at in readers.items() if len(at) == 1 and v in made}
    found: list[set[Value]] = [set() for _ in parts]
    for value, k in lone.items():
        if value not in kept and value not in viewed:
            found[k].add(value)
    return found


def take_over(
    into: Lowering, dead: Set[Value], outputs: Sequence[Value], nest: IterationSpace
) -> dict[Value, Value]:
    """Output → the input whose memory it takes. The program is told."""
    program = into.program
    if not dead or program.shared or program.orders:
        return {}
    first = len(program.inputs())
    walks = nest.walks[first : first + len(program.outputs)]
    if any(walk is not StrideClass.UNIT for walk in walks):
        return {}
    variables = dict(zip(program.inputs(), into.inputs, strict=True))
    taken: dict[Value, Value] = {}
    for value in outputs:
        out = into.known[value]
        for var, other in variables.items():
            if other in dead and var not in program.shared and fits(program, var, value):
                program.shared[var] = out
                if into.inputs.count(other) == 1 and is_last(program, out):
                    taken[value] = other
                    break
                del program.shared[var]
    return taken


def fits(program: KernelBody, var: int, output: Value) -> bool:
    """Are they alike, element by element?"""
    assert isinstance(program.vars[var], Input)
    return isinstance(output.type, ArrayType) and is_same(program.vars[var], output.type)


def is_last(program: KernelBody, out: int) -> bool:
    """Is everything read before, and is what writes tried on an operand's own memory?"""
    calls = [step for step in program.steps if out in step.outs and len(step.outs) > 1]
    return not calls and written_last(program, out)
