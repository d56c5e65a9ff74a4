"""A call of what jitcore.compile has returned → a call of the function that it was given, in this
graph.

    Compiled ─ neither a signature nor other options ─▶ Func, under guards ─▶ inlined as any other

What it was compiled to on its own is of no use here: a graph of both is at least as good. Guards
look at its options and at the parts of its function, not at which dispatcher it is. What breaks in
it is CPython's call of the dispatcher.
"""

from __future__ import annotations

from jitcore.fallback import breaks
from jitcore.guards.guard import Equals
from jitcore.guards.source import CompiledPart
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects.function_parts import function_value
from jitcore.symbolic.values import CompiledFunction, Func


def function_of(vm: Machine, called: CompiledFunction) -> Func:
    obj, here = called.obj, vm.config.results
    name = f"{obj._original.__qualname__}()"
    if obj._signature is not None:
        vm.stop(breaks.COMPILED_APART, f"{name} checks its arguments against a signature")
    if obj._options != here:
        with_what = obj._options or "nothing"
        vm.stop(
            breaks.COMPILED_APART, f"{name} is compiled with {with_what}, its caller with {here}"
        )
    vm.guard(Equals(CompiledPart(called.origin, "_options"), here))
    return function_value(vm, obj._original, CompiledPart(called.origin, "_original"))
