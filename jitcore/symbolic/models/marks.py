"""Functions by which a program speaks to the compiler. Outside compiled code they do next to nothing."""

from __future__ import annotations

from jitcore.fallback import breaks
from jitcore.symbolic.calls import model
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.values import Known, Var


def graph_break() -> None:
    """Force a break here: what stands before and after is compiled apart."""


def is_compiling() -> bool:
    """Whether this call is being captured into a graph. CPython's answer is always False."""
    return False


@model(graph_break)
def _graph_break(vm: Machine, args: tuple[Var, ...], kwargs: dict[str, Var]) -> Var:
    vm.stop(breaks.USER_BREAK, "jitcore.graph_break()")


@model(is_compiling)
def _is_compiling(vm: Machine, args: tuple[Var, ...], kwargs: dict[str, Var]) -> Var:
    """The graph must compute what CPython would."""
    return Known(False)
