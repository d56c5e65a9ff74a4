"""Pure nodes of one window → the same work as groups (one kernel each) and single NumPy calls.

a = x * y        ┐
b = np.exp(a)    │ group 1, one loop over the shape of x
c = b.sum()      │            (folded into it as b is made)
d = b - y        ┘
e = d / c          its own:   c is only known when group 1 is done
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ..ir.graph import Node, uses
from ..ir.types import Shape
from ..ir.value import Value
from .abi import Signature
from .again import Part, recompute
from .composites import expanded
from .cut import pays_alone
from .demand import lower_any
from .loops import nest_of
from .lower import Lowering, signature
from .lower_reduce import is_reduction
from .program import Input, Program
from .units import merged, ordered, readers_of
from .views import Place, placed, shared

LEAST_NODES = 2

NO_VIEWS: Mapping[Value, Place] = MappingProxyType({})

Given = tuple[Value, Signature]
Reads = tuple[tuple[int, int], ...]  # which of what is given, from which byte on


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Nodes that run as one kernel. `inputs` are in launch order; a value may stand there twice."""

    nodes: tuple[Node, ...]
    inputs: tuple[Value, ...]
    given: tuple[Signature, ...]  # the inputs' own
    reads: Reads  # by the program's inputs
    outputs: tuple[Value, ...]
    shape: Shape
    program: Program


def fuse(
    nodes: Sequence[Node], live_out: Collection[Value], views: Mapping[Value, Place] = NO_VIEWS
) -> list[Node | Group]:
    """Group what fits; order the result so that everything comes after what it reads. `views`:
    those that were made before."""
    nodes = expanded(nodes)
    own = placed(nodes, views)
    nodes, views = shared(nodes, own), {**views, **own}
    readers = readers_of(nodes, live_out)
    units = ordered(merged(nodes, readers, views))
    parts = [Part([nodes[k] for k in sorted(unit.nodes)], unit.demand) for unit in units]
    recompute(parts, live_out)
    later: set[Value] = set(live_out)
    made: list[list[Node | Group]] = []
    for part in reversed(parts):
        group = group_of(part, later, views)
        made.append([*part.nodes] if group is None else [group])
        later |= part.reads()
    return [step for steps in reversed(made) for step in steps]


def group_of(part: Part, later: set[Value], views: Mapping[Value, Place]) -> Group | None:
    """The group of these nodes, lowered, with what is read `later` for its results; None where
    single calls are as good."""
    members = part.nodes
    outputs = tuple(v for node in members for v in node.outputs if v in later)
    if part.demand is None or not outputs:
        return None
    shape = part.demand.shape
    viewed = {value for node in members for value in uses(node) & views.keys()}
    lowering = Lowering()
    for node in members:
        lower_any(node, lowering)
    program = lowering.program
    folded = {value for node in members if is_reduction(node) for value in node.outputs}
    whole = tuple(v for v in outputs if v not in folded)
    program.outputs = {lowering.known[v]: signature(v.type) for v in whole}
    lone = len(members) + len(viewed) < LEAST_NODES
    if lone and not pays_alone(program, nest_of(program, shape)):
        return None
    results = (*whole, *(v for v in outputs if v in folded))
    given, reads = launched(lowering, views)
    inputs, signatures = tuple(value for value, _ in given), tuple(one for _, one in given)
    return Group(tuple(members), inputs, signatures, reads, results, shape, program)


def launched(lowering: Lowering, views: Mapping[Value, Place]) -> tuple[list[Given], Reads]:
    """What a launch takes, and where it reads: of views the array that they are views of, once."""
    given: dict[Given, int] = {}
    reads = []
    variables = (var for var in lowering.program.vars if isinstance(var, Input))
    for value, var in zip(lowering.inputs, variables, strict=True):
        at = views.get(value)
        one = (value, var.signature) if at is None else (at.array, signature(at.array.type))
        reads.append((given.setdefault(one, len(given)), 0 if at is None else at.offset))
    return [*given], tuple(reads)
