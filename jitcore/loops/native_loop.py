"""A loop region as one function of machine code."""

from __future__ import annotations

from typing import Any

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.graph import Value
from jitcore.ir.remark import Remarks
from jitcore.toolchain.c_source import CSource


@dataclass(frozen=True, slots=True, eq=False)
class NativeLoop:
    """`ways`: the exits of ways 2 and up. `code` is a _C.Routine; of a sample, which nobody runs,
    what stands for one. `pure`: whoever calls it again finds nothing changed."""

    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    ways: tuple[Any, ...]
    code: Any
    pure: bool
    facts: tuple[Any, ...]  # what `code` is made of, but for the machine's code: first what
    more: tuple[Any, ...]  # stands before its handle, the C text last, then what stands behind it
    source: CSource
    shown: str = ""  # the C text with the user's lines, where somebody wants to read it
    remarks: tuple[Remarks, ...] = ()  # of each of its loops
