"""Items of lists, tuples, strings and bytes in C, with CPython's bounds.

Items of lists and tuples are objects: each is looked at when it is read, and one of another type
leaves the routine, as does a nan, of which CPython would have the very same again. What a list has
had in the place of what is stored goes by csrc/loop/boxing.c, which lets go of plain objects only.
"""

from __future__ import annotations

from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node, Value
from jitcore.ir.types import CHARACTER, PYFLOAT, PYINT, ObjectType, ScalarType
from jitcore.loops.address import index
from jitcore.loops.c_types import c_type, number
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import Fact
from jitcore.loops.forms.scalars import form
from jitcore.toolchain.abi import NUMPY_SCALAR

SEQUENCES = {
    ObjectType(list): "L",
    ObjectType(tuple): "T",
    ObjectType(str): "U",
    ObjectType(bytes): "B",
    ObjectType(bytearray): "Y",
}
CHARACTER_LETTER = "u"
NONE_LETTER = "n"
GROWN = "G"  # a list that is appended to
OBJECTS = (ObjectType(list), ObjectType(tuple))


@form("seq.item")
def read(w: LoopEmitter, node: Node) -> str:
    over, key = node.args
    array = w.array(over)
    at = index(w, node, key, w.extent(array, 0))
    if over.type in OBJECTS:
        return read_object(w, node, f"((void *const *)p{array})[{at}]")
    if node.outputs[0].type == CHARACTER:
        return f"rt_character(p{array}, {w.step(array, 0)}, {at})"
    return f"((const u8 *)p{array})[{at}]"


def read_object(w: LoopEmitter, node: Node, item: str) -> str:
    w.note(Fact.ASKS)
    kind = number(node.outputs[0])
    name = w.name(node.outputs[0])
    if kind == PYFLOAT:
        w.leave_if(node, f"!rt_float({item}, world, &{name})")
        w.leave_if(node, f"{name} != {name}")
    elif kind == PYINT:
        w.leave_if(node, f"!world->whole({item}, &{name})")
    else:
        slot = w.scratch("rt_slot")
        letter, num = letter_of(kind)
        w.leave_if(node, f"!world->fits('{letter}', {num}, {item}, &{slot})")
        w.line(f"{name} = *({c_type(kind)} *){slot}.bytes;")
        if kind.dtype.kind == "c":
            w.leave_if(node, f"{name}.re != {name}.re || {name}.im != {name}.im")
        elif kind.dtype.kind == "f":
            w.leave_if(node, f"{name} != {name}")
    return name


def letter_of(kind: ScalarType) -> tuple[str, int]:
    return (kind.dtype.kind if kind.python else NUMPY_SCALAR), kind.dtype.num


@form("seq.store")
def write(w: LoopEmitter, node: Node) -> str:
    over, key, value = node.args
    array, kind, text = w.array(over), number(value), w.text(value)
    at = index(w, node, key, w.extent(array, 0))
    if over.type not in OBJECTS:
        w.leave_if(node, f"(u64){text} > 255")
        w.settle()
        w.line(f"((u8 *)p{array})[{at}] = (u8){text};")
        return ""
    w.settle()
    w.note(Fact.ASKS)
    slot = w.scratch("rt_slot")
    letter, num = letter_of(kind)
    w.line(f"*({c_type(kind)} *){slot}.bytes = {text};")
    w.leave_if(node, f"!world->put((void **)p{array} + {at}, '{letter}', {num}, &{slot})")
    return ""


@form("seq.append")
def append(w: LoopEmitter, node: Node) -> str:
    over, value = node.args
    w.note(Fact.ASKS)
    slot = w.scratch("rt_slot")
    if type(value) is str:
        letter, num, name, text = CHARACTER_LETTER, 0, "u32", str(ord(value))
    elif type(value) is Value and value.type == CHARACTER:
        letter, num, name, text = CHARACTER_LETTER, 0, "u32", w.name(value)
    else:
        kind = number(value)
        (letter, num), name, text = letter_of(kind), c_type(kind), w.text(value)
        if type(value) is Value and kind.dtype.kind in "fc":
            text = w.kept(name, text)
            parts = [f"{text}.re", f"{text}.im"] if kind.dtype.kind == "c" else [text]
            w.leave_if(node, " || ".join(f"{part} != {part}" for part in parts))
    w.settle()
    w.line(f"*({name} *){slot}.bytes = {text};")
    w.leave_if(node, f"!world->append(p{w.array(over)}, '{letter}', {num}, &{slot})")
    return ""


@form("ord")
def code_point(w: LoopEmitter, node: Node) -> str:
    (value,) = node.args
    if value.type != CHARACTER:
        raise CannotLower("ord() of a string")
    return f"(i64){w.name(value)}"
