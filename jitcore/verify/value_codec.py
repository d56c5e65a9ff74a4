"""An input of a graph ↔ one line of a bug report: its type, where it came from, and its bits.

%0 f8[10,3] x = zlib:eJxj...        an array's bytes in C order, or a NumPy scalar's
%1 pyf8 scale = float:0x1.8p+1      numbers of Python's
%2 f8[100000] y = random:2          an array whose bits are not in the file
%3 object<builtins.list> xs = items:pyf8 3 eJx...          numbers of one type in a list or tuple
%4 object<builtins.tuple> ys = items:pyf8 9000 random:4    and such as are not in the file
%5 object<builtins.str> text = text:"abc"                  texts, and bytes in hexadecimal digits
%6 object<model.Net> net =          anything else: its type is all that there is
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.host.lazy_import import LazyModule
from jitcore.ir.types import PYINT, ArrayType, ObjectType, ScalarType, fresh, parse_type, type_of
from jitcore.verify.deep_equal import Array, shortened

json = LazyModule("json")

SMALL = 4096  # bytes of an array that are written without being asked for
LARGEST = 1 << 28  # bytes of an array that a file may ask for
LINE = r"%(\d+) (\S+(?: .*?\)\]>\S*)?) (.*?) = ?([a-z]*):?(.*)"


class NotAnInput(ValueError):
    """The line is no input of a graph, or has no value."""


def input_line(number: int, value: Any, source: str, obj: Any, how: str) -> str:
    """`how`: which arrays are written: small, all, none."""
    t = value.type if value is not None else type_of(obj)
    head = f"%{number} {t} {source.replace(' = ', '=')} ="
    cls = type(obj)
    if how != "none" and cls in WRITTEN:
        return f"{head} {WRITTEN[cls](obj)}"
    items_of = listed(obj, number, how) if cls in LISTED else ""
    if items_of:
        return f"{head} {items_of}"
    if cls in TEXTS and how != "none" and (how == "all" or len(obj) <= SMALL):
        return f"{head} {TEXTS[cls](obj)}"
    if issubclass(cls, np.generic) and not obj.dtype.hasobject and how != "none":
        return f"{head} zlib:{packed(np.asarray(obj))}"
    if cls is np.ndarray and not obj.dtype.hasobject:
        given = how == "all" or (how == "small" and obj.nbytes <= SMALL)
        return f"{head} {f'zlib:{packed(obj)}' if given else f'random:{number}'}"
    return head


def packed(a: Array) -> str:
    return base64.b64encode(zlib.compress(a.tobytes(), 9)).decode("ascii")


LISTED = frozenset((list, tuple))
TEXTS: dict[type, Callable[[Any], str]] = {
    str: lambda x: f"text:{json.dumps(x)}",
    bytes: lambda x: f"bytes:{x.hex()}",
    bytearray: lambda x: f"bytes:{x.hex()}",
}


def listed(obj: Any, number: int, how: str) -> str:
    """Numbers of one type; nothing: it is anything else. An int of Python's may have any size."""
    if not obj:
        return f"items:{PYINT} 0"
    kinds = {type_of(item) for item in obj} if len(obj) <= LARGEST else set()
    if len(kinds) != 1:
        return ""
    (t,) = kinds
    if not isinstance(t, ScalarType) or t.dtype.kind not in "biufc":
        return ""
    head = f"items:{t} {len(obj)}"
    if how == "none" or (how == "small" and len(obj) * t.dtype.itemsize > SMALL):
        return f"{head} random:{number}"
    if t == PYINT:
        return f"{head} {' '.join(f'{item:#x}' for item in obj)}"
    return f"{head} {packed(np.array(obj, t.dtype))}"


WRITTEN: dict[type, Callable[[Any], str]] = {
    bool: lambda x: f"int:{int(x)}",
    int: lambda x: f"int:{x:#x}",
    float: lambda x: f"float:{x.hex()}",
    complex: lambda x: f"complex:{x.real.hex()} {x.imag.hex()}",
}


@dataclass(frozen=True, slots=True)
class Given:
    """An input: `source` is the expression that leads to it; `made_up`: its bits are not in the
    file."""

    number: int
    source: str
    value: Any
    made_up: bool


def given(line: str) -> Given:
    match = re.fullmatch(LINE, line)
    if match is None:
        raise NotAnInput(f"not an input: {shortened(line)}")
    made_up = match[4] == "random" or " random:" in match[5]
    return Given(int(match[1]), match[3], parsed(line)[1], made_up)


def parsed(line: str) -> tuple[int, Any]:
    """(number, the object). Anew each time: a store may happen to it."""
    match = re.fullmatch(LINE, line)
    if match is None:
        raise NotAnInput(f"not an input: {shortened(line)}")
    number, type_text, _, form, text = match.groups()
    t = parse_type(type_text)
    if isinstance(t, ArrayType):
        return int(number), array_of(t, form, text)
    if isinstance(t, ObjectType) and (t.cls, form) in MADE:
        return int(number), MADE[t.cls, form](text)
    if not isinstance(t, ScalarType) or form not in ("int", "float", "complex", "zlib"):
        raise NotAnInput(f"%{number} {type_text} has no value in the file")
    if form == "zlib":
        return int(number), np.frombuffer(unpacked(text, t.dtype.itemsize), t.dtype)[0]
    if form == "int":
        return int(number), t.pytype(int(text, 16))
    parts = [float.fromhex(part) for part in text.split()]
    return int(number), parts[0] if form == "float" else complex(*parts)


def items(text: str) -> list[Any]:
    kind, count, form = (*text.split(" ", 2), "", "")[:3]
    t = parse_type(kind)
    if not isinstance(t, ScalarType) or not count.isdecimal() or t.dtype.kind not in "biufc":
        raise NotAnInput(f"not the items of a list: {shortened(text)}")
    many = int(count)
    if many * t.dtype.itemsize > LARGEST:
        raise NotAnInput(f"a list of {many} items")
    if form.startswith("random:"):
        found = random(fresh(t.dtype, (many,)), int(form.removeprefix("random:")))
    elif t == PYINT:
        numbers = [int(word, 16) for word in form.split()]
        if len(numbers) != many:
            raise NotAnInput(f"{len(numbers)} items, where {many} are needed")
        return numbers
    else:
        found = np.frombuffer(unpacked(form, many * t.dtype.itemsize), t.dtype)
    return found.tolist() if t.python else [*found]


def text_of(text: str) -> str:
    found = json.loads(text)
    if type(found) is not str:
        raise NotAnInput("not a text")
    return found


MADE: dict[tuple[type | None, str], Callable[[str], Any]] = {
    (list, "items"): items,
    (tuple, "items"): lambda text: tuple(items(text)),
    (str, "text"): text_of,
    (bytes, "bytes"): bytes.fromhex,
    (bytearray, "bytes"): bytearray.fromhex,
}


def unpacked(text: str, size: int) -> bytes:
    found = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), size)
    if len(found) != size:
        raise NotAnInput(f"{len(found)} bytes, where {size} are needed")
    return found


def array_of(t: ArrayType, form: str, text: str) -> Array:
    """Laid out as its type says."""
    steps = [step * (n - 1) for step, n in zip(t.strides, t.shape, strict=True) if n > 1]
    low, high = sum(s for s in steps if s < 0), sum(s for s in steps if s > 0)
    size = t.size * t.dtype.itemsize
    if max(size, high - low) > LARGEST or t.dtype.hasobject:
        raise NotAnInput(f"an array of type {t}")
    room = np.zeros(high - low + t.dtype.itemsize + 2 * ALIGNED, np.uint8)
    first = -room.__array_interface__["data"][0] % ALIGNED + (0 if t.aligned else 1)
    made: Array = np.ndarray(t.shape, t.dtype, room, first - low, t.strides)
    plain = np.ndarray(t.shape, t.dtype, unpacked(text, size)) if form == "zlib" else None
    made[...] = random(t, int(text or 0)) if plain is None else plain
    made.flags.writeable = t.writeable
    return made


ALIGNED = 64


def random(t: ArrayType, seed: int) -> Array:
    """Numbers as programs have them, the same each time."""
    made = np.random.default_rng(seed)
    if t.dtype.kind == "b":
        return made.integers(0, 2, t.shape).astype(t.dtype)
    if t.dtype.kind in "iu":
        return made.integers(0, 100, t.shape).astype(t.dtype)
    if t.dtype.kind == "f":
        return made.standard_normal(t.shape).astype(t.dtype)
    if t.dtype.kind == "c":
        parts = made.standard_normal((2, *t.shape))
        both: Array = (parts[0] + 1j * parts[1]).astype(t.dtype)
        return both
    return np.zeros(t.shape, t.dtype)
