"""Builtin functions about sequences and iterators, on what is known while compiling."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from jitcore.fallback import breaks
from jitcore.ir.ops.loop import RANGE_STEP
from jitcore.ir.types import PYINT, ArrayType, DynArrayType, ScalarType, type_of
from jitcore.symbolic.arrays.shape_facts import told
from jitcore.symbolic.describe import describe
from jitcore.symbolic.handlers.build import constants, key_of, make_slice
from jitcore.symbolic.loops import array_views, local_stack
from jitcore.symbolic.loops.sequences import code_point, sequence
from jitcore.symbolic.loops.sequences import count as length_of
from jitcore.symbolic.loops.union_value import chosen
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.models.objects import class_of
from jitcore.symbolic.nodes import call_builtin, number_type
from jitcore.symbolic.objects import comparisons, operators
from jitcore.symbolic.objects.calls import call, model
from jitcore.symbolic.objects.iterate import adopted, following, items_of, iterator, length
from jitcore.symbolic.truth import truth
from jitcore.symbolic.unwind import fails
from jitcore.symbolic.values import (
    Dict,
    Enumerate,
    Filter,
    Iter,
    Known,
    List,
    Map,
    Range,
    Set,
    Traced,
    Tuple,
    Var,
    Zip,
)
from jitcore.symbolic.wrap import realize

Args = tuple[Var, ...]
Words = dict[str, Var]


def plain(vm: Machine, name: str, kwargs: Words) -> None:
    if kwargs:
        vm.stop(breaks.UNKNOWN_BUILTIN, f"{name}() with {', '.join(kwargs)}=")


@model(len)
def len_(vm: Machine, args: Args, kwargs: Words) -> Var:
    owner = realize(vm, args[0])
    if local_stack.is_pile(owner):
        return local_stack.count(vm, owner)
    if isinstance(owner, Set):
        return Known(len(owner.items))
    if isinstance(owner, Traced) and isinstance(owner.value.type, DynArrayType):
        return array_views.length(vm, owner.value)
    if (
        isinstance(owner, Traced)
        and isinstance(owner.value.type, ArrayType)
        and owner.value.type.ndim
    ):
        return told(vm, owner, "len", lambda t: t.shape[0])
    count = length(vm, owner)
    over = sequence(vm, owner) if count is None and vm.work is not None else None
    if over is not None:
        return Traced(length_of(vm, over, 0))
    if count is None:
        vm.stop(breaks.UNKNOWN_BUILTIN, f"len() of {describe(owner)}")
    return Known(count)


@model(ord)
def ord_(vm: Machine, args: Args, kwargs: Words) -> Var:
    only = [realize(vm, arg) for arg in args]
    made = code_point(vm, only[0]) if len(only) == 1 and not kwargs else None
    if made is not None:
        return made
    if kwargs or not operators.foldable(*only):
        vm.stop(breaks.UNKNOWN_BUILTIN, "ord() of run-time values")
    return operators.folded(vm, ord, *(one.obj for one in only))  # type: ignore[union-attr]


@model(range)
def range_(vm: Machine, args: Args, kwargs: Words) -> Var:
    vars = [realize(vm, arg) for arg in args]
    if any(isinstance(v, Traced) and not isinstance(v.value.type, ScalarType) for v in vars):
        vm.stop(breaks.RUNTIME_VALUE, "range()")
    if not any(isinstance(v, Traced) for v in vars) or not bounds_are_whole(vm, vars):
        return operators.folded(vm, range, *map(vm.concrete, vars))
    start, stop, step = (Known(0), vars[0], Known(1)) if len(vars) == 1 else (*vars, Known(1))[:3]
    if isinstance(step, Traced):
        step = vm.emit(RANGE_STEP, (step.value,), {})
    return Range(start, stop, step)


def bounds_are_whole(vm: Machine, vars: list[Var]) -> bool:
    """range() takes them without a complaint, but for a step that a routine looks at."""
    return len(vars) <= 3 and all(map(is_whole, vars)) and all(may_step(vm, v) for v in vars[2:])


def may_step(vm: Machine, step: Var) -> bool:
    if isinstance(step, Known):
        return bool(step.obj != 0)
    return vm.work is not None and isinstance(step, Traced) and step.value.type == PYINT


def is_whole(var: Var) -> bool:
    """What range() takes without asking."""
    if isinstance(var, Known):
        return type(var.obj) is int
    kind = var.value.type if isinstance(var, Traced) else None
    return isinstance(kind, ScalarType) and kind.dtype.kind in "iu"


@model(slice)
def slice_(vm: Machine, args: Args, kwargs: Words) -> Var:
    parts = (Known(None), *args) if len(args) == 1 else args
    return make_slice(vm, *parts)


@model(enumerate)
def enumerate_(vm: Machine, args: Args, kwargs: Words) -> Var:
    first = kwargs.get("start", args[1] if len(args) > 1 else Known(0))
    start = vm.concrete(realize(vm, first), "begins an enumerate()")
    if type(start) not in (int, bool):
        vm.stop(breaks.UNKNOWN_BUILTIN, f"enumerate() from {describe(Known(start))} on")
    return adopted(vm, Enumerate(iterator(vm, args[0]), int(start)))


@model(zip)
def zip_(vm: Machine, args: Args, kwargs: Words) -> Var:
    strict = bool(kwargs) and truth(vm, kwargs["strict"]) is True
    return adopted(vm, Zip(tuple(iterator(vm, arg) for arg in args), strict))


@model(map)
def map_(vm: Machine, args: Args, kwargs: Words) -> Var:
    return adopted(vm, Map(args[0], tuple(iterator(vm, arg) for arg in args[1:])))


@model(filter)
def filter_(vm: Machine, args: Args, kwargs: Words) -> Var:
    return adopted(vm, Filter(args[0], iterator(vm, args[1])))


@model(iter)
def iter_(vm: Machine, args: Args, kwargs: Words) -> Var:
    if len(args) != 1:
        vm.stop(breaks.UNKNOWN_BUILTIN, "iter() with a sentinel")
    return iterator(vm, args[0])


@model(next)
def next_(vm: Machine, args: Args, kwargs: Words) -> Var:
    it = realize(vm, args[0])
    value = following(vm, it)
    vm.writes += 1
    if value is not None:
        return value
    if len(args) > 1:
        return args[1]
    fails(vm, StopIteration, "the iterator is at its end")


@model(reversed)
def reversed_(vm: Machine, args: Args, kwargs: Words) -> Var:
    over = args[0] if isinstance(args[0], Range) else realize(vm, args[0])
    if isinstance(over, Range) and over.settled is not None:
        over = over.settled
    of_range = isinstance(over, Range) or (isinstance(over, Known) and type(over.obj) is range)
    if of_range or (isinstance(over, Traced) and length(vm, over) is not None):
        return adopted(vm, Iter(over, backward=True))
    return Iter(Tuple(tuple(reversed(items_of(vm, over)))), passing=True)


@model(list)
def list_(vm: Machine, args: Args, kwargs: Words) -> Var:
    return List(items_of(vm, args[0]) if args else [])


@model(tuple)
def tuple_(vm: Machine, args: Args, kwargs: Words) -> Var:
    return Tuple(tuple(items_of(vm, args[0])) if args else ())


@model(set)
def set_(vm: Machine, args: Args, kwargs: Words) -> Var:
    return Set({key_of(vm, item) for item in items_of(vm, args[0])} if args else set())


@model(dict)
def dict_(vm: Machine, args: Args, kwargs: Words) -> Var:
    made = Dict({})
    if args:
        first = realize(vm, args[0])
        if isinstance(first, Dict):
            made.items.update(first.items)
        else:
            for pair in items_of(vm, first):
                parts = items_of(vm, pair)
                if len(parts) != 2:
                    vm.stop(breaks.PYTHON_RAISES, "ValueError: dict() of items that are not pairs")
                made.items[key_of(vm, parts[0])] = parts[1]
    made.items.update(kwargs)
    return made


def extreme(fn: Callable[..., Any], text: str) -> Callable[[Machine, Args, Words], Var]:
    """min and max: of numbers of one type at run time, of all else where it compares now."""

    def run(vm: Machine, args: Args, kwargs: Words) -> Var:
        name = fn.__name__
        plain(vm, name, kwargs)
        items = items_of(vm, args[0]) if len(args) == 1 else list(args)
        if not items:
            fails(vm, ValueError, f"{name}() of an empty sequence")
        kinds = {number_type(vm, item) for item in items}
        kind = kinds.pop()
        same = not kinds and kind is not None and len(items) > 1
        if same and vm.work is None and at_run_time(vm, items):
            assert kind is not None
            return call_builtin(vm, fn, tuple(items), kind)
        best = items[0]
        for item in items[1:]:
            test = comparisons.compare(vm, text, item, best)
            better = truth(vm, test)
            if better is None and vm.work is not None:
                best = chosen(vm, operators.to_bool(vm, test), item, best)
                continue
            if better is None:
                vm.stop(breaks.UNKNOWN_BUILTIN, f"{name}() of run-time values")
            best = item if better else best
        return best

    return run


def at_run_time(vm: Machine, items: list[Var]) -> bool:
    return any(isinstance(realize(vm, item), Traced) for item in items)


model(min)(extreme(min, "<"))
model(max)(extreme(max, ">"))


@model(sum)
def sum_(vm: Machine, args: Args, kwargs: Words) -> Var:
    """CPython's own order; floats by `sum` itself, which adds them with compensation since 3.12."""
    total: Var = kwargs.get("start", args[1] if len(args) > 1 else Known(0))
    items = [realize(vm, item) for item in items_of(vm, args[0])]
    if class_of(vm, realize(vm, total)) in (str, bytes, bytearray):
        vm.stop(breaks.PYTHON_RAISES, "TypeError: sum() can't sum strings")
    kinds = [number_type(vm, item) for item in (total, *items)]
    inexact = [k for k in kinds if k is not None and k.python and k.dtype.kind in "fc"]
    if not inexact:
        for item in items:
            total = operators.binary(vm, "+", total, item)
        return total
    if any(kind is None or not kind.python for kind in kinds):
        vm.stop(breaks.UNKNOWN_BUILTIN, "sum() of Python floats and other values")
    if not at_run_time(vm, [total, *items]):
        return operators.folded(
            vm, sum, constants(items), vm.concrete(realize(vm, total), "begins a sum")
        )
    widest = max(inexact, key=lambda kind: kind.dtype.itemsize)  # complex, if there is one
    return call_builtin(vm, sum, (Tuple(tuple(items)), total), widest)


def quantifier(fn: Callable[..., Any], stops_at: bool) -> Callable[[Machine, Args, Words], Var]:
    def run(vm: Machine, args: Args, kwargs: Words) -> Var:
        left: list[Var] = []  # from the first on that is known only at run time
        it = iterator(vm, args[0])
        answer, writes = not stops_at, vm.writes
        while answer is not stops_at and (item := following(vm, it)) is not None:
            writes = writes if left else vm.writes
            found = truth(vm, item)
            if found is not None:
                answer = found
            elif number_type(vm, item) is None:
                vm.stop(breaks.UNKNOWN_BUILTIN, f"{fn.__name__}() of run-time values")
            else:
                left.append(item)
        if not left:
            return Known(answer)
        if vm.writes != writes:
            vm.stop(breaks.UNKNOWN_BUILTIN, f"{fn.__name__}() of values with side effects")
        vm.spoiled.append(it)
        return call_builtin(vm, fn, (Tuple((*left, Known(answer))),), type_of(True))

    return run


model(any)(quantifier(any, True))
model(all)(quantifier(all, False))


@model(sorted)
def sorted_(vm: Machine, args: Args, kwargs: Words) -> Var:
    items = [realize(vm, item) for item in items_of(vm, args[0])]
    if kwargs or not operators.foldable(*items):
        vm.stop(breaks.UNKNOWN_BUILTIN, "sorted() of run-time values")
    try:
        return List([Known(x) for x in sorted(constants(items))])
    except TypeError as error:
        vm.stop(breaks.PYTHON_RAISES, str(error))


@model(functools.reduce)
def reduce_(vm: Machine, args: Args, kwargs: Words) -> Var:
    it = iterator(vm, args[1])
    total = args[2] if len(args) > 2 else following(vm, it)
    if total is None:
        vm.stop(breaks.PYTHON_RAISES, "TypeError: reduce() of an empty sequence")
    while (item := following(vm, it)) is not None:
        total = call(vm, args[0], (total, item), {})
    return total
