"""Parts of arrays in a routine → C: loops over their elements.

    Lazy   an elementwise node that is not computed yet: its one reader's loop will compute it

A node's result is one loop over a buffer of the routine (`world->room`), with the nodes that only
it reads in the same loop. Then the flags are looked at; before that nothing is visible, so that the
routine can be left. A store copies from the buffer: its array may overlap what was read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jitcore.dataclass import dataclass

from ..ir.graph import Node, Value
from ..ir.op import Effect, Kind
from ..ir.ops_span import SPAN, SPAN_TAKE, SPAN_TRANSPOSE, asked
from ..ir.types import ArrayType, ScalarType, SpanType
from .abi import C_TYPES
from .inner import Freedom, inner_loop
from .numbers import FORMS, NoForm, converted, number
from .places import Layout, layout, transposed, view
from .span_loops import buffer, fill, nest
from .ufuncs import NATIVE, expression

if TYPE_CHECKING:
    from .writer import Writer

EITHER = frozenset((np.logical_and, np.logical_or, np.bitwise_and, np.bitwise_or))


@dataclass(frozen=True, slots=True, eq=False)
class Lazy:
    """`args`: values of parts of arrays, or C texts of numbers; `dtypes` of the operation."""

    node: Node
    extents: tuple[str, ...]
    ones: tuple[bool, ...]
    args: tuple[Any, ...]
    dtypes: tuple[np.dtype[Any], ...]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.dtypes[-1]


def concerns(node: Node) -> bool:
    """Does the node make parts of arrays, or compute with them?"""
    if node.op.name in FORMS:
        return False
    return any(isinstance(v.type, SpanType | ArrayType) for v in (*node.inputs, *node.outputs))


# ---- extents ------------------------------------------------------------------------------------


def fitted(
    w: Writer, node: Node, many: Sequence[tuple[tuple[str, ...], tuple[bool, ...]]]
) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    """The extents of what parts of these extents are broadcast to. CPython raises the error."""
    ndim = max(len(extents) for extents, _ in many)
    found: list[str] = ["1"] * ndim
    ones = [True] * ndim
    for extents, single in many:
        first = ndim - len(extents)
        for axis, (extent, one) in enumerate(zip(extents, single, strict=True), first):
            if one:
                continue
            if ones[axis]:
                found[axis], ones[axis] = extent, False
            elif found[axis] != extent:
                w.leave_unless_equal(node, found[axis], extent)
                found[axis] = extent if extent.isdigit() else found[axis]
    return tuple(found), tuple(ones)


def shape_of(w: Writer, value: Value) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    lazy = w.lazy.get(value)
    if lazy is not None:
        return lazy.extents, lazy.ones
    found = layout(w, value)
    return found.extents, found.ones


# ---- elementwise --------------------------------------------------------------------------------


def is_part(arg: Any) -> bool:
    return type(arg) is Value and isinstance(arg.type, SpanType | ArrayType)


def mapped(w: Writer, node: Node) -> None:
    """Element by element."""
    out = node.outputs[0]
    dtypes = choice_dtypes(node) if node.op.name == "where" else loop_dtypes(node)
    if is_either(node):
        for arg in node.args:
            if any(map(may_warn, tree(w, arg))):
                buffered(w, arg)
    args = tuple(
        arg if is_part(arg) else hoisted(w, node, arg, dtype)
        for arg, dtype in zip(node.args, dtypes, strict=False)
    )
    extents, ones = fitted(w, node, [shape_of(w, arg) for arg in node.args if is_part(arg)])
    made = Lazy(node, extents, ones, args, dtypes)
    if len(node.outputs) > 1 or text_of(node, dtypes, ["a"] * len(args)) is None:
        w.layouts.update(zip(node.outputs, called(w, made), strict=True))
        return
    w.lazy[out] = made
    if not w.has_one_reader(out):
        buffered(w, out)


def is_either(node: Node) -> bool:
    """Where one operand may be the answer, a C compiler does not compute the other, nor its
    flags."""
    return node.op.ufunc in EITHER and node.op.kind is Kind.MAP


def text_of(node: Node, dtypes: tuple[np.dtype[Any], ...], args: list[str]) -> str | None:
    if node.op.name == "where":  # no branch may hide the flags of either side
        return f"rt_select_{C_TYPES[dtypes[-1].char]}(({args[0]}) != 0, {args[1]}, {args[2]})"
    return expression(node, dtypes, args)


def choice_dtypes(node: Node) -> tuple[np.dtype[Any], ...]:
    (out,) = node.outputs
    dtype = out.type.dtype  # type: ignore[union-attr]
    if len(node.args) != 3 or node.kwargs or dtype.char not in NATIVE:
        raise NoForm("np.where of parts of arrays of these types")
    return np.dtype(bool), dtype, dtype, dtype


def loop_dtypes(node: Node) -> tuple[np.dtype[Any], ...]:
    ufunc = node.op.ufunc
    elementwise = node.op.kind is Kind.MAP  # of np.add.outer np.add is the ufunc, too
    if (
        not elementwise
        or ufunc is None
        or node.kwargs
        or len(node.outputs) != ufunc.nout
        or len(node.args) != ufunc.nin
    ):
        raise NoForm(f"{node.op.name} of parts of arrays")
    given: list[Any] = []
    for arg in node.args:
        kind = arg.type if is_part(arg) else number(arg)
        weak = isinstance(kind, ScalarType) and kind.python and kind.dtype.kind != "b"
        given.append(kind.pytype if weak else kind.dtype)
    dtypes: tuple[np.dtype[Any], ...] = ufunc.resolve_dtypes((*given, *[None] * ufunc.nout))
    made = [out.type.dtype for out in node.outputs]  # type: ignore[union-attr]
    if any(d.char not in NATIVE for d in dtypes) or [*dtypes[ufunc.nin :]] != made:
        raise NoForm(f"{node.op.name} of parts of arrays of these types")
    return dtypes


def hoisted(w: Writer, node: Node, arg: Any, dtype: np.dtype[Any]) -> str:
    """A number as an operand: converted once."""
    if dtype.kind == "b":
        return w.kept("u8", w.true(arg))
    return w.kept(C_TYPES[dtype.char], converted(w, node, arg, ScalarType(dtype)))


def gathered(w: Writer, node: Node) -> None:
    array, at = node.args
    extents, ones = shape_of(w, at)
    (out,) = node.outputs
    dtype = layout(w, array).dtype
    w.lazy[out] = Lazy(node, extents, ones, (array, at), (dtype,))
    if not w.has_one_reader(out):
        buffered(w, out)


def element(w: Writer, arg: Any, dtype: np.dtype[Any], at: Sequence[str]) -> str:
    """An operand of this type, within a loop whose indices are `at`."""
    if not is_part(arg):
        return str(arg)
    lazy = w.lazy.get(arg)
    if lazy is None:
        return cast(load(layout(w, arg), at), layout(w, arg).dtype, dtype)
    at = at[len(at) - len(lazy.extents) :]
    if lazy.node.op is SPAN_TAKE:
        return cast(gather(w, lazy, at), lazy.dtype, dtype)
    texts = [element(w, one, d, at) for one, d in zip(lazy.args, lazy.dtypes, strict=False)]
    names = [named(w, one, d) for one, d in zip(texts, lazy.dtypes, strict=False)]
    text = text_of(lazy.node, lazy.dtypes, names)
    assert text is not None
    return cast(f"({text})", lazy.dtype, dtype)


def named(w: Writer, text: str, dtype: np.dtype[Any]) -> str:
    """A row's expression may have an operand twice."""
    if text.isidentifier():
        return text
    name = w.fresh("e")
    w.line(f"const {C_TYPES[dtype.char]} {name} = {text};")
    return name


def load(of: Layout, at: Sequence[str]) -> str:
    at = at[len(at) - len(of.extents) :]
    terms = [
        f" + {i} * {step}"
        for i, step, one in zip(at, of.steps, of.ones, strict=True)
        if not one and step != "0"
    ]
    text = f"*(const {C_TYPES[of.dtype.char]} *)({of.pointer}{''.join(terms)})"
    return f"({text} != 0)" if of.dtype.kind == "b" else text


def gather(w: Writer, lazy: Lazy, at: Sequence[str]) -> str:
    array, where = lazy.args
    of = layout(w, array)
    extent = of.extents[0]
    k = named(w, element(w, where, np.dtype(np.int64), at), np.dtype(np.int64))
    if where.type.dtype.kind == "i":
        k = named(w, f"{k} < 0 ? {k} + {extent} : {k}", np.dtype(np.int64))
    w.leave_if(lazy.node, f"(u64){k} >= (u64){extent}")
    return load(of, [k])


def cast(text: str, of: np.dtype[Any], to: np.dtype[Any]) -> str:
    if of == to:
        return text
    if "e" in (of.char, to.char):
        raise NoForm("float16 as another type")  # C has its bits as an int
    if to.kind == "b" and of.kind in "iuf":
        return f"(({text}) != 0)"
    if not np.can_cast(of, to, "safe"):
        raise NoForm(f"{of} as {to}")
    name = C_TYPES[to.char]
    if to.kind == "c":
        part = "f32" if to.char == "F" else "f64"
        if of.kind == "c":
            raise NoForm("complex64 as complex128")
        return f"(({name}){{({part})({text}), 0}})"
    return f"({name})({text})"


def buffered(w: Writer, value: Value) -> Layout:
    """Compute it now, with what only it reads."""
    lazy = w.lazy.get(value)
    if lazy is None:
        return layout(w, value)
    w.settle()
    into = buffer(w, lazy.node, lazy.extents, lazy.dtype)
    fill(w, into, lambda at: element(w, value, into.dtype, at))
    check(w, value)
    forget(w, value)
    w.layouts[value] = into
    return into


def tree(w: Writer, value: Any) -> Iterable[Lazy]:
    lazy = w.lazy.get(value) if type(value) is Value else None
    if lazy is not None:
        yield lazy
        for arg in lazy.args:
            yield from tree(w, arg)


def check(w: Writer, value: Value) -> None:
    """Did anything that was computed raise a flag that is looked for?"""
    for lazy in tree(w, value):
        if may_warn(lazy):
            w.check_flags(lazy.node)
            return


def may_warn(lazy: Lazy) -> bool:
    return lazy.node.op is not SPAN_TAKE and effect_of(lazy.node) is not Effect.SILENT


def effect_of(node: Node) -> Effect:
    _, _, effect, _ = asked(node.op, node.args, node.kwargs)
    return effect


def forget(w: Writer, value: Value) -> None:
    for lazy in [*tree(w, value)]:
        w.lazy.pop(lazy.node.outputs[0], None)


def flush(w: Writer, but: Value | None = None) -> None:
    """Before a store, or where a body ends: what is read later, or may warn, is computed."""
    kept = {id(lazy) for lazy in tree(w, but)} if but is not None else set()
    for value in reversed([*w.lazy]):
        lazy = w.lazy.get(value)
        if lazy is not None and id(lazy) not in kept:
            buffered(w, value)


# ---- NumPy's own loops --------------------------------------------------------------------------


def called(w: Writer, made: Lazy) -> list[Layout]:
    """A ufunc without an expression: its own loop, on rows. Its results."""
    node = made.node
    ufunc = node.op.ufunc
    assert ufunc is not None
    inner = inner_loop(ufunc, "".join(dtype.char for dtype in made.dtypes))
    if inner is None or inner.freedom < Freedom.FORWARD:
        raise NoForm(f"{ufunc.__name__} of {made.dtypes[0]}")
    if ufunc is np.power and made.dtype.kind in "iu":  # its loop raises, within itself
        raise NoForm("np.power of ints")
    given = [
        operand(w, node, arg, dtype) for arg, dtype in zip(made.args, made.dtypes, strict=False)
    ]
    w.settle()
    into = [buffer(w, node, made.extents, dtype) for dtype in made.dtypes[ufunc.nin :]]
    at = w.loop(inner)

    def row(places: list[str]) -> None:
        pointers, steps = [], []
        for of in (*given, *into):
            if type(of) is str:
                pointers.append(f"(char *)&{of}")
                steps.append("0")
                continue
            assert isinstance(of, Layout)
            pointers.append(address(of, places))
            single = not of.extents or of.ones[-1]
            is_result = any(of is one for one in into)
            steps.append("0" if single and not is_result else of.steps[-1])
        w.line(
            f"{{ char *d[] = {{{', '.join(pointers)}}}; i64 n = {made.extents[-1]}; "
            f"i64 s[] = {{{', '.join(steps)}}}; world->loop[{at}].fn("
            f"world->loop[{at}].context, d, &n, s, world->loop[{at}].aux); }}"
        )

    nest(w, made.extents[:-1], row, False)
    if ufunc.nout > 1 or effect_of(node) is not Effect.SILENT:
        w.check_flags(node)
    return into


def address(of: Layout, at: Sequence[str]) -> str:
    """Where the row begins that the outer indices `at` lead to."""
    outer = of.steps[:-1]
    ones = of.ones[:-1]
    at = at[len(at) - len(outer) :]
    terms = [f" + {k} * {s}" for k, s, one in zip(at, outer, ones, strict=True) if not one]
    return f"{of.pointer}{''.join(terms)}"


def operand(w: Writer, node: Node, arg: Any, dtype: np.dtype[Any]) -> Layout | str:
    """In memory, of this type; a number is a variable."""
    if not is_part(arg):
        name = w.scratch(C_TYPES[dtype.char])
        w.line(f"{name} = {arg};")
        return name
    of = buffered(w, arg)
    return of if of.dtype == dtype else copied(w, node, of, dtype)


def copied(w: Writer, node: Node, of: Layout, dtype: np.dtype[Any]) -> Layout:
    into = buffer(w, node, of.extents, dtype)
    fill(w, into, lambda at: cast(load(of, at), of.dtype, dtype))
    return into


# ---- nodes --------------------------------------------------------------------------------------


def emit(w: Writer, node: Node) -> None:
    if node.op in TABLE:
        TABLE[node.op](w, node)
    elif node.op.name in BY_NAME:
        BY_NAME[node.op.name](w, node)
    else:
        mapped(w, node)


Emit = Callable[["Writer", Node], None]
TABLE: dict[Any, Emit] = {
    SPAN: view,
    SPAN_TAKE: gathered,
    SPAN_TRANSPOSE: transposed,
}
BY_NAME: dict[str, Emit] = {}  # folded_spans.py and new_spans.py fill it, others TABLE
