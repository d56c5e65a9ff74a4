"""Elements that a mask selects, in C: `x[m]` packs them, `x[m] = y` puts them back. In C order.

Other keys are NumPy's to understand (callbacks.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..ir.graph import Node
from ..ir.ops_span import SPAN_ITEM, SPAN_PUT
from .abi import C_TYPES
from .callbacks import call_back
from .elements import stored
from .numbers import NoForm
from .places import Layout, layout
from .spans import TABLE, address, buffer, buffered, copied, flush, is_part, load, nest, shape_of

if TYPE_CHECKING:
    from .writer import Writer


def is_mask(w: Writer, array: Any, key: Any) -> bool:
    """Of the array's own axes."""
    if not is_part(key) or key.type.dtype.kind != "b":
        return False
    return len(shape_of(w, key)[0]) == len(shape_of(w, array)[0])


def mask_of(w: Writer, node: Node, of: Layout, key: Any) -> Layout:
    mask = buffered(w, key)
    for extent, other in zip(of.extents, mask.extents, strict=True):
        if extent != other:
            w.leave_if(node, f"{extent} != {other}")
    return mask


def select(w: Writer, node: Node) -> None:
    array, key = node.args
    if not is_mask(w, array, key):
        raise NoForm("an index that is no mask of the array's own axes")
    of = buffered(w, array)
    mask = mask_of(w, node, of, key)
    w.settle()
    into = buffer(w, node, of.extents, of.dtype)
    count, name = w.scratch("i64"), C_TYPES[of.dtype.char]
    w.line(f"{count} = 0;")

    def one(at: list[str]) -> None:  # never beyond where it has come to itself
        w.line(f"(({name} *){into.pointer})[{count}] = {load(of, at)};")
        w.line(f"{count} += {load(mask, at)};")

    selected(w, of.extents, mask, one)
    size = str(of.dtype.itemsize)
    w.layouts[node.outputs[0]] = Layout(into.pointer, (count,), (size,), (False,), of.dtype)


def put(w: Writer, node: Node) -> None:
    place, key, value = node.args
    into = layout(w, place)
    known = is_mask(w, place, key) and into.dtype.kind != "b"
    if not known or (is_part(value) and len(shape_of(w, value)[0]) != 1):
        flush(w)
        call_back(w, node)
        return
    mask = mask_of(w, node, into, key)
    if is_part(value):
        put_many(w, node, into, mask, value)
        return
    text = w.kept(C_TYPES[into.dtype.char], stored(w, node, value, into.dtype))
    flush(w)
    w.settle()
    selected(w, into.extents, mask, lambda at: write(w, into, mask, at, text))


def put_many(w: Writer, node: Node, into: Layout, mask: Layout, value: Any) -> None:
    count, k = w.scratch("i64"), w.scratch("i64")
    flush(w, value)
    fresh = value in w.lazy
    of = buffered(w, value)
    w.line(f"{count} = 0;")
    nest(w, into.extents, lambda at: w.line(f"{count} += {load(mask, at)};"), False)
    w.leave_if(node, f"{of.extents[0]} != {count}")
    if not fresh:  # it may overlap what is written
        of = copied(w, node, of, into.dtype)
    w.settle()
    w.line(f"{k} = 0;")
    selected(w, into.extents, mask, lambda at: write(w, into, mask, at, load(of, [f"{k}++"])))


def selected(
    w: Writer, extents: Sequence[str], mask: Layout, body: Callable[[list[str]], None]
) -> None:
    """At each place, but eight at once are left out where nothing is selected."""
    if mask.steps[-1] != "1":
        nest(w, extents, body, False)
        return

    def row(at: list[str]) -> None:
        k, few = w.fresh("k"), w.fresh("e")
        n = extents[-1]
        w.line(f"for (i64 {k} = 0; {k} < {n}; {k}++) {{")
        w.depth += 1
        w.line(f"u64 {few};")
        w.line(f"if (({k} & 7) == 0 && {k} + 8 <= {n}) {{")
        w.line(f"    __builtin_memcpy(&{few}, {address(mask, at)} + {k}, 8);")
        w.line(f"    if ({few} == 0) {{ {k} += 7; continue; }}")
        w.line("}")
        body([*at, k])
        w.depth -= 1
        w.line("}")

    nest(w, extents[:-1], row, False)


def write(w: Writer, into: Layout, mask: Layout, at: list[str], text: str) -> None:
    terms = [f" + {k} * {step}" for k, step in zip(at, into.steps, strict=True)]
    place = f"*({C_TYPES[into.dtype.char]} *)({into.pointer}{''.join(terms)})"
    w.line(f"if ({load(mask, at)}) {place} = {text};")


TABLE |= {SPAN_ITEM: select, SPAN_PUT: put}
