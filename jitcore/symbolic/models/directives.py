"""What the marks of jitcore/user/directives.py mean in a capture."""

from __future__ import annotations

from jitcore.fallback import breaks
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects.calls import model
from jitcore.symbolic.values import Known, Var
from jitcore.user.directives import disable, graph_break, is_compiling


@model(graph_break)
def _graph_break(vm: Machine, args: tuple[Var, ...], kwargs: dict[str, Var]) -> Var:
    vm.stop(breaks.USER_BREAK, "jitcore.graph_break()")


@model(disable)
def _disable(vm: Machine, args: tuple[Var, ...], kwargs: dict[str, Var]) -> Var:
    vm.stop(breaks.DISABLED, "jitcore.disable()")


@model(is_compiling)
def _is_compiling(vm: Machine, args: tuple[Var, ...], kwargs: dict[str, Var]) -> Var:
    """The graph must compute what CPython would."""
    return Known(False)
