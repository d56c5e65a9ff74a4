"""Two portraits → the first difference, in words, or None.

result[1]: element (0, 3): eager 0x3ff0000000000000 (1.0), compiled 0x3ff0000000000001 …
"""

from __future__ import annotations

from typing import Any

import numpy as np
from support.portrait import Array, Items, Object, Plain, Scalar, paint_all

MAX_TEXT = 300


def difference(eager: Any, compiled: Any, path: str = "") -> str | None:
    """Where and how `compiled` is not what `eager` is; both are portraits."""
    if eager == compiled and type(eager) is type(compiled):
        return None
    if type(eager) is not type(compiled):
        return differ(path, "kind", eager, compiled)
    match eager:
        case Array():
            return array_difference(eager, compiled, path)
        case Scalar():
            return scalar_difference(eager, compiled, path)
        case Items() | Object():
            if eager.type != compiled.type:
                return differ(path, "type", eager.type, compiled.type)
            return difference(eager[1], compiled[1], path)
        case Plain() if eager.type != compiled.type:
            return differ(path, "type", eager.type, compiled.type)
        case Plain():
            return differ(path, "value", eager.value, compiled.value)
        case tuple():
            return sequence_difference(eager, compiled, path)
    return differ(path, "value", eager, compiled)


def sequence_difference(eager: Any, compiled: Any, path: str) -> str:
    for index, (left, right) in enumerate(zip(eager, compiled, strict=False)):
        name = f".{left[0]}" if is_field(left) and is_field(right) else f"[{index}]"
        found = difference(left, right, path + name)
        if found is not None:
            return found
    return differ(path, "length", len(eager), len(compiled)) + first_extra(eager, compiled)


def is_field(item: Any) -> bool:
    return type(item) is tuple and len(item) == 2 and isinstance(item[0], str)


def first_extra(eager: Any, compiled: Any) -> str:
    longer, name = (eager, "eager") if len(eager) > len(compiled) else (compiled, "compiled")
    return f"; only {name} has {short(longer[min(len(eager), len(compiled))])}"


def array_difference(eager: Array, compiled: Array, path: str) -> str:
    for name in ("type", "dtype", "shape", "strides"):
        if getattr(eager, name) != getattr(compiled, name):
            return differ(path, name, getattr(eager, name), getattr(compiled, name))
    if eager.flags != compiled.flags:
        return differ(path, "flags", flag_names(eager.flags), flag_names(compiled.flags))
    if eager.bits != compiled.bits:
        if isinstance(eager.bits, bytes):
            return element_difference(eager, compiled, path)
        return difference(eager.bits, compiled.bits, path + ".items") or ""
    if eager.shares != compiled.shares:
        return differ(path, "shared memory (array, byte distance)", eager.shares, compiled.shares)
    return differ(path, "attributes", eager.extra, compiled.extra)


def element_difference(eager: Array, compiled: Array, path: str) -> str:
    count = int(np.prod(eager.shape))
    size = len(eager.bits) // count
    pieces = [
        (n, eager.bits[n * size : n * size + size], compiled.bits[n * size : n * size + size])
        for n in range(count)
    ]
    wrong = [piece for piece in pieces if piece[1] != piece[2]]
    where, left, right = wrong[0]
    place = tuple(int(i) for i in np.unravel_index(where, eager.shape))
    text = ", ".join(
        f"{who} {hex_of(bits, eager.dtype)}" for who, bits in (("eager", left), ("compiled", right))
    )
    share = f"{len(wrong)} of {count} differ"
    return f"{path or 'result'}: {eager.dtype}: element {place}: {text}; {share}"


def hex_of(bits: bytes, dtype: str) -> str:
    """The bits as a hexadecimal number and as the value, where one dtype has them all."""
    text = dtype.split()[-2]
    try:
        value = np.frombuffer(bits, np.dtype(text))[0]
    except (TypeError, ValueError):
        return f"0x{bits.hex()}"
    return f"0x{bits[::-1].hex() if text[0] != '>' else bits.hex()} ({value!r})"


def scalar_difference(eager: Scalar, compiled: Scalar, path: str) -> str:
    if eager[:2] != compiled[:2]:
        return differ(path, "type", eager[:2], compiled[:2])
    return differ(
        path, "value", hex_of(eager.bits, eager.dtype), hex_of(compiled.bits, compiled.dtype)
    )


def flag_names(flags: int) -> str:
    names = {1: "C", 2: "F", 4: "OWNDATA", 0x100: "ALIGNED", 0x400: "WRITEABLE", 0x2000: "WBIC"}
    return " ".join(name for bit, name in names.items() if flags & bit)


def differ(path: str, what: str, eager: Any, compiled: Any) -> str:
    return f"{path or 'result'}: {what}: eager {short(eager)}, compiled {short(compiled)}"


def short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"


def same(eager: Any, compiled: Any) -> str | None:
    """The first difference between two live objects, or None."""
    return difference(paint_all([eager]), paint_all([compiled]))
