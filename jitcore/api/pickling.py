"""A compiled function ⇄ what a pickle has of it.

found under its name   (rebuild, (its carrier, options)): the carrier is a plain function, a copy of
                       the original that says to be `f._carrier`, as indeed it is. Plain pickle, and
                       who else takes functions by name, finds it there: the very dispatcher comes
                       back. Who takes functions by value (cloudpickle and dill those of `__main__`)
                       takes it so, and a dispatcher is made of it
anything else          (rebuild, (the original, options)): a closure, a lambda, g = compile(f)

An object that is pickled does not learn who asks, so it gives a function, and leaves it to them.
"""

from __future__ import annotations

import gc
import sys
import weakref
from collections import OrderedDict
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from jitcore.api import attach
from jitcore.config import Config, environment
from jitcore.host.fast_dataclass import replace
from jitcore.user import backends
from jitcore.user.array_spec import checks

BY_NAME = 4  # the first protocol that has the name of an attribute of an attribute
SUFFIX = "._carrier"
CARGO = "_jitcore_cargo"  # among the attributes of a carrier: those of the dispatcher
OPTIONS = ("backend", "fullgraph", "dynamic", "numerics", "cache_limit", "compiling")
MOST_CODES = 256

Cargo = tuple[dict[str, Any], tuple[Any, ...] | None]

# A carrier, or a function that came by value → its dispatcher. A function that leads to itself is
# rebuilt twice while it is loaded: while it is empty, and when it is not.
of_functions: weakref.WeakKeyDictionary[FunctionType, weakref.ref[Any]] = (
    weakref.WeakKeyDictionary()
)
# What came by value comes again, with each task: its code object is the one that has entries.
codes: OrderedDict[Any, CodeType] = OrderedDict()


def reduced(dispatcher: Any, protocol: int) -> Any:
    if protocol < BY_NAME:
        return dispatcher.__qualname__
    config = dispatcher._config
    options = {name: getattr(config, name) for name in OPTIONS} if config is not None else {}
    found = is_found(dispatcher)
    fn = loaded(dispatcher) if found else dispatcher._original
    return rebuild, (fn, options), fn if found else cargo_of(dispatcher), None, None, finish


def is_found(fn: Any) -> bool:
    """Does its name lead to it?"""
    found = sys.modules.get(fn.__module__)
    for name in fn.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is fn


def carrier(dispatcher: Any) -> FunctionType:
    """The same one each time."""
    kept: FunctionType | None = dispatcher._keep_carrier(None)
    if kept is not None:
        return kept
    fn = dispatcher._original
    made = FunctionType(fn.__code__, fn.__globals__, fn.__name__, None, fn.__closure__)
    made.__module__ = dispatcher.__module__
    made.__qualname__ = dispatcher.__qualname__ + SUFFIX
    of_functions[made] = weakref.ref(dispatcher)
    stays: FunctionType = dispatcher._keep_carrier(made)
    return stays


def loaded(dispatcher: Any) -> FunctionType:
    """The carrier, with all that the original and the dispatcher have by now."""
    fn, made = dispatcher._original, carrier(dispatcher)
    for name in ("__code__", "__name__", "__defaults__", "__kwdefaults__", "__doc__"):
        setattr(made, name, getattr(fn, name))
    made.__annotations__ = fn.__annotations__
    setattr(made, "__type_params__", getattr(fn, "__type_params__", ()))  # noqa: B010 - from 3.12 on
    made.__module__ = dispatcher.__module__
    made.__qualname__ = dispatcher.__qualname__ + SUFFIX
    made.__dict__ = {**fn.__dict__, CARGO: cargo_of(dispatcher)}
    return made


def cargo_of(dispatcher: Any) -> Cargo:
    attributes = dict(dispatcher.__dict__)
    if attributes.get("__wrapped__") is dispatcher._original:
        del attributes["__wrapped__"]
    return attributes, dispatcher._signature


def rebuild(fn: FunctionType, options: dict[str, Any]) -> Any:
    """What pickles call. ValueError for a back end that is not registered here."""
    known = of_functions.get(fn)
    dispatcher = known() if known is not None else None
    if dispatcher is not None:
        finish(dispatcher, fn)
        return dispatcher
    config = replace(environment(), **options)
    backends.find(config.backend)
    if is_found(fn):
        return attach(fn, config)
    share(fn, config)
    dispatcher = attach(fn, config)
    of_functions[fn] = weakref.ref(dispatcher)
    return dispatcher


def finish(dispatcher: Any, state: Any) -> None:
    """What pickles call next. Nothing is to be done where it was found by its name, nor while the
    carrier is empty."""
    if isinstance(state, FunctionType):
        if dispatcher._original is not state or CARGO not in state.__dict__:
            return
        for fn in (dispatcher._function, state):
            fn.__qualname__ = fn.__qualname__.removesuffix(SUFFIX)
        state = state.__dict__.pop(CARGO)
    attributes, signature = state
    dispatcher.__dict__ = {"__wrapped__": dispatcher._original, **attributes}
    if signature is not None:
        dispatcher._set_signature(checks(signature), signature)


def share(fn: FunctionType, config: Config) -> None:
    """Its code, and that of the functions which came along with it, is that of earlier ones."""
    wanted, met = [fn], set()
    while wanted:
        one = wanted.pop()
        if one not in met and not is_found(one):
            met.add(one)
            one.__code__ = shared(one.__code__, config)
            wanted += functions_of(one)


def functions_of(fn: FunctionType) -> Iterator[FunctionType]:
    """Plain ones that its code, and functions within it, name."""
    names = {name for code in codes_in(fn.__code__) for name in code.co_names}
    cells = [one for cell in fn.__closure__ or () for one in gc.get_referents(cell)]
    for one in (*(fn.__globals__.get(name) for name in names), *cells):
        if type(one) is FunctionType and one.__globals__ is fn.__globals__:
            yield one


def codes_in(code: CodeType) -> Iterator[CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from codes_in(one)


def shared(code: CodeType, config: Any) -> CodeType:
    """An equal one that came before, for the same options: what is compiled of it serves again."""
    key = (code, files_of(code), config)
    codes[key] = there = codes.pop(key, code)
    while len(codes) > MOST_CODES:
        codes.popitem(last=False)
    return there


def files_of(code: CodeType) -> tuple[str, ...]:
    """Code objects from two files may be equal."""
    return tuple(one.co_filename for one in codes_in(code))
