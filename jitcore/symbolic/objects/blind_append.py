"""`found.append(x)` in a loop, on a list that nobody looks at: it may have any length.

A list that is looked at has a guard for its length, and so another entry in each round. This one
stays lazy; the append is held back and performed at the exits. Whoever looks at the list after that
breaks (`realize`).
"""

from __future__ import annotations

from jitcore.fallback.exit import Do
from jitcore.guards.guard import HasType
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.values import Bound, Known, Lazy, Var


def unseen(vm: Machine, owner: Var, name: str) -> Bound | None:
    """Its bound append; None for everything else."""
    if name != "append" or not is_unseen(vm, owner):
        return None
    assert isinstance(owner, Lazy)
    vm.guard(HasType(owner.origin, list))
    return Bound(owner, name)


def is_unseen(vm: Machine, owner: Var) -> bool:
    if not isinstance(owner, Lazy) or type(owner.obj) is not list or not vm.in_loop:
        return False
    looked_at = owner.origin in vm.realized or id(owner.obj) in vm.by_id
    return vm.work is None and not looked_at


def append(vm: Machine, owner: Lazy, value: Var) -> Var:
    vm.live[owner.origin] = vm.mutable[owner.origin] = owner.obj
    vm.mutated.add(owner.origin)
    vm.blind.add(owner.origin)
    vm.writes += 1
    vm.hold(Do.CALL, Known(list.append), owner, value)
    return Known(None)
