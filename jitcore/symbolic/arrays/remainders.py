"""What is left of extents in a division, as a constant: where all sizes have the same remainder."""

from __future__ import annotations

from jitcore.guards.source import Extent, Source
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.signals import Particular
from jitcore.symbolic.state import Division
from jitcore.symbolic.values import Traced

MOST_REST = 64  # of a division, that may be a constant


def is_extent(source: Source) -> bool:
    return type(source) is Extent


def rest(vm: Machine, var: Traced, use: str) -> int:
    """What is left of extents in a division is a constant where all have the same
    remainder."""
    met = vm.lengths.get(var.value, ())
    if not any(isinstance(one, Division) for one in met) or abs(var.hint) > MOST_REST:
        raise Particular("a number made of an extent is to be a constant")
    meet(vm, var, use)
    vm.looked.append(var.hint)
    return int(var.hint)


def meet(vm: Machine, var: Traced, use: str) -> None:
    """What such a number is made with: it is least and greatest at corners that have seen all
    of that."""
    for one in vm.lengths[var.value]:
        match one:
            case Division():
                vm.divided[one] = None
            case Traced():
                vm.concrete(one, use)
            case _:
                vm.looked.append(one)
