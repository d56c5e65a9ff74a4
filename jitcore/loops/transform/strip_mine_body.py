"""What a round does to a block of strands (strip_mine.py) → C.

    for each round:                   numbers, places of parts, which branch is taken
        for each strand b:            all that the round does to it, up to a branch's end
            const f64 x1 = *(q1 + b * s), x2 = x1 * tile1[b]; …
            log = *(q2 + b * s);  *(q2 + b * s) = x2;

A tile is what one loop over strands makes for another. A loop stores what it has made last into an
array, and does not load what it stores: then the compiler may take its strands in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Body, Node, Value
from jitcore.ir.ops.dyn_array import SPAN, SPAN_STORE
from jitcore.ir.ops.loop import POLL
from jitcore.loops.address import layout, view
from jitcore.loops.arrays.elementwise import (
    cast,
    choice_dtypes,
    hoisted,
    is_part,
    loop_dtypes,
    written,
)
from jitcore.loops.arrays.nest import ONE_BY_ONE
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import Fact, Layout
from jitcore.loops.forms.elements import stored
from jitcore.loops.transform.batch_products import is_array
from jitcore.loops.transform.strip_mine import StripMinePlan, is_mapped
from jitcore.toolchain.abi import C_TYPES


@dataclass(slots=True)
class PendingStore:
    """A store that the loop over strands ends with. `log`: where what it overwrites is kept."""

    place: str
    step: str
    dtype: np.dtype[Any]
    value: str
    log: str


@dataclass(frozen=True, slots=True)
class TileStore:
    """Where nobody reads the tile, there is no such line."""

    tile: str
    value: str

    def __str__(self) -> str:
        return f"{self.tile}[b] = {self.value};"


@dataclass(slots=True)
class Strands:
    """`values`, `pending`, `loop`: of the loop over strands that is being written. `logged`: where
    a round has stored so far, into each array; None: maybe."""

    w: LoopEmitter
    plan: StripMinePlan
    extents: list[str]
    values: dict[Value, str] = field(default_factory=dict)
    pending: dict[Value, PendingStore] = field(default_factory=dict)
    loop: list[str | TileStore] = field(default_factory=list)
    tiles: dict[Value, str] = field(default_factory=dict)
    wanted: dict[str, str] = field(default_factory=dict)  # tiles that are read → their type
    fills: dict[int, str] = field(default_factory=dict)  # numbers of lines that fill tiles
    kept: list[str] = field(default_factory=list)  # tiles that are filled for flags
    unread: set[Value] = field(default_factory=set)
    logged: dict[Value, Any] = field(default_factory=dict)
    work: int = 0  # lines that are run for each strand
    offset: int = 0
    width: int = 0

    # -- loops over strands -----------------------------------------------------------------------

    def close(self) -> None:
        lines = self.loop
        undo = []
        for one in self.pending.values():
            kind = C_TYPES[one.dtype.char]
            target = f"*({kind} *)({one.place} + b * {one.step})"
            if one.log:
                kept = f"*({kind} *)({one.log} + b * {one.dtype.itemsize})"
                lines.append(f"{kept} = {target};")
                undo.append(f"{target} = {kept};")
            lines.append(f"{target} = {one.value};")
        self.work += len(lines)
        if lines:
            self.w.note(Fact.INDEPENDENT)
            self.over("if (mode == RT_DO)", lines, "RT_INDEPENDENT")
        for tile in self.kept:
            self.w.line(f"RT_FILLED({tile});")
        if undo:
            self.over("if (mode == RT_UNDO)", [ONE_BY_ONE, *undo], '_Pragma("GCC unroll 1")')
        self.loop, self.values, self.pending, self.kept = [], {}, {}, []

    def keep(self, tile: str, dtype: np.dtype[Any]) -> None:
        """What nobody reads, or only a branch, is computed here, for its flags."""
        self.wanted[tile] = C_TYPES[dtype.char]
        self.kept.append(tile)

    def over(self, when: str, lines: Sequence[str | TileStore], pragma: str) -> None:
        w = self.w
        for line in (f"{when} {{", pragma, "for (i64 b = 0; b < width; b++) {"):
            w.line(line)
        for one in lines:
            if isinstance(one, TileStore):
                self.fills[len(w.lines)] = one.tile
            w.line(f"    {one}")
        w.line("} }")

    def named(self, text: str, dtype: np.dtype[Any], letter: str = "x") -> str:
        if text.isidentifier():
            return text
        name = self.w.fresh(letter)
        self.loop.append(f"const {C_TYPES[dtype.char]} {name} = {text};")
        return name

    def tile(self, value: Value) -> str:
        name = self.tiles[value]
        self.wanted[name] = C_TYPES[value.type.dtype.char]  # type: ignore[union-attr]
        return f"{name}[b]"

    # -- operands ---------------------------------------------------------------------------------

    def reach(self, value: Any) -> None:
        """Not while a store waits that may write there: then the loop ends here."""
        if not is_array(value) or value in self.values or value in self.tiles:
            return
        waits = self.pending.get(self.plan.root(value))
        if waits is not None and self.place_of(value) != (waits.place, waits.step):
            self.close()

    def place_of(self, value: Value) -> tuple[str, str]:
        of = layout(self.w, value)
        return self.place(of), self.step(of)

    def operand(self, node: Node, value: Value, dtype: np.dtype[Any]) -> str:
        of = value.type.dtype  # type: ignore[union-attr]
        if value in self.values:
            return cast(self.values[value], of, dtype)
        if value in self.tiles:
            return cast(self.tile(value), of, dtype)
        self.fits(node, layout(self.w, value), self.plan.root(value) in self.plan.places)
        waits = self.pending.get(self.plan.root(value))
        if waits is not None:
            return cast(waits.value, of, dtype)
        place, step = self.place_of(value)
        text = f"*(const {C_TYPES[of.char]} *)({place} + b * {step})"
        return cast(f"({text} != 0)" if of.kind == "b" else text, of, dtype)

    def fits(self, node: Node, of: Layout, whole: bool) -> None:
        """One extent for all. `whole`: nothing is repeated."""
        first = len(self.extents) - len(of.extents)
        if first < 0 or (whole and first):
            raise CannotLower("an array of other axes is combined with the slices that are stored")
        for extent, one, wanted in zip(of.extents, of.ones, self.extents[first:], strict=True):
            if whole or not one:
                self.w.leave_unless_equal(node, extent, wanted)

    def step(self, of: Layout) -> str:
        return "0" if not of.steps or of.ones[-1] else of.steps[-1]

    def place(self, of: Layout) -> str:
        """Of the block's first strand."""
        at = [f"o{k}" for k in range(len(self.extents) - 1)] + ["low"]
        at = at[len(at) - len(of.extents) :]
        steps = zip(at, of.steps, of.ones, strict=True)
        terms = [f" + {k} * {step}" for k, step, one in steps if not one and step != "0"]
        return self.w.same("char *", f"{of.pointer}{''.join(terms)}")

    # -- nodes ------------------------------------------------------------------------------------

    def nodes(self, body: Body) -> None:
        for node in body.nodes:
            if node.op is POLL:
                continue
            if node.op is SPAN:
                view(self.w, node)
            elif node.op is SPAN_STORE:
                self.store(node)
            elif node.op.name == "cond":
                self.cond(node)
            elif is_mapped(node):
                self.mapped(node)
            else:
                self.w.assign(node)

    def mapped(self, node: Node) -> None:
        dtypes = choice_dtypes(node) if node.op.name == "where" else loop_dtypes(node)
        for arg in node.args:
            self.reach(arg)
        names = []
        for arg, dtype in zip(node.args, dtypes, strict=False):
            part = is_part(arg)
            text = self.operand(node, arg, dtype) if part else hoisted(self.w, node, arg, dtype)
            names.append(self.named(text, dtype))
        made = written(self.w, node, dtypes, names)
        if made is None:
            raise CannotLower(f"{node.op.words} has no form in C with the bits of NumPy")
        self.made(node.outputs[0], self.named(f"({made})", dtypes[-1]))

    def made(self, value: Value, name: str) -> None:
        self.values[value] = name
        self.tiles[value] = self.w.fresh("tile")
        self.loop.append(TileStore(self.tiles[value], name))
        if value in self.unread:
            self.keep(self.tiles[value], value.type.dtype)  # type: ignore[union-attr]

    def store(self, node: Node) -> None:
        target, value = node.args
        into, array = layout(self.w, target), self.plan.root(target)
        self.fits(node, into, True)
        place, step = self.place_of(target)
        self.reach(value)
        waits = self.pending.get(array)
        if waits is not None and (waits.place, waits.step) != (place, step):
            self.close()
        if is_part(value):
            name = self.named(self.operand(node, value, into.dtype), into.dtype)
        else:
            text = stored(self.w, node, value, into.dtype)
            name = self.w.kept(C_TYPES[into.dtype.char], text)
        waits = self.pending.get(array)
        if waits is not None:
            overwritten = self.w.fresh("tile")
            self.loop.append(f"{overwritten}[b] = {waits.value};")
            self.keep(overwritten, waits.dtype)
            waits.value = name
        else:
            log = self.log(target, array, into.dtype)
            self.pending[array] = PendingStore(place, step, into.dtype, name, log)

    def log(self, target: Value, array: Value, dtype: np.dtype[Any]) -> str:
        """Only what a round stores first at a place was there before it."""
        key = self.plan.view(target).args[1]
        indices = [self.plan.form(part) for part in key if type(part) is not tuple]
        if array in self.logged:
            if self.logged[array] != indices:
                raise CannotLower("one iteration stores at several indices of an array")
            return ""
        self.logged[array] = indices
        size = dtype.itemsize
        start = f"(r * LOG_WIDTH + {self.offset}) * count + at * {size}"
        self.offset += (size + 7) & -8
        self.width = max(self.width, self.offset)
        return self.w.same("char *", f"own_log + {start}")

    def cond(self, node: Node) -> None:
        self.close()
        w = self.w
        before, offset, ends = dict(self.logged), self.offset, []
        arrays = [out for out in node.outputs if is_array(out)]
        for out in arrays:
            self.tiles[out] = w.fresh("tile")
        heads = f"if ({w.true(node.args[0])}) {{", "} else {"
        for body, head in zip(node.bodies, heads, strict=True):
            self.logged = dict(before)
            w.line(head)
            w.depth += 1
            with w.block():
                self.nodes(body)
                self.hand_on(node, body.results)
                self.close()
                w.assign_all(node.outputs, body.results)
            w.depth -= 1
            ends.append((self.logged, self.offset))
            self.offset = offset
        w.line("}")
        (yes, low), (no, high) = ends
        self.offset = max(low, high)
        self.logged = {
            one: yes.get(one) if yes.get(one) == no.get(one) else None for one in (*yes, *no)
        }

    def hand_on(self, node: Node, results: Sequence[Any]) -> None:
        for out, value in zip(node.outputs, results, strict=True):
            if is_array(out):
                self.reach(value)
        for out, value in zip(node.outputs, results, strict=True):
            if is_array(out):
                dtype = out.type.dtype  # type: ignore[union-attr]
                if not is_part(value):
                    raise CannotLower("a branch decides whether a variable is an array")
                name = self.named(self.operand(node, value, dtype), dtype)
                self.loop.append(f"{self.tile(out)} = {name};")

    def next_round(self, node: Node) -> None:
        """What it begins with."""
        moved = [(param, result) for param, result in self.plan.carried if param is not result]
        for _, result in moved:
            self.reach(result)
        texts = []
        for param, result in moved:
            dtype = param.type.dtype  # type: ignore[union-attr]
            text = self.operand(node, result, dtype)
            texts.append(f"{self.tile(param)} = {self.named(text, dtype)};")
        self.loop += texts
        self.close()
