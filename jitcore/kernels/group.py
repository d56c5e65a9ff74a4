"""Nodes that are one kernel: what fusion makes and what the C text is printed from."""

from __future__ import annotations

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.graph import Node
from jitcore.ir.remark import Remark
from jitcore.ir.types import Shape
from jitcore.ir.value import Value
from jitcore.kernels.body import KernelBody
from jitcore.kernels.chains.stages import Chain
from jitcore.toolchain.abi import Signature

Given = tuple[Value, Signature]
Reads = tuple[tuple[int, int], ...]  # which of what is given, from which byte on
Targets = tuple[tuple[int, int], ...]  # which result, from which byte on
Write = tuple[int, int, bool]  # the same of a store; can only flags refuse it


@dataclass(frozen=True, slots=True, eq=False)
class FusionGroup:
    """Nodes that run as one kernel. `inputs` are in launch order; a value may stand there twice."""

    nodes: tuple[Node, ...]
    inputs: tuple[Value, ...]
    given: tuple[Signature, ...]  # the inputs' own
    reads: Reads  # by the program's inputs
    outputs: tuple[Value, ...]
    shape: Shape
    program: KernelBody
    written: tuple[Value, ...] = ()  # the result, before the others, that lies in an input
    write: Write | None = None
    alone: bool = False  # where a launch is refused, NumPy repeats no other work than this
    taken: tuple[tuple[Value, Value], ...] = ()  # a result, and the input whose memory it takes
    errstate: int | None = None  # as NumPy keeps it; None: the one that a launch finds
    targets: Targets = ()  # where the program's outputs lie; (): each is a result
    wholes: tuple[tuple[Value, Value], ...] = ()  # what it makes parts of, and that as a result
    chain: Chain | None = None  # then `program` is that of its last stage
    label: str = ""  # for profilers and debuggers, see toolchain/symbol_names.py
    held: int = 0  # elements of a row of results that stays in registers
    remarks: tuple[Remark, ...] = ()  # what did not apply

    @property
    def results(self) -> tuple[Value, ...]:
        return *self.written, *self.outputs
