"""Methods of lists, dicts, sets and tuples with known structure.

On a container that the frame can see, a mutation is made symbolically and replayed on the real
one at the exits.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

from jitcore.fallback import breaks
from jitcore.symbolic.handlers.build import key_of
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects.calls import METHOD_MODELS
from jitcore.symbolic.objects.comparisons import same_or_equal
from jitcore.symbolic.objects.iterate import items_of
from jitcore.symbolic.objects.subscripts import index_of, replay
from jitcore.symbolic.unwind import fails, missing_key
from jitcore.symbolic.values import Dict, Known, List, Set, Tuple, Var, View
from jitcore.symbolic.wrap import realize

Args = tuple[Var, ...]
NONE = Known(None)
LAST = Known(-1)


def by_name(
    table: dict[str, Callable[..., Var]], kind: str
) -> Callable[[Machine, Var, str, Args, dict[str, Var]], Var]:
    counts = {name: argument_counts(row) for name, row in table.items()}

    def run(vm: Machine, owner: Var, name: str, args: Args, kwargs: dict[str, Var]) -> Var:
        row = table.get(name)
        if row is None or kwargs:
            vm.stop(breaks.UNKNOWN_BUILTIN, f"{kind}.{name}")
        if len(args) not in counts[name]:
            vm.stop(breaks.BAD_ARGUMENTS, f"{kind}.{name}()")
        return row(vm, owner, *args)

    return run


def argument_counts(row: Callable[..., Var]) -> range:
    """How many arguments the method takes: the row's own, without vm and owner."""
    given = list(inspect.signature(row).parameters.values())[2:]
    least = sum(p.default is p.empty for p in given)
    return range(least, len(given) + 1)


def append(vm: Machine, owner: List, value: Var) -> Var:
    owner.items.append(value)
    replay(vm, owner, list.append, value)
    return NONE


def extend(vm: Machine, owner: List, more: Var) -> Var:
    for item in items_of(vm, more):
        append(vm, owner, item)
    return NONE


def insert(vm: Machine, owner: List, at: Var, value: Var) -> Var:
    index = index_of(vm, at)
    if not isinstance(index, int):
        vm.stop(breaks.PYTHON_RAISES, "TypeError: list.insert() at something that is not an int")
    owner.items.insert(index, value)
    replay(vm, owner, list.insert, Known(index), value)
    return NONE


def pop(vm: Machine, owner: List, at: Var = LAST) -> Var:
    index = index_of(vm, at)
    if not isinstance(index, int):
        vm.stop(breaks.PYTHON_RAISES, "TypeError: list.pop() of something that is not an int")
    if not -len(owner.items) <= index < len(owner.items):
        fails(vm, IndexError, "pop index out of range")
    value = owner.items.pop(index)
    replay(vm, owner, list.pop, Known(index))
    return value


def clear(vm: Machine, owner: List) -> Var:
    owner.items.clear()
    replay(vm, owner, list.clear)
    return NONE


def reverse(vm: Machine, owner: List) -> Var:
    owner.items.reverse()
    replay(vm, owner, list.reverse)
    return NONE


def copy_list(vm: Machine, owner: List) -> Var:
    return List(list(owner.items))


def index(vm: Machine, owner: List | Tuple, wanted: Var) -> Var:
    for i, item in enumerate(owner.items):
        same = same_or_equal(vm, item, wanted)
        if same is None:
            vm.stop(breaks.OPERATOR, "index() by a run-time value")
        if same:
            return Known(i)
    fails(vm, ValueError, "not in the list or tuple")


def count(vm: Machine, owner: List | Tuple, wanted: Var) -> Var:
    found = [same_or_equal(vm, item, wanted) for item in owner.items]
    if None in found:
        vm.stop(breaks.OPERATOR, "count() by a run-time value")
    return Known(sum(bool(x) for x in found))


def view(name: str) -> Callable[[Machine, Dict], Var]:
    return lambda vm, owner: View(owner, name)


def get(vm: Machine, owner: Dict, key: Var, default: Var = NONE) -> Var:
    return owner.items.get(key_of(vm, key), default)


def setdefault(vm: Machine, owner: Dict, key: Var, default: Var = NONE) -> Var:
    name = key_of(vm, key)
    if name not in owner.items:
        owner.items[name] = default
        replay(vm, owner, dict.__setitem__, Known(name), default)
    return owner.items[name]


def pop_key(vm: Machine, owner: Dict, key: Var, default: Var | None = None) -> Var:
    name = key_of(vm, key)
    if name in owner.items:
        replay(vm, owner, dict.__delitem__, Known(name))
        return owner.items.pop(name)
    if default is None:
        missing_key(vm, name)
    return default


def update(vm: Machine, owner: Dict, more: Var) -> Var:
    more = realize(vm, more)
    if not isinstance(more, Dict):
        vm.stop(breaks.CONTAINER_TYPE, "update() with something that is not a plain dict")
    for name, value in list(more.items.items()):
        owner.items[name] = value
        replay(vm, owner, dict.__setitem__, Known(name), value)
    return NONE


def copy_dict(vm: Machine, owner: Dict) -> Var:
    return Dict(dict(owner.items))


def add(vm: Machine, owner: Set, value: Var) -> Var:
    owner.items.add(key_of(vm, value))
    vm.writes += 1
    return NONE


def discard(vm: Machine, owner: Set, value: Var) -> Var:
    owner.items.discard(key_of(vm, value))
    vm.writes += 1
    return NONE


LIST: dict[str, Callable[..., Var]] = {
    "append": append,
    "extend": extend,
    "insert": insert,
    "pop": pop,
    "clear": clear,
    "reverse": reverse,
    "copy": copy_list,
    "index": index,
    "count": count,
}
DICT: dict[str, Callable[..., Var]] = {
    "keys": view("keys"),
    "values": view("values"),
    "items": view("items"),
    "get": get,
    "setdefault": setdefault,
    "pop": pop_key,
    "update": update,
    "copy": copy_dict,
}
METHOD_MODELS["List"] = by_name(LIST, "list")
METHOD_MODELS["Dict"] = by_name(DICT, "dict")
METHOD_MODELS["Set"] = by_name({"add": add, "discard": discard}, "set")
METHOD_MODELS["Tuple"] = by_name({"index": index, "count": count}, "tuple")
