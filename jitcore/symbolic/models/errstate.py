"""np.errstate: the state under which a block's nodes are made.

    np.errstate(divide="ignore")    an Object like others, with its slots
    with it:                        _token is open; vm.errstate is the block's state
    …                               _token is spent; vm.errstate is what it was

Nothing is set while the region runs: nodes know their state (symbolic/state.py, Window). An exit
inside of a block sets NumPy's, so that CPython finds a token to give back (symbolic/exits.py).

A block whose state does more than warn is CPython's, and so is one that CPython has entered.
"""

from __future__ import annotations

from types import CodeType, FunctionType
from typing import Any

import numpy as np

from jitcore.fallback import breaks
from jitcore.guards.guard import ErrState, TypeVersion
from jitcore.ir.errstate import combined, only_warns
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects.attrs import load_attr
from jitcore.symbolic.objects.calls import CODE_MODELS, call, model
from jitcore.symbolic.placeholders import Token
from jitcore.symbolic.unwind import whole
from jitcore.symbolic.values import NOTHING, Func, Known, Object, Var
from jitcore.symbolic.wrap import realize

Args = tuple[Var, ...]
Words = dict[str, Var]

WORDS = ("all", "divide", "over", "under", "invalid")
UNSPECIFIED = (np.errstate.__init__.__kwdefaults__ or {}).get("call", NOTHING)


@model(np.errstate)
def made(vm: Machine, args: Args, kwargs: Words) -> Var:
    if args or not set(WORDS).issuperset(kwargs):
        vm.stop(breaks.WITH, "np.errstate with arguments other than states")
    vm.guard(TypeVersion(np.errstate))
    slots: dict[str, Var | None] = {"_call": Known(UNSPECIFIED), "_token": NO_TOKEN}
    slots |= {f"_{name}": kwargs.get(name, Known(None)) for name in WORDS}
    return Object(None, np.errstate, None, slots)


NO_TOKEN = Known(None)


@model(np.errstate.__enter__)
def enter(vm: Machine, args: Args, kwargs: Words) -> Var:
    manager = own(vm, args)
    if manager.attrs.get("_token") is not NO_TOKEN or manager.origin is not None:
        vm.stop(breaks.WITH, "an np.errstate that was made or entered before")
    manager.attrs["_token"] = opened(vm, manager)
    return Known(None)


@model(np.errstate.__exit__)
def leave(vm: Machine, args: Args, kwargs: Words) -> Var:
    closed(vm, own(vm, args).attrs.get("_token"))
    return Known(None)


def own(vm: Machine, args: Args) -> Object:
    manager = realize(vm, args[0]) if args else Known(None)
    if not isinstance(manager, Object) or manager.cls is not np.errstate:
        vm.stop(breaks.WITH, "np.errstate")
    return manager


def opened(vm: Machine, manager: Object) -> Token:
    words = {name: word(vm, manager, name) for name in WORDS}
    call = realize(vm, load_attr(vm, manager, "_call"))
    if getattr(call, "obj", None) is not UNSPECIFIED:
        vm.stop(breaks.WITH, "np.errstate(call=...)")
    try:
        code = combined(vm.errstate, words)
    except ValueError as error:
        vm.stop(breaks.PYTHON_RAISES, f"ValueError: {error}")
    if not only_warns(code):
        vm.stop(breaks.WITH, "np.errstate with a state other than ignore and warn")
    vm.guard(ErrState(vm.start.errstate))
    token = Token(words, vm.errstate)
    vm.tokens.append(token)
    vm.errstate = code
    return token


def word(vm: Machine, manager: Object, name: str) -> str | None:
    value = realize(vm, load_attr(vm, manager, f"_{name}"))
    if not isinstance(value, Known) or type(value.obj) not in (str, type(None)):
        vm.stop(breaks.WITH, f"np.errstate whose {name} is not known")
    text: str | None = value.obj
    return text


def closed(vm: Machine, token: Var | None) -> None:
    """Blocks end in the order in which they began, the last one first."""
    if not isinstance(token, Token) or not vm.tokens or vm.tokens[-1] is not token:
        vm.stop(breaks.WITH, "the end of an np.errstate that CPython has entered")
    vm.tokens.pop()
    vm.errstate = token.before
    token.spent = True


# ---- as a decorator -----------------------------------------------------------------------------


def decorated(vm: Machine, func: Func, args: Args, kwargs: Words) -> Var:
    """The function that np.errstate(...) makes of another."""
    inside = dict(zip(func.code.co_freevars, func.closure, strict=True))
    content = [inside[name].content for name in ("self", "func")]
    if None in content:
        vm.stop(breaks.WITH, "np.errstate")
    vm.guard(TypeVersion(np.errstate))
    token = opened(vm, own(vm, (content[0],)))  # type: ignore[arg-type]
    with whole(vm):
        result = call(vm, content[1], args, kwargs)  # type: ignore[arg-type]
    closed(vm, token)
    return result


def inner_code() -> CodeType | None:
    """Of the function that np.errstate.__call__ returns."""
    outer: Any = np.errstate.__call__
    consts = outer.__code__.co_consts if isinstance(outer, FunctionType) else ()
    found = [x for x in consts if isinstance(x, CodeType) and x.co_name == "inner"]
    plain = len(found) == 1 and set(found[0].co_freevars) == {"func", "self"}
    return found[0] if plain else None


INNER = inner_code()
if INNER is not None:
    CODE_MODELS[INNER] = decorated
