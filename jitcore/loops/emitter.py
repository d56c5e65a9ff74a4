"""Nodes of a routine → the C text of one function.

Every value is a variable of the function, so that a jump to one of its ways, which stand at the
end, finds all that it hands on. A way stores the values of its exit into slots and gives its
number. What floating-point flags have to do with that, fp_flags.py says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from typing import Any

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Body, Node, Value, read_by
from jitcore.ir.remark import Remark
from jitcore.ir.types import CHARACTER, NONE, ArrayType, DynArrayType, ObjectType, ScalarType
from jitcore.loops.c_types import c_name, constant, not_finite, number
from jitcore.loops.emitter_records import (
    BatchedProducts,
    BatchedRows,
    Callback,
    DelayedNode,
    Fact,
    ForwardedStore,
    Layout,
    LocalStack,
    Size,
    Variable,
)
from jitcore.toolchain.numpy_loops import Inner


@dataclass(frozen=True, slots=True)
class NodeWalk:
    """From nodes to the emitter's lines: emit_nodes.py, which knows all forms."""

    nodes: Callable[[LoopEmitter, Sequence[Node]], None]
    operation: Callable[[LoopEmitter, Node], None]
    assign: Callable[[LoopEmitter, Node], None]
    compute: Callable[[LoopEmitter, Value], object]


class LoopEmitter:
    """The lines of one function so far, and what is known where the next one stands."""

    def __init__(
        self,
        walk: NodeWalk,
        way_of: Callable[[Node], int | None],
        mask: int,
        handed_on: Set[Value],
        dealt: Node | None = None,
        sizes: Mapping[int, Size] | None = None,
        exits: Mapping[Node, Any] | None = None,
    ) -> None:
        self.walk = walk
        self.way_of = way_of
        self.exit_of = (exits or {}).get
        self.handed_on = handed_on  # by some way
        self.mask = mask  # RT_* bits that are not ignored
        self.deferred = 0  # those that are looked at when many rounds are done
        self.dealt = (
            dealt  # the loop whose rounds several launches may share (loops/transform/doall.py)
        )
        self.sizes = sizes or {}
        self.is_exact = False  # numbers stand in the text as they are
        self.loops_open = 0
        self.lines: list[str] = []
        self.user_lines: list[tuple[int, Any]] = []  # from which line on: the user's line
        self.depth = 1
        self.names: dict[Value, str] = {}
        self.declared: list[Variable] = []
        self.arrays: dict[Value, int] = {}
        self.axes: dict[str, str] = {}
        self.loops: list[Inner] = []
        self.dots: set[int] = set()  # of `loops`, those for products of two vectors
        self.products: set[int] = set()  # and for others
        self.positive: set[Value] = set()
        self.watching: dict[str, tuple[Node, ScalarType]] = {}
        self.layouts: dict[Value, Layout] = {}
        self.lazy: dict[Value, DelayedNode] = {}
        self.piles: dict[Value, LocalStack] = {}
        self.readers: Counter[Value] = Counter()
        self.near: list[Counter[Value]] = []  # readers in each list of nodes that is open
        self.done: list[list[Node]] = []  # in each list of nodes that is open
        self.shared: list[dict[str, str]] = [{}]  # in each block that is open: text → its variable
        self.latest: list[ForwardedStore | None] = []  # of each loop that is open
        self.ahead: dict[Node, BatchedProducts] = {}
        self.facts: list[Fact] = []  # of the lines, in their order
        self.instead = ""  # a statement, for what would leave
        self.unwrapped: Set[Value] = frozenset()  # indices that leave where they are negative
        self.inside: Mapping[Node, Set[Value]] = {}  # of loads and stores: indices that are
        self.functions: list[str] = []  # others, that the routine calls
        self.seldom = False  # what is written is run now and then
        self.rows: dict[Node, BatchedRows] = {}
        self.aheads: list[list[str]] = []  # their variables, of each loop that is open
        self.calls: list[Callback] = []
        self.rooms = 0
        self.own_rooms: dict[Value, tuple[int, int]] = {}
        self.rooms_at: dict[str, tuple[int, ...]] = {}  # in which of them a pointer may be
        self.counter = 0
        self.remarks: dict[Node, list[Remark]] = {}  # of each loop

    # -- text -------------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def note(self, fact: Fact) -> None:
        """Of the line that comes next."""
        self.facts.append(fact)

    def independent(self) -> None:
        """No round of the loop that comes next stores what another one reads."""
        self.note(Fact.INDEPENDENT)
        self.line("RT_INDEPENDENT")

    def written(self) -> tuple[int, int]:
        """How much, for `rewind`."""
        return len(self.lines), len(self.facts)

    def rewind(self, to: tuple[int, int]) -> None:
        lines, facts = to
        del self.lines[lines:], self.facts[facts:]

    def name(self, value: Value) -> str:
        found = self.names.get(value)
        if found is None:
            found = self.names[value] = f"v{len(self.names)}"
            self.declared.append(Variable(c_name(value), found))
        return found

    def scratch(self, ctype: str, count: int = 0) -> str:
        """A variable, or an array of so many."""
        name = f"t{len(self.declared)}"
        self.declared.append(Variable(ctype, name, count))
        return name

    def kept(self, ctype: str, text: str) -> str:
        """In a variable, so that it can be named again."""
        if text.isidentifier():
            return text
        name = self.scratch(ctype)
        self.line(f"{name} = {text};")
        return name

    def text(self, arg: Any) -> str:
        """A value, or a constant."""
        if type(arg) is Value:
            return self.name(arg)
        if arg is None:
            return "0"
        if type(arg) is int and arg in self.sizes and not self.is_exact:
            return self.size(self.sizes[arg])
        return constant(arg)

    def same(self, ctype: str, text: str) -> str:
        """As `kept`, for what has no effect and is the same in the whole block: it is computed
        once. Nothing in a block changes a variable that it has read; a loop's parameters change
        where its block ends."""
        if text.isidentifier():
            return text
        found = self.known(text)
        if found is None:
            found = self.shared[-1][text] = self.kept(ctype, text)
        return found

    def known(self, text: str) -> str | None:
        return next((block[text] for block in self.shared if text in block), None)

    @contextmanager
    def block(self) -> Iterator[None]:
        self.shared.append({})
        try:
            yield
        finally:
            self.shared.pop()

    @contextmanager
    def rounds(self) -> Iterator[None]:
        self.loops_open += 1
        yield
        self.loops_open -= 1

    def size(self, of: Size) -> str:
        """Of an array that is given, so that the text is that of other sizes, too."""
        return f"(i64)({self.extent(self.array(of.array), of.axis)} + {of.more})"

    def true(self, arg: Any) -> str:
        text = self.text(arg)
        if number(arg).dtype.kind == "c":
            return f"{text}.re != 0 || {text}.im != 0"
        return f"{text} != 0"

    # -- arrays -----------------------------------------------------------------------------------

    def array(self, value: Value) -> int:
        return self.arrays.setdefault(value, len(self.arrays))

    def extent(self, array: int, axis: int) -> str:
        return self.axis(f"n{array}_{axis}", f"dim[{array}][{axis}]")

    def step(self, array: int, axis: int) -> str:
        return self.axis(f"s{array}_{axis}", f"step[{array}][{axis}]")

    def axis(self, name: str, text: str) -> str:
        self.axes[name] = text
        return name

    def fresh(self, letter: str) -> str:
        """A name within a block."""
        self.counter += 1
        return f"{letter}{self.counter}"

    def room(self, node: Node, size: str, unless: str = "") -> str:
        """A buffer of so many bytes at least."""
        k = self.rooms
        self.rooms += 1
        short = f"{f'!{unless} && ' if unless else ''}rooms[{k}].size < {size}"
        self.leave_if(node, f"{short} && !world->room(rooms, {k}, {size})")
        name = self.scratch("char *")
        self.line(f"{name} = rooms[{k}].first;")
        self.rooms_at[name] = (k,)
        return name

    def rooms_of(self, param: Value) -> tuple[int, int]:
        """The buffers of what a loop carries on."""
        found = self.own_rooms.get(param)
        if found is None:
            found = self.own_rooms[param] = self.rooms, self.rooms + 1
            self.rooms += 2
        return found

    def has_one_reader(self, value: Value) -> bool:
        """In the same list of nodes, so that it may be computed where it is read."""
        one = self.readers[value] == self.near[-1][value] == 1
        return one and value not in self.handed_on

    def loop(self, inner: Inner) -> int:
        self.note(Fact.ASKS)  # its function is one of the routine's
        if inner not in self.loops:
            self.loops.append(inner)
        return self.loops.index(inner)

    def is_positive(self, arg: Any) -> bool:
        """Known not to be negative."""
        return type(arg) is Value and arg in self.positive

    def stored_last(self) -> ForwardedStore | None:
        return self.latest[-1] if self.latest else None

    def stale(self) -> str:
        """The next round is CPython's."""
        self.note(Fact.ASKS)
        stale = f"world->stale >= {'STALE' if self.loops_open == 1 else 'VERY_STALE'}"
        return f"*breaker & bits || short_of_room || {stale}"

    # -- leaving ----------------------------------------------------------------------------------

    def way(self, node: Node) -> int:
        found = self.way_of(node)
        if found is None:
            raise CannotLower(f"{node.op.words} after a store in the same statement of the caller")
        self.note(Fact.ASKS)
        return found

    def leaving(self, node: Node) -> str:
        """The statement that does."""
        if not self.instead:
            return f"goto way{self.way(node)};"
        self.note(Fact.LEAVES)
        return self.instead

    def leave_if(self, node: Node, condition: str) -> None:
        self.line(f"if (__builtin_expect({condition}, 0)) {self.leaving(node)}")

    def leave_unless_equal(self, node: Node, a: str, b: str) -> None:
        """Two extents. Where they have been compared before, they are equal."""
        text = f"{a} != {b}"
        if a != b and self.known(text) is None:
            self.leave_if(node, text)
            self.shared[-1][text] = text

    def check_flags(self, node: Node) -> None:
        if self.mask:
            self.leave_if(node, f"rt_flags() & {self.mask}")

    def settle(self) -> None:
        """Look at what is being watched."""
        if not self.watching:
            return
        tests = [not_finite(name, kind) for name, (_, kind) in self.watching.items()]
        node = next(iter(self.watching.values()))[0]
        self.line(f"if (__builtin_expect({' | '.join(tests)}, 0)) {{")
        self.line(f"    if (rt_flags() & {self.mask}) {self.leaving(node)}")
        self.line("}")
        self.watching.clear()

    # -- nodes ------------------------------------------------------------------------------------

    def routine(self, nodes: Sequence[Node]) -> None:
        self.readers = Counter(read_by(nodes))
        self.nodes(nodes)
        self.settle()

    def nodes(self, nodes: Sequence[Node]) -> None:
        self.walk.nodes(self, nodes)

    def operation(self, node: Node) -> None:
        self.walk.operation(self, node)

    def assign(self, node: Node) -> None:
        self.walk.assign(self, node)

    def compute(self, value: Value) -> None:
        self.walk.compute(self, value)

    # -- bodies -----------------------------------------------------------------------------------

    def body(self, body: Body) -> None:
        self.depth += 1
        self.nodes(body.nodes)
        self.settle()
        self.depth -= 1

    def assign_all(self, targets: Sequence[Value], given: Sequence[Any]) -> None:
        """At once: what is given may be among the targets."""
        self.depth += 1
        both = zip(targets, given, strict=True)
        pairs = [(t, g) for t, g in both if t is not g and not isinstance(t.type, DynArrayType)]
        later = {g for _, g in pairs if type(g) is Value} & {t for t, _ in pairs}
        texts = []
        for t, g in pairs:
            text = self.text(g)
            if type(g) is Value and g in later:
                text, old = self.scratch(c_name(g)), text
                self.line(f"{text} = {old};")
            texts.append((self.name(t), text))
        for name, text in texts:
            self.line(f"{name} = {text};")
        self.depth -= 1


def is_array(value: Value) -> bool:
    """Or another sequence, of which elements are read."""
    return isinstance(value.type, ArrayType | ObjectType) and value.type not in (CHARACTER, NONE)
