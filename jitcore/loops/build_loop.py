"""Scalar code with loops → a routine that csrc/loop/loop.c can launch.

nodes, and where each may leave to ─ emitter.py ─▶ C text ─▶ code, with its ports and ways

    inputs   what the nodes read: numbers, then arrays
    ways     0: the end, with what is read afterwards; 1: not begun; then one for each place to
             leave to, with the values of the nodes that its state is made of
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from jitcore import _C
from jitcore.config import Config
from jitcore.host.fast_dataclass import replace
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Body, Node, Value
from jitcore.ir.op import Kind, leaf_type
from jitcore.ir.ops.dyn_array import AXES, SPAN, SPAN_TRANSPOSE
from jitcore.ir.ops.loop import POLL, SEQ_APPEND, SEQ_STORE
from jitcore.ir.types import (
    CHARACTER,
    NONE,
    ArrayType,
    DynArrayType,
    ObjectType,
    ScalarType,
    StackType,
    Type,
)
from jitcore.loops import boxed_items, local_stack
from jitcore.loops.address import sizes
from jitcore.loops.arrays import compress, constructors, reductions
from jitcore.loops.arrays import stores as span_stores
from jitcore.loops.boxed_items import CHARACTER_LETTER, GROWN, NONE_LETTER, SEQUENCES
from jitcore.loops.c_types import c_name, number
from jitcore.loops.emit_nodes import WALK
from jitcore.loops.emitter import LoopEmitter, is_array
from jitcore.loops.emitter_records import Fact
from jitcore.loops.forms import arithmetic, comparisons, elements, functions, slices
from jitcore.loops.line_comments import commented
from jitcore.loops.native_loop import NativeLoop
from jitcore.loops.remarks import LOOPS, remarks_of, tried
from jitcore.loops.transform.doall import Parallel, apart_or_why, pieces
from jitcore.toolchain.abi import ARRAY, C_TYPES, FLAGS, NUMPY_SCALAR, SYMBOL, runtime_text, text_of
from jitcore.toolchain.c_helpers import SELECT, once
from jitcore.toolchain.c_source import CSource, c_source
from jitcore.toolchain.cache import library

GROWN_PORT = (GROWN, 0, 1, False)
FILLED = (
    arithmetic,
    comparisons,
    elements,
    functions,
    boxed_items,
    slices,
    reductions,
    constructors,
    span_stores,
    compress,
)

PYTHON_COST, NUMPY_COST, SPAN_COST = 15, 45, 500  # nanoseconds, of one operation
KEPT = 1 << 20  # as if nothing could be faster
LONG = 29_000  # characters of C; for each the compiler takes 10 to 25 µs, at -O1 5 to 10
LONGEST = 200_000
MANY = 30  # loops over elements, which -O3 makes several loops of


def routine(
    name: str,
    nodes: Sequence[Node],
    exits: Mapping[Node, Any],
    values_of: Callable[[Any], set[Value]],
    wanted: set[Value],
    mask: int,
    quiet: Any,
    config: Config,
    label: str = "",
) -> NativeLoop | None:
    """CannotLower where C cannot do what a node does; None without a C compiler. `quiet`: the error
    state for calls of NumPy's functions. `label`: see toolchain/symbol_names.py."""
    if mask & FLAGS["under"]:
        raise CannotLower("an np.errstate that does not ignore underflow")
    ways: list[Any] = []
    numbers: dict[int, int] = {}

    def way_of(node: Node) -> int | None:
        exit = exits.get(node)
        if exit is None:
            return None
        if id(exit) not in numbers:
            numbers[id(exit)] = len(ways) + 2
            ways.append(exit)
        return numbers[id(exit)]

    made = dict.fromkeys(defined(nodes))
    handed_on = {value for exit in exits.values() for value in values_of(exit)}
    inputs = [*dict.fromkeys(v for node in nodes for v in sorted_uses(node) if v not in made)]
    apart = apart_or_why(nodes)
    dealt_loop = apart.loop if isinstance(apart, Parallel) else None
    w = LoopEmitter(WALK, way_of, mask, handed_on | wanted, dealt_loop, sizes(inputs), exits)
    w.routine(nodes)
    ends = [wanted, set(), *map(values_of, ways)]
    outputs = tuple(value for value in made if any(value in end for end in ends))
    rows = [tuple(k for k, value in enumerate(outputs) if value in end) for end in ends]
    scalars = [value for value in inputs if not is_array(value)]
    for value in inputs:
        if not isinstance(value.type, ScalarType | ArrayType) and value.type not in SEQUENCES:
            raise CannotLower(f"a value of type {value.type}")
    arrays = list(w.arrays)
    source = bounded(
        w, text(w, scalars, arrays, outputs, rows, w.lines), label if config.perf else ""
    )
    ports = (*scalars, *arrays)
    others = [inner for k, inner in enumerate(w.loops) if k not in w.dots or k in w.products]
    rounds: tuple[Any, ...] = ()
    for node in nodes:
        if node.op.name in LOOPS:
            rounds = tried(w, node, "DOALL", pieces, apart, ports, inputs, others, w.calls) or ()
    lists = [value for value in outputs if isinstance(value.type, StackType)]
    facts = (
        name,
        (*map(scalar_port, scalars), *array_ports(nodes, arrays)),
        tuple(output_port(value, lists) for value in outputs),
        tuple(rows),
        tuple(inner.capsule for inner in w.loops),
        w.rooms,
        KEPT if config.keep_all else weight(nodes),
        source.text,
    )
    more = (
        tuple(call.row(len(scalars)) for call in w.calls),
        quiet,
        rounds,
        tuple(local_stack.row(value.type) for value in lists),  # type: ignore[arg-type]
    )
    pure = not w.calls and is_pure(nodes, inputs)
    shown = text(w, scalars, arrays, outputs, rows, commented(w)) if config.dump else ""
    found = tuple(remarks_of(w, nodes))
    whole = NativeLoop(
        ports, outputs, tuple(ways), object(), pure, facts, more, source, shown, found
    )
    return whole if config.sized else built(whole, config)


def built(made: NativeLoop, config: Config) -> NativeLoop | None:
    """None without a C compiler."""
    found = library(made.source, config)
    if found is None:
        return None
    return replace(made, code=_C.Routine(found.address, *made.facts, found.handle, *made.more))


def is_pure(nodes: Sequence[Node], inputs: Iterable[Value]) -> bool:
    changes = any(node.op in (SEQ_STORE, SEQ_APPEND) for node in every(nodes))
    return not changes and set(stored(nodes)).isdisjoint(inputs)


def array_ports(nodes: Sequence[Node], arrays: Iterable[Value]) -> list[tuple[str, int, int, bool]]:
    written = set(stored(nodes))
    grown = {node.args[0] for node in every(nodes) if node.op is SEQ_APPEND}
    return [GROWN_PORT if one in grown else array_port(one, one in written) for one in arrays]


def bounded(w: LoopEmitter, text: str, label: str) -> CSource:
    """How long the compiler takes goes by the length of the text. Strands are as fast at -O1, and
    the rounds beside them seldom run."""
    if len(text) > LONGEST:
        raise CannotLower(f"a body of more than {LONGEST:,} characters of C")
    quick = bool(w.functions) or len(text) > LONG or w.facts.count(Fact.INDEPENDENT) > MANY
    return c_source(text, label, quick)


def weight(nodes: Sequence[Node]) -> int:
    """About how many nanoseconds a round takes in CPython, of all loops alike."""
    rounds = total = 0
    for node in every(nodes):
        if node.op is POLL:
            rounds += 1
        elif node.op.kind is not Kind.CONTROL:
            total += max((cost(leaf_type(one)) for one in (*node.args, *node.outputs)), default=0)
    return total // max(rounds, 1) + PYTHON_COST


def cost(kind: Type) -> int:
    if isinstance(kind, DynArrayType):
        return SPAN_COST
    if isinstance(kind, ArrayType) or (isinstance(kind, ScalarType) and not kind.python):
        return NUMPY_COST
    return PYTHON_COST


def defined(nodes: Iterable[Node]) -> Iterator[Value]:
    """In program order, which is the same in every process: so is the text, and the cache finds
    it."""
    for node in nodes:
        yield from node.outputs
        for body in node.bodies:
            yield from body.params
            yield from defined(body.nodes)


def sorted_uses(node: Node) -> list[Value]:
    """In the order in which they are met, so that the text is always the same."""
    found = list(node.inputs)
    for body in node.bodies:
        found += in_body(body)
    return found


def in_body(body: Body) -> list[Value]:
    inside = set(body.params) | {v for node in body.nodes for v in node.outputs}
    found = [v for node in body.nodes for v in sorted_uses(node)]
    found += [v for v in body.results if type(v) is Value]
    return [v for v in found if v not in inside]


def every(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        for body in node.bodies:
            yield from every(body.nodes)


def stored(nodes: Iterable[Node], views: dict[Value, Value] | None = None) -> Iterator[Value]:
    """The arrays that are written to."""
    views = {} if views is None else views
    for node in nodes:
        if node.op in (SPAN, SPAN_TRANSPOSE):
            views[node.outputs[0]] = views.get(node.args[0], node.args[0])
        if node.op.stores:
            yield views.get(node.args[0], node.args[0])
        for body in node.bodies:
            yield from stored(body.nodes, views)


def output_port(value: Value, lists: list[Value]) -> tuple[str, int, int, bool]:
    kind = value.type
    if isinstance(kind, StackType):
        return local_stack.LETTER, lists.index(value), 0, False
    if not isinstance(kind, DynArrayType):
        return scalar_port(value)
    if not 1 <= kind.ndim <= AXES:
        raise CannotLower("an array of many axes that is used after it")
    return ARRAY, num_of(kind), kind.ndim, False


def scalar_port(value: Value) -> tuple[str, int, int, bool]:
    if value.type == NONE:
        return NONE_LETTER, 0, 0, False
    if value.type == CHARACTER:
        return CHARACTER_LETTER, 0, 0, False
    kind = number(value)
    letter = kind.dtype.kind if kind.python else NUMPY_SCALAR
    return letter, kind.dtype.num, 0, False


def array_port(value: Value, written: bool) -> tuple[str, int, int, bool]:
    kind = value.type
    if isinstance(kind, ObjectType):
        return SEQUENCES[kind], 0, 1, written
    assert isinstance(kind, ArrayType)
    return ARRAY, num_of(kind), kind.ndim, written


def num_of(kind: ArrayType | DynArrayType) -> int:
    """NumPy's number of their type. float16 is NumPy's alone."""
    if kind.dtype.char not in C_TYPES or kind.dtype.char == "e":
        raise CannotLower(f"an array of {kind.dtype} in a loop")
    return kind.dtype.num


# ---- text ---------------------------------------------------------------------------------------


def text(
    w: LoopEmitter,
    scalars: Sequence[Value],
    arrays: Sequence[Value],
    outputs: Sequence[Value],
    rows: Sequence[Sequence[int]],
    lines: Sequence[str],
) -> str:
    head = [
        "#define RT_MATH",
        text_of("routine_rt.h"),
        *([once(SELECT)] if Fact.SELECTS in w.facts else []),
        *w.functions,
        f'__attribute__((visibility("default"))) int {SYMBOL}(const rt_slot *in, rt_slot *out, '
        "char *const *p, const i64 *const *dim, const i64 *const *step, rt_world *world)",
        "{",
    ]
    loads = [f"    {w.name(value)} = {load(value, k)};" for k, value in enumerate(scalars)]
    ends = []
    for n, row in enumerate(rows):
        stores = [f"    {line}" for k in row for line in handed(w, outputs[k], f"out[{k}]")]
        if n != 1:
            label = [f"way{n}:"] if n else []
            ends += [*label, "    *world->rounds = rounds;", *stores, f"    return {n};"]
    if w.dealt is not None:
        ends += ["paused:", "    *world->rounds = rounds;", "    return RT_PAUSED;"]
    declared = [f"    {line}" for line in w.declared]
    axes = [f"    const i64 {name} = {text};" for name, text in w.axes.items()]
    places = [f"    char *const p{k} = p[{k}];" for k in range(len(arrays))]
    begin = [
        "    const volatile u32 *const breaker = world->breaker;",
        "    const u32 bits = world->bits;",
        *(["    rt_room *const rooms = world->rooms;"] if w.rooms else []),
        "    int short_of_room = 0;",
        "    i64 rounds = 0;",
        "    rt_clear();",
    ]
    return "\n".join(
        [runtime_text(), *head, *declared, *places, *axes, *begin, *loads, *lines, *ends, "}", ""]
    )


def handed(w: LoopEmitter, value: Value, slot: str) -> list[str]:
    if isinstance(value.type, StackType):
        return local_stack.handed(w, value, slot)
    if not isinstance(value.type, DynArrayType):
        return [f"*({c_name(value)} *){slot}.bytes = {w.name(value)};"]
    made = w.layouts[value]
    extents = [f"{slot}.part.extents[{k}] = {text};" for k, text in enumerate(made.extents)]
    return [f"{slot}.part.first = {made.pointer};", *extents]


def load(value: Value, k: int) -> str:
    return f"*(const {c_name(value)} *)in[{k}].bytes"
