"""`print` of what needs no code of the program's to become a text: a step between kernels.

    Window …  check: the stream is plain   one that is not: CPython goes on before the window
    effect    print                        at its place, once; what it raises is raised there
    Window …

In an inlined call, of which no frame is there to go on in, it is done when the call has returned:
what comes in between is pure, and if it fails nothing has been printed.

A plain stream (jitcore/host/plain_streams.py) runs nothing of the program's, so all that is known
of it goes on to hold, and what is held back is not seen. Anything else is printed by CPython.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from types import CodeType, FunctionType
from typing import Any

from jitcore.fallback import breaks
from jitcore.guards.guard import HasType
from jitcore.guards.source import Const, ModuleAttr
from jitcore.host.fast_dataclass import replace
from jitcore.host.plain_streams import check, is_plain
from jitcore.ir.graph import Node
from jitcore.ir.op import Effect, Kind, Op
from jitcore.ir.ops.opaque import gives_none
from jitcore.ir.types import ObjectType, ScalarType
from jitcore.ir.value import Value, leaves
from jitcore.symbolic.describe import describe, with_article
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects.calls import model
from jitcore.symbolic.objects.strings import TEXT
from jitcore.symbolic.state import Frame
from jitcore.symbolic.values import Known, List, Traced, Tuple, Var
from jitcore.symbolic.wrap import realize
from jitcore.user.directives import disable

CHECK = Op("jitcore.check_stream", check, Kind.OPAQUE, Effect.SILENT, gives_none)
PRINT = Op("py.print", print, Kind.OPAQUE, Effect.LOUD, gives_none, lambda *_: Effect.LOUD)
WORDS = ("sep", "end", "flush", "file")
PLAIN = (str, int, float, complex, bool, type(None), type(...))


@model(print)
def print_(vm: Machine, args: tuple[Var, ...], kwargs: dict[str, Var]) -> Var:
    where = place_of_its_own(vm)
    if where or not kwargs.keys() <= set(WORDS):
        vm.stop(breaks.PRINT, f"print(){where}")
    tree = tuple(printed(vm, arg) for arg in args)
    words = {key: word(vm, arg) for key, arg in kwargs.items() if key != "file"}
    texts = [one for one in leaves((tree, words)) if type(one) is str]
    is_ascii = all(map(str.isascii, texts)) and not any(map(is_made, leaves((tree, words))))
    file = stream(vm, kwargs.get("file", Known(None)), is_ascii)
    place = vm.place()
    vm.window().nodes.append(Node(CHECK, (file, is_ascii), {}, (), (), place))
    given = words if file is None else {**words, "file": file}
    if vm.inlined:
        vm.postpone(Node(replace(PRINT, target=as_from(vm.frames[1:])), tree, given, (), (), place))
    else:
        vm.loud(Node(PRINT, tree, given, (), (), place))
    vm.nodes += 2
    return Known(None)


def as_from(frames: Sequence[Frame]) -> Callable[..., None]:
    """print(), as inlined functions call it, one in the other: their lines are in the traceback of
    what it raises."""
    found: Callable[..., None] = print
    for frame in reversed(frames):
        found = caller(found, frame)
    return found


def caller(called: Callable[..., None], frame: Frame) -> Callable[..., None]:
    """Calls it from where the frame is."""
    assert frame.instr is not None
    code = frame.code.code
    first, last, col, end = frame.instr.position
    tree = ast.parse("def f(*args, **words): return to(*args, **words)")
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt):
            node.lineno, node.end_lineno = first or code.co_firstlineno, last
            node.col_offset, node.end_col_offset = col or 0, end
    tree.body[0].lineno = tree.body[0].end_lineno = code.co_firstlineno
    made = next(c for c in compile(tree, code.co_filename, "exec").co_consts if is_code(c))
    named = made.replace(co_name=code.co_name, co_qualname=code.co_qualname)
    return disable(FunctionType(named, {"to": called}), recursive=False)


def is_code(const: Any) -> bool:
    return type(const) is CodeType


def place_of_its_own(vm: Machine) -> str:
    """Where no step has one."""
    if vm.work is not None:
        return " in a compiled loop"
    if any(f.instr and f.code.handler_of(f.instr.offset) for f in vm.frames[1:]):
        return " in a block of a function that is inlined"
    return " in verify mode" if vm.config.verify else ""


def printed(vm: Machine, var: Var, inside: bool = False) -> Any:
    """A number, a text, None, or tuples and lists of them."""
    var = realize(vm, var)
    match var:
        case Known(obj) if is_text(obj):
            return obj
        case Traced(Value(type=ScalarType() as kind) as value) if kind.dtype.kind in "biufc":
            if kind.python or not inside:
                return value
        case Traced(value) if value.type == TEXT:
            return value
        case Tuple(items, cls=cls) if cls is tuple:
            return tuple(printed(vm, item, True) for item in items)
        case Known(obj) if type(obj) is tuple:
            return tuple(printed(vm, Known(item), True) for item in obj)
        case List(items):
            return [printed(vm, item, True) for item in items]
    inner = " in a tuple or a list" if inside else ""
    vm.stop(breaks.PRINT, f"print() of {describe(var)}{inner}")


def is_made(leaf: Any) -> bool:
    """A text of which only run time knows the letters."""
    return type(leaf) is Value and leaf.type == TEXT


def is_text(obj: Any) -> bool:
    if type(obj) is not str or obj.isascii():
        return type(obj) in PLAIN
    return obj.encode("utf-8", "replace").decode() == obj


def word(vm: Machine, var: Var) -> Any:
    var = realize(vm, var)
    if isinstance(var, Known) and is_text(var.obj):
        return var.obj
    vm.stop(breaks.PRINT, f"print() with {describe(var)}")


def stream(vm: Machine, file: Var, is_ascii: bool) -> Value | None:
    """None: the one that print() looks up."""
    file = realize(vm, file)
    origin = getattr(file, "origin", None)
    if isinstance(file, Known) and file.obj is None:
        origin, live = ModuleAttr(Const(sys), "stdout"), vars(sys).get("stdout")
    elif origin is not None:
        live = vm.live.get(origin)
    else:
        vm.stop(breaks.PRINT, f"print() to {describe(file)}")
    if not is_plain(live, is_ascii):
        vm.stop(breaks.PRINT, f"print() to {with_article(type(live).__name__)}")
    vm.guard(HasType(origin, type(live)))
    by_itself = isinstance(file, Known)
    return None if by_itself else vm.input(origin, ObjectType(type(live)))
