"""Region point → Entry, on one screen. Read this first; docs/architecture.md has the picture.

attach(fn)                     C* with one region point, at the function's start
compile_region(point, frame)   capture ─▶ assemble ─▶ the entry is added to its point
                                 └─▶ new points after the break ─▶ a newer C*
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TypeVar

import numpy as np

from jitcore import _C, logs
from jitcore.cached import Extents
from jitcore.codegen.cache import forget_failures
from jitcore.codegen.folder import say
from jitcore.codegen.footprint import Footprint
from jitcore.config import Config, complaints, environment
from jitcore.errors import GraphBreakError
from jitcore.fallback import breaks
from jitcore.fallback.breaks import Break, Place, place_of
from jitcore.fallback.splice import splice
from jitcore.guards.guard import ErrState, IsArray, IsSized
from jitcore.guards.reason import Change
from jitcore.hush import hushed
from jitcore.ir.errstate import only_warns
from jitcore.lazy import Lazy
from jitcore.marks import is_left
from jitcore.opcodes.decode import Code, decode
from jitcore.opcodes.listing import listing
from jitcore.runtime.arrivals import arrivals
from jitcore.runtime.assemble import Assembled, assemble, entry_that_stays
from jitcore.runtime.memory import pool_bytes
from jitcore.runtime.missed import failing_in, missed, warn_of_limit
from jitcore.runtime.planned import Unroutined
from jitcore.runtime.records import NO_TRAFFIC, Done, Recompile, Record, Records, Region
from jitcore.runtime.rules import rules
from jitcore.runtime.samples import loose
from jitcore.runtime.sizes import (
    arrays_of,
    differs_where_static,
    for_all_sizes,
    is_kept,
    marks_in,
    other_sizes,
)
from jitcore.runtime.sound import builtins_are_sound
from jitcore.runtime.threadpools import offer
from jitcore.runtime.threads import threads_of
from jitcore.runtime.users import is_users
from jitcore.runtime.warned import Warned
from jitcore.settings import current
from jitcore.stances import failing
from jitcore.symbolic.capture import around_blocks, capture
from jitcore.symbolic.state import Capture, Loud, Start
from jitcore.symbolic.state import Routine as Looped
from jitcore.verify import internal, rehearsal

dumping = Lazy("jitcore.dump.function")
T = TypeVar("T")
records = Records()
Found = Region | Break | Recompile
collectors: list[list[Found]] = []
MAX_POINTS = 200
MAX_BARREN = 24  # regions in a row that did not pay: the rest is left alone
MAX_CODE = 20_000
MOST_PLACES = 8  # that vary to the limit, in one function
FEW_HITS = 3
MAX_SIZED = 3  # tries in vain of a place, and earlier sizes that one compares with
MAX_WASTED = 3  # entries in a row with few hits, while one frame runs


def attach(fn: FunctionType, config: Config) -> Any:
    """The callable that `jitcore.compile` returns. Nothing is compiled before the first call."""
    record = records.find(fn.__code__)
    if record is not None and record.config != config and record.dispatchers:
        other = attach(twin(fn), config)  # what has been compiled with other options keeps them
        other.__wrapped__ = other.eager = fn
        return other
    if record is None or record.config != config:
        record = prepared(fn.__code__, config)
    dispatcher = _C.Dispatcher(fn)
    if not has_plain_names(fn):
        return dispatcher
    record.dispatchers.add(dispatcher)
    for entry in record.frameless:
        dispatcher._add_frameless(entry)
    return dispatcher


def has_plain_names(fn: Any) -> bool:
    """A subclass of dict may answer with code of its own; frames are looked at by the evaluation
    function."""
    return type(fn.__globals__) is dict and type(fn.__builtins__) is dict


def twin(fn: FunctionType) -> FunctionType:
    """The same function with a code object, and so a record, of its own."""
    code = fn.__code__.replace()
    made = FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)
    functools.update_wrapper(made, fn)
    made.__kwdefaults__ = fn.__kwdefaults__
    return made


def prepared(code: CodeType, config: Config) -> Record:
    """Where that fails the function is CPython's."""
    try:
        return prepare(code, config)
    except Exception as error:
        if is_users(error):
            raise
        record = Record(config)
        records.add(code, record)
        failed(code, error)
        return record


def prepare(code: CodeType, config: Config) -> Record:
    """A record and the first C*: one point, where the function's body starts."""
    record = Record(config)
    records.add(code, record)
    begin(record, code)
    return record


def begin(record: Record, code: CodeType) -> None:
    record.begun = True
    if is_left(code):
        return
    if len(code.co_code) > MAX_CODE:
        seen(record, Break(breaks.CODE_TOO_LARGE, f"{len(code.co_code)} bytes", place_of(code)))
        return
    decoded = decode(code)
    place_points(record, decoded, (decoded.start,))


def discover(code: CodeType) -> None:
    """A function that compiled code calls: it has regions of its own, unless it is a library's."""
    record = records.find(code)
    if record is not None and not record.begun:
        begin(record, code)
    elif record is None and not is_left(code) and not rules.leave(code):
        prepare(code, current())


def compile_region(point: Any, frame: Any) -> None:
    """Called at a region point where no entry's guards hold."""
    record = records.find(frame.code)
    if record is None or not record.begun:
        record = adopted(frame.code)
    if rehearsal.is_pending(point.run):
        return
    known: Any = record.points.get(point.offset) if record is not None else None
    if record is None or known is not point:
        point.close()  # of what has been forgotten since the frame began
        return
    with record.alone(point.offset) as mine:
        if mine:
            compile_for(record, point, frame, changes_each_round(record, point, frame.code))
    if record.arrived and all(each.dead for each in record.points.values()):
        _C.leave_alone(frame.code)


def compile_for(record: Record, point: Any, frame: Any, in_vain: bool = False) -> None:
    changed = missed(rehearsal.guarded(point.entries), frame)
    if in_vain:
        point.leave_run()
        done: Done = "left to CPython"
    else:
        done = compile_alone(record, point, frame)
    if changed:
        recompiled(record, point, frame.code, changed, done)
    if not record.warned:
        warn_of_limit(record, changed)


def compile_ahead(point: Any, frame: Any) -> bool:
    """For a frame that does not run yet. Is the whole of it in one graph then?"""
    record = records.find(frame.code)
    assert record is not None
    with record.alone(point.offset) as mine:
        if mine and not point.closed and all(failing_in(rehearsal.guarded(point.entries), frame)):
            compile_for(record, point, frame)
    here = (r for r in record.regions if r.offset == point.offset and r.entry is not None)
    serving = (r for r in here if not failing_in((r.entry,), frame)[0])
    return any(not region.breaks for region in serving)


def adopted(code: CodeType) -> Record | None:
    """The record of code that was given its points before there was a pipeline."""
    points = arrivals.take(code)
    if points is None:
        return None
    record = records.find(code)
    if record is None:
        record = Record(current(), arrived=True)
        records.add(code, record)
    record.points, record.begun = points, True
    return record


def recompiled(
    record: Record, point: Any, code: CodeType, changed: tuple[Change, ...], done: Done
) -> None:
    one = Recompile(place_at(decode(code), point.offset), point.offset, changed, done)
    record.recompiles.append(one)
    logs.recompiles.info("%s", one)
    for collector in collectors:
        collector.append(one)


def compile_alone(record: Record, point: Any, frame: Any) -> Done:
    started = time.perf_counter()
    offer()
    errstate = _C.errstate_code()
    decoded = decode(frame.code)
    if not only_warns(errstate):
        point.add(entry_that_stays([ErrState(errstate)]))
        broke(record, Break(breaks.ERROR_STATE, str(np.geterr()), place_of(frame.code)))
        place_points(record, decoded, around_blocks(decoded))
        return "left to CPython"
    if exhausted(record, point, frame.code):
        (point.kill if point.barren else point.close)()
        return "left to CPython"
    start = Start(
        decoded,
        point.offset,
        frame.locals,
        frame.stack,
        frame.globals,
        frame.builtins,
        _C.NULL,
        errstate,
        frozenset(record.rolled),
    )
    with np.errstate(all="ignore"):  # our own questions to NumPy
        captured, assembled = captured_and_assembled(start, record)
    record.rolled |= captured.rolled
    for note in captured.notes:
        seen(record, note)
    if captured.stop is not None:
        broke(record, captured.stop)
    if repeats(record, point, captured):
        point.close()
        return "left to CPython"
    for text in assembled.refusals if assembled is not None else ():
        seen(record, Break(breaks.BACKEND_FAILED, text, place_of(frame.code)))
    if assembled is not None:
        if record.config.verify:
            rehearse(record, point, decoded, captured, assembled)
        else:
            install(record, point, assembled, for_sizes(captured))
        if is_kept(captured.guards) and not for_sizes(captured):
            seen_at = loose(captured.guards), arrays_of(captured.guards)
            record.sizes.setdefault(point.offset, []).append(seen_at)
        record.barren = 0
    elif point.offset == decoded.start and captured.guards:  # another call may find more to do
        point.add(entry_that_stays(captured.guards, captured.uses))
        point.barren |= not any(r.entry for r in record.regions if r.offset == point.offset)
        record.barren += 1
    else:
        point.close()
        record.barren += 1
    keep(record, region_of(frame.code, point, captured, assembled, time.perf_counter() - started))
    place_points(record, decoded, captured.resume)
    if record.config.dump is not None:
        dumped(record.config.dump, record, decoded, point.offset, captured, assembled)
    if assembled is None:
        return "left to CPython"
    return "made dynamic" if for_sizes(captured) else "another entry"


def captured_and_assembled(start: Start, record: Record) -> tuple[Capture, Assembled | None]:
    """Anew, where C cannot do what is in a loop, with that loop left to CPython."""
    refused: dict[int, str] = {}
    while True:
        captured = capture(start, record.config, refused)
        general = for_other_sizes(record, start, captured)
        if general is not None:
            return general
        try:
            return captured, assembled_if_it_pays(captured, record.config)
        except Unroutined as loop:
            logs.breaks.debug("%s: the loop at %d: %s", start.code.code.co_name, *loop.args)
            refused[loop.at] = loop.why


def for_other_sizes(
    record: Record, start: Start, captured: Capture
) -> tuple[Capture, Assembled] | None:
    """Where only the sizes of arrays are others than for an entry that there is: an entry for all
    of them."""
    config = record.config
    mine = [r for r in record.regions if r.offset == start.offset and r.entry is not None]
    possible = config.backend == "c" and config.compiling == "eager"
    tries = record.one_size.get(start.offset, 0)
    if not possible or tries > MAX_SIZED or any(r.entry.retired for r in mine):
        return None
    now, marks, facts = arrays_of(captured.guards), marks_in(captured), loose(captured.guards)
    said = other_sizes(now, marks, all_vary=bool(config.dynamic) and not mine)
    seen_before = reversed(record.sizes.get(start.offset, []) * (config.dynamic is not False))
    alike = [arrays for known, arrays in seen_before if known == facts]
    alike = [arrays for arrays in alike if not differs_where_static(arrays, now, marks)]
    for arrays in islice([said, *alike] if said is not None else alike, MAX_SIZED):
        try:
            found = for_all_sizes(start, arrays, captured.guards, config)
        except Exception as error:
            if is_users(error):
                raise
            if config.strict:
                raise
            logs.recompiles.debug("an entry for all sizes", exc_info=True)
            found = None
        if found is not None:
            return found
        record.one_size[start.offset] = record.one_size.get(start.offset, 0) + 1
    return None


def exhausted(record: Record, point: Any, code: CodeType) -> bool:
    """Of a place; and of the whole function, where each of many places varies."""
    tries = record.tries[point.offset] = record.tries.get(point.offset, 0) + 1
    again = sum(record.tries.values()) - len(record.tries)
    limit = record.config.cache_limit
    if tries <= limit and (tries == 1 or again <= MOST_PLACES * limit):
        return False
    if not point.barren:
        text = f"{tries - 1} versions"
        text = text if tries > limit else f"{again - 1} versions of its regions, beside the first"
        seen(record, Break(breaks.CACHE_LIMIT, text, place_of(code)))
    return True


def changes_each_round(record: Record, point: Any, code: CodeType) -> bool:
    """The last entries of this point were of use for a round or two of the frame that is still
    running: shapes, or numbers that shapes depend on, are others each time."""
    run, count = record.wasted.get(point.offset, (0, 0))
    mine = [r.entry for r in record.regions if r.offset == point.offset and r.entry is not None]
    useless = run == point.run and bool(mine) and mine[-1].hits <= FEW_HITS
    count = count + 1 if useless else 0
    record.wasted[point.offset] = point.run, count
    if count < MAX_WASTED:
        return False
    text = f"{count} versions, each of use for a round or two of a loop"
    seen(record, Break(breaks.CACHE_LIMIT, text, place_of(code)))
    return True


def repeats(record: Record, point: Any, captured: Capture) -> bool:
    """The guards of an entry hold, and it did not run to an exit: another like it would not
    either."""
    facts = facts_of(captured)
    return any(r.offset == point.offset and r.facts == facts for r in record.regions)


def facts_of(captured: Capture) -> frozenset[int]:
    return frozenset(map(hash, captured.guards))


def assembled_if_it_pays(captured: Capture, config: Config) -> Assembled | None:
    """A region of NumPy calls only is no faster than CPython making them."""
    if not captured.graph.body.nodes and not config.keep_all:
        return None
    assembled = assemble(captured, config)
    pays = (
        assembled.kernels
        or assembled.routines
        or assembled.foreign
        or assembled.refusals
        or config.keep_all
    )
    return assembled if pays else None


def install(record: Record, point: Any, assembled: Assembled, first: bool) -> None:
    """`first`: asked before the others, as one that serves many sizes will hold most often."""
    if assembled.frameless:
        record.frameless.insert(0 if first else len(record.frameless), assembled.entry)
        for dispatcher in list(record.dispatchers):
            dispatcher._add_frameless(assembled.entry, first)
    point.barren = False
    point.add(assembled.entry, first)


def rehearse(
    record: Record, point: Any, code: Code, captured: Capture, assembled: Assembled
) -> None:
    """In verify mode: the entry and CPython run, and where the entry is left, they are compared."""
    place = place_of(code.code, code.instrs[code.by_offset[point.offset]].position)
    entry, places = rehearsal.stand_in(code, point, place, assembled, captured, record.config)
    point.barren = False
    point.add(entry, for_sizes(captured))
    for offset in places:
        if offset not in record.points:
            record.watches.add(offset)
            record.points[offset] = _C.Point(offset, code.depths[offset])
            record.points[offset].close()
    rehearsal.watch(record.points[offset] for offset in places)
    splice_in(record, code)


def for_sizes(captured: Capture) -> bool:
    return any(isinstance(guard, IsSized) for guard in captured.guards)


def place_points(record: Record, code: Code, offsets: tuple[int, ...]) -> None:
    """New region points, and a C* that has them all. Running frames move when they next leave."""
    missing = (o for o in offsets if o not in record.points or o in record.watches)
    new = [o for o in missing if o in code.allowed]
    if not new or len(record.points) + len(new) > MAX_POINTS or record.barren > MAX_BARREN:
        return
    if records.find(code.code) is not record:  # it was forgotten meanwhile
        return
    for offset in new:
        if offset in record.watches:  # a region may begin there, too
            record.watches.remove(offset)
            record.points[offset].closed = False
            continue
        point = record.points[offset] = _C.Point(offset, code.depths[offset])
        point.patient = record.arrived
    splice_in(record, code)


def splice_in(record: Record, code: Code) -> None:
    measured = records.keeps  # then it is known what CPython takes after a dead one
    useful = {o: p for o, p in record.points.items() if p.entries or not p.closed or measured}
    spliced = splice(code, useful)
    _C.install(code.code, spliced.code, spliced.at_point, spliced.at_instr, record.arrived)
    if logs.wants(logs.code):
        marks = {o: [f"-- region point, entries: {len(p.entries)}"] for o, p in useful.items()}
        logs.code.info("%s:\n%s", place_of(code.code), listing(code, marks))


def dumped(top: Path, record: Record, *region: Any) -> None:
    """A full disk, or a fault of ours, is told of once, and is nothing to the program."""
    try:
        dumping.show(top, record, *region)
    except Exception as error:
        if is_users(error):
            raise
        say("dump", f"JITCORE_DUMP={top}: {type(error).__name__}: {error}")


def region_of(
    code: CodeType, point: Any, captured: Capture, assembled: Assembled | None, seconds: float
) -> Region:
    return Region(
        place_of(code),
        point.offset,
        captured.graph,
        (captured.stop,) if captured.stop is not None else (),
        tuple(map(str, captured.guards)),
        facts_of(captured),
        assembled.entry if assembled is not None else None,
        assembled.kernels if assembled is not None else (),
        assembled.calls if assembled is not None else 0,
        assembled.footprint if assembled is not None else Footprint(0, 0),
        seconds,
        assembled.routines if assembled is not None else (),
        place_at(decode(code), point.offset),
        dict(sizes_in(captured)),
        assembled.works if assembled is not None else (),
        assembled.traffic if assembled is not None else NO_TRAFFIC,
        captured.exit.offset,
        exits_of(code, captured),
    )


def place_at(code: Code, offset: int) -> Place:
    return place_of(code.code, code.instrs[code.by_offset[offset]].position)


def sizes_in(captured: Capture) -> Iterator[tuple[str, Extents]]:
    for guard in captured.guards:
        if isinstance(guard, IsArray):
            yield str(guard.source), guard.type.shape
        elif isinstance(guard, IsSized):
            both = zip(guard.least, guard.most, strict=True)
            yield str(guard.source), tuple(a if a == b else (a, b) for a, b in both)


def exits_of(code: CodeType, captured: Capture) -> dict[int, Place]:
    """Where CPython may go on."""
    exits = [captured.exit]
    for segment in captured.segments:
        exits.append(segment.at if isinstance(segment, Loud) else segment.start)
        if isinstance(segment, Looped):
            exits += segment.exits.values()
    positions = [*code.co_positions()]
    at = {exit.offset for exit in exits if exit.offset >= 0}
    return {offset: place_of(code, positions[offset // 2]) for offset in sorted(at)}


def keep(record: Record, region: Region) -> None:
    kept = "" if region.entry is not None else ", left to NumPy's own calls"
    logs.graph.info("%s, offset %d%s:\n%s", region.function, region.offset, kept, region.graph)
    if logs.wants(logs.guards):
        words = "".join(f"\n  {text}" for text in region.guards)
        logs.guards.info("%s, offset %d:%s", region.function, region.offset, words)
    record.regions.append(region)
    for collector in collectors:
        collector.append(region)


def broke(record: Record, stop: Break) -> None:
    seen(record, stop)
    if record.config.fullgraph or failing():
        raise GraphBreakError(stop)


def seen(record: Record, stop: Break) -> None:
    if stop not in record.breaks:
        record.breaks.append(stop)
        note(stop)


def note(stop: Break) -> None:
    logs.breaks.info("%s", stop)
    for collector in collectors:
        collector.append(stop)


@contextmanager
def collect() -> Iterator[list[Found]]:
    """The regions, breaks and recompiles that are found while this is active, in order."""
    found: list[Found] = []
    collectors.append(found)
    try:
        yield found
    finally:
        collectors.remove(found)


def reset() -> None:
    """Forget all that was compiled; frames that run C* go on in it, and miss."""
    records.drop_gone()
    for _, code in records.with_codes():
        forget(code)
    forget_failures()
    rehearsal.forget()
    _C.pool_clear()


def forget(code: CodeType) -> None:
    """What was compiled of it. It is compiled anew as it was asked for: its dispatchers stay."""
    record = records.find(code)
    if record is None:
        return
    for point in record.points.values():
        point.kill()
    for dispatcher in list(record.dispatchers):
        dispatcher._clear()
    records.drop(code)
    _C.uninstall(code)
    if record.dispatchers:
        records.add(code, Record(record.config, dispatchers=record.dispatchers))


def measure() -> None:
    """From here on the run's time has owners: csrc/meter.h."""
    records.keeps = True
    _C.meter(True)


def guarded(callback: Callable[..., T]) -> Callable[..., T | None]:
    """Our own bugs stay ours: logged, reported, and the frame is left to CPython. Strict, or where
    a whole graph was asked for, they are raised."""

    def run(*args: Any) -> T | None:
        if not builtins_are_sound():
            return None
        try:
            with hushed("ignore"):
                return callback(*args)
        except GraphBreakError:
            raise
        except MemoryError:  # no verdict: there may be more of it next time
            return None
        except Exception as error:
            if is_users(error):
                raise
            for point in args[:-1]:  # it would fail again
                point.close()
            failed(args[-1], error)
            return None

    return run


def failed(subject: Any, error: Exception) -> None:
    """Into the log and the reports, at the frame or code object that we failed on."""
    code = subject if isinstance(subject, CodeType) else subject.code
    stop = internal.failure(error, code, subject)
    record = records.find(code)
    if record is not None:
        seen(record, stop)
    else:
        note(stop)
    if type(error) is RecursionError:  # values in values: it is too deep for us
        return
    config = record.config if record is not None else environment()
    message = internal.tell(stop, error, code, config, None if code is subject else subject)
    if config.strict or config.fullgraph:
        raise internal.raised(message, error)


use_threads = _C.set_threads
threads = _C.threads

_C.meet_numpy()
_C.set_warnings_check(Warned().passes)
compiling = guarded(compile_region)
ahead = guarded(compile_ahead)
discovering = guarded(discover)
_C.set_compiler(compiling)
_C.set_discover(discovering)
_C.pool_limit(pool_bytes(environment()))
use_threads(threads_of(environment()))
logs.listen(logs.levels_in(environment().logs))
if environment().verify:
    rehearsal.begin()
if environment().report:
    measure()
for variable, complaint in complaints().items():
    say(variable, complaint)
