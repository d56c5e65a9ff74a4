"""Code object → Code: instructions, handlers, stack depths, liveness, places for region points."""

from __future__ import annotations

import dis
import opcode
from collections import OrderedDict
from collections.abc import Iterator
from functools import cached_property, partial
from inspect import CO_OPTIMIZED
from types import CodeType
from weakref import ref

from jitcore.host.fast_dataclass import dataclass
from jitcore.host.private_names import parse_exception_table
from jitcore.opcodes import tables
from jitcore.opcodes.canon import Canon, canonical
from jitcore.opcodes.flow import Loop, Meetings, loops_of
from jitcore.opcodes.instr import NOWHERE, Instr

# *args, **kwargs, generators, coroutines: what the dispatcher does not bind, or does not return.
UNUSUAL_FLAGS = 0x04 | 0x08 | 0x20 | 0x80 | 0x200


@dataclass(frozen=True, slots=True)
class ExceptionRow:
    """A row of the exception table; offsets in bytes, `end` exclusive."""

    start: int
    end: int
    target: int
    depth: int
    lasti: bool


@dataclass(frozen=True)
class Code:
    """Does not keep its code object alive: whoever asks for that has it."""

    held: ref[CodeType]
    instrs: tuple[Instr, ...]
    handlers: tuple[ExceptionRow, ...]

    @property
    def code(self) -> CodeType:
        found = self.held()
        assert found is not None
        return found

    @cached_property
    def canons(self) -> dict[int, tuple[Canon, ...]]:
        """Canonical forms, by place, of the instructions that somebody has asked for."""
        return {}

    def canonical(self, index: int) -> tuple[Canon, ...]:
        found = self.canons.get(index)
        if found is None:
            found = canonical(self.code, self.instrs[index])
            if self.names_in_dict:
                found = tuple(map(self.in_slot, found))
            self.canons[index] = found
        return found

    @cached_property
    def by_offset(self) -> dict[int, int]:
        return {instr.offset: i for i, instr in enumerate(self.instrs)}

    @cached_property
    def start(self) -> int:
        """The first offset at which a region point may stand."""
        return min(self.allowed, default=-1)

    @cached_property
    def local_names(self) -> tuple[str, ...]:
        code = self.code
        cells = tuple(name for name in code.co_cellvars if name not in code.co_varnames)
        return code.co_varnames + cells + code.co_freevars + self.names

    @property
    def names_in_dict(self) -> bool:
        """Code of a module: a C* of it runs only where its names are its globals."""
        return not self.code.co_flags & CO_OPTIMIZED

    @cached_property
    def is_plain(self) -> bool:
        """A call of it is over when it returns, and its variables are nobody else's."""
        code = self.code
        unusual = self.names_in_dict or code.co_flags & UNUSUAL_FLAGS
        return not (unusual or code.co_cellvars or code.co_freevars)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Those that such code binds: slots after its locals, whose values exits write back."""
        names = self.code.co_names
        bound = dict.fromkeys(names[i.arg] for i in self.instrs if i.op == "STORE_NAME")
        return tuple(bound) if self.names_in_dict else ()

    @cached_property
    def slot_of(self) -> dict[str, int]:
        first = len(self.local_names) - len(self.names)
        return {name: first + i for i, name in enumerate(self.names)}

    def in_slot(self, canon: Canon) -> Canon:
        """What is not bound here is a global name like another."""
        slot = self.slot_of.get(canon.argval) if canon.op in ("LOAD_NAME", "STORE_NAME") else None
        if slot is not None:
            return canon._replace(arg=slot)
        return canon._replace(op="LOAD_GLOBAL") if canon.op == "LOAD_NAME" else canon

    def writes(self, offset: int) -> frozenset[int]:
        """The slots that the instruction binds."""
        instr = self.instrs[self.by_offset[offset]]
        if instr.op == "STORE_NAME" and self.names:
            return frozenset((self.slot_of[self.code.co_names[instr.arg]],))
        return tables.writes(instr)

    def successors(self, offset: int) -> tuple[int, ...]:
        """Offsets that may run next, exceptions left out."""
        instr = self.instrs[self.by_offset[offset]]
        jump = () if instr.target is None else (instr.target,)
        if instr.op in tables.NO_FALL_THROUGH:
            return jump
        return (instr.end, *jump) if instr.end in self.by_offset else jump

    @cached_property
    def loops(self) -> dict[int, Loop]:
        """By header."""
        return loops_of(self.by_offset, self.successors)

    def meeting(self, loop: Loop | None, a: int, b: int) -> int | None:
        """Where the ways from a and b meet, within the loop; None: one of them leaves it, or goes
        round, before."""
        header = -1 if loop is None else loop.header
        found = self._meetings.get(header)
        if found is None:
            scope = frozenset(self.by_offset) if loop is None else loop.body
            found = self._meetings[header] = Meetings(scope, header)
            found.find(self.successors)
        return found.of(a, b)

    @cached_property
    def _meetings(self) -> dict[int, Meetings]:
        return {}

    def handler_of(self, offset: int) -> ExceptionRow | None:
        for handler in self.handlers:
            if handler.start <= offset < handler.end:
                return handler
        return None

    @cached_property
    def depths(self) -> dict[int, int]:
        """Stack depth before each instruction that can be reached."""
        found: dict[int, int] = {}
        first = self.instrs[0].offset
        todo = [(first, 0)]
        while todo:
            offset, depth = todo.pop()
            if offset in found:
                continue
            found[offset] = depth
            todo.extend(self._next_depths(offset, depth))
        return found

    def _next_depths(self, offset: int, depth: int) -> Iterator[tuple[int, int]]:
        instr = self.instrs[self.by_offset[offset]]
        handler = self.handler_of(offset) if self.handlers else None
        if handler is not None:
            yield handler.target, handler.depth + 1 + handler.lasti
        number = dis.opmap[instr.op]
        arg = instr.arg if number >= opcode.HAVE_ARGUMENT else None
        for target in self.successors(offset):
            jumps = target == instr.target
            effect = tables.stack_effect(instr.op, number, arg, jumps)
            yield target, depth + effect

    @cached_property
    def live(self) -> dict[int, frozenset[int]]:
        """Locals that may be read from an offset on, its exception handlers included."""
        seen = frozenset(self.slot_of.values())  # by others, at any time
        live: dict[int, frozenset[int]] = {i.offset: seen for i in self.instrs}
        changed = True
        while changed:
            changed = False
            for instr in reversed(self.instrs):
                after: frozenset[int] = frozenset()
                for target in self.successors(instr.offset):
                    after |= live[target]
                now = seen | tables.reads(instr) | (after - tables.writes(instr))
                handler = self.handler_of(instr.offset)
                if handler is not None:
                    now |= live[handler.target]
                if now != live[instr.offset]:
                    live[instr.offset], changed = now, True
        return live

    @cached_property
    def allowed(self) -> frozenset[int]:
        """Offsets where a region point may stand: docs/architecture.md, "Point"."""
        found: set[int] = set()
        started = False
        previous = ""
        room = self.code.co_stacksize
        depths = self.depths
        for instr in self.instrs:
            free = tables.may_stand(instr.op, previous)
            if started and free and depths.get(instr.offset, room) < room:
                found.add(instr.offset)
            started = started or instr.op == "RESUME"
            previous = instr.op
        return frozenset(found)


KEPT = 16
recent: OrderedDict[int, Code] = OrderedDict()  # by id, as codes compare by value; newest last


def decode(code: CodeType) -> Code:
    """Each code object is asked for several times in a row: for its points, and for its regions.

    What a code object's end calls is C alone, here and elsewhere: a tracer sees nothing of it.
    """
    key = id(code)
    found = recent.pop(key, None)
    if found is None or found.held() is not code:
        held = ref(code, partial(recent.pop, key))
        found = Code(held, instructions(code), handlers(code))
    recent[key] = found
    if len(recent) > KEPT:
        recent.popitem(last=False)
    return found


def instructions(code: CodeType) -> tuple[Instr, ...]:
    raw = code.co_code
    positions = list(code.co_positions())
    positions += [NOWHERE] * (len(raw) // 2 - len(positions))  # a table that somebody has cut
    instrs: list[Instr] = []
    offset = start = extended = 0
    while offset < len(raw):
        number, arg = raw[offset], raw[offset + 1] | extended
        if number == opcode.EXTENDED_ARG:
            extended, offset = arg << 8, offset + 2
            continue
        name = opcode.opname[number]
        end = offset + 2 + 2 * tables.CACHES[number]
        target = None
        if number in tables.JUMPS:
            target = end + (-2 if "JUMP_BACKWARD" in name else 2) * arg
        instrs.append(Instr(start, end, name, arg, target, positions[offset // 2]))
        offset = start = end
        extended = 0
    return tuple(instrs)


def handlers(code: CodeType) -> tuple[ExceptionRow, ...]:
    rows = parse_exception_table(code)
    return tuple(ExceptionRow(r.start, r.end, r.target, r.depth, r.lasti) for r in rows)
