"""Could a RuntimeWarning, given now, raise, or run code of the user's?

Asked before a loop overwrites an array without keeping what stood there (csrc/kernel/undo.c):
should NumPy warn, it would do so before the store. What the machinery of warnings goes through is
looked at, and has to be CPython's own: filters, the functions that show a message, the stream it
goes to.

    filter      one that covers RuntimeWarning and says "error"       yes
    hook        warnings.showwarning, or what it calls, is replaced   yes
    recording   catch_warnings(record=True), pytest                   yes: hooks, too
    stream      sys.stderr is no open file of io's                    yes
    else                                                              no
"""

from __future__ import annotations

import io
import linecache
import operator
import re
import sys
import warnings
from dataclasses import field
from types import CodeType, FrameType, FunctionType
from typing import Any

from jitcore.host.fast_dataclass import dataclass
from jitcore.host.private_names import WARNING_HOOKS

HOOKS = {
    warnings: (
        "showwarning",
        "formatwarning",
        *WARNING_HOOKS,
    ),
    linecache: ("getline", "getlines", "updatecache", "lazycache"),
}
SHOWN = frozenset(("default", "always", "all", "module", "once", "ignore"))
LAYERS = ((io.TextIOWrapper, "buffer"), (io.BufferedWriter, "raw"))
OVERRIDES = frozenset(("write", "flush", "closed"))
TEXTS = (type(None), str, re.Pattern)
MISSING = object()


Hook = tuple[dict[str, Any], str, FunctionType, CodeType]


def plain_hooks() -> tuple[Hook, ...]:
    """The functions of these modules that are their own, each with its code."""
    found = []
    for module, names in HOOKS.items():
        for name in names:
            hook = vars(module).get(name)
            if type(hook) is FunctionType and hook.__code__.co_filename == module.__file__:
                found.append((vars(module), name, hook, hook.__code__))
    return tuple(found)


@dataclass(slots=True)
class Warned:
    """What was found harmless is compared by identity the next time."""

    hooks: tuple[Hook, ...] = field(default_factory=plain_hooks)
    message: Any = warnings.WarningMessage
    filters: tuple[Any, ...] = ()

    def passes(self) -> bool:
        return (
            self.pass_hooks()
            and self.pass_filters()
            and is_file(vars(sys).get("stderr", MISSING))
            and is_plain_frame(sys._getframe(1))
        )

    def pass_hooks(self) -> bool:
        if sys.modules.get("warnings") is not warnings:
            return False
        if len(self.hooks) < sum(map(len, HOOKS.values())):
            return False
        for names, name, hook, code in self.hooks:
            if names.get(name) is not hook or hook.__code__ is not code:
                return False
        return vars(warnings).get("WarningMessage") is self.message

    def pass_filters(self) -> bool:
        now = vars(warnings).get("filters")
        default = vars(warnings).get("defaultaction")
        if type(now) is not list or type(default) is not str or default not in SHOWN:
            return False
        if type(vars(warnings).get("onceregistry")) is not dict:
            return False
        if len(now) == len(self.filters) and all(map(operator.is_, now, self.filters)):
            return True
        if not all(map(lets_pass, now)):
            return False
        self.filters = tuple(now)
        return True


def lets_pass(row: Any) -> bool:
    """Neither an error for a RuntimeWarning nor objects of the user's that are asked."""
    if type(row) is not tuple or len(row) != 5:
        return False
    action, message, category, module, line = row
    if type(action) is not str or type(category) is not type or type(line) is not int:
        return False
    if type(message) not in TEXTS or type(module) not in TEXTS:
        return False
    return action in SHOWN or not issubclass(RuntimeWarning, category)


def is_file(stream: Any) -> bool:
    """Nothing, or what CPython itself opens."""
    if stream is None:
        return True
    layers = [stream]
    try:
        for cls, below in LAYERS:
            if type(layers[-1]) is cls:
                layers.append(getattr(layers[-1], below))
    except ValueError:  # it was detached
        return False
    if type(stream) is not io.TextIOWrapper or type(layers[-1]) is not io.FileIO or stream.closed:
        return False
    own = any(not OVERRIDES.isdisjoint(vars(layer)) for layer in layers)
    return not own and stream.errors == "backslashreplace"


def is_plain_frame(frame: FrameType) -> bool:
    """That of the code that the warning would be for."""
    registry = dict.get(frame.f_globals, "__warningregistry__")
    named = dict.get(frame.f_globals, "__name__")
    cache = vars(linecache).get("cache")
    source = cache.get(frame.f_code.co_filename, ()) if type(cache) is dict else None
    plain = type(registry) in (dict, type(None)) and type(named) in (str, type(None))
    # of one that is read lazily, a loader is asked
    return plain and type(source) is tuple and len(source) != 1
