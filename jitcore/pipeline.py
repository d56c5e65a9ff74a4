"""Region point → Entry, on one screen. Read this first; docs/architecture.md has the picture.

attach(fn)                     C* with one region point, at the function's start
compile_region(point, frame)   capture ─▶ assemble ─▶ the entry is added to its point
                                 └─▶ new points after the break ─▶ a newer C*
"""

from __future__ import annotations

import functools
from pathlib import Path
from time import perf_counter
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from jitcore import _C, logs
from jitcore.codegen.cache import forget_failures
from jitcore.codegen.folder import say
from jitcore.config import Config, complaints, environment
from jitcore.fallback import breaks
from jitcore.fallback.breaks import Break, place_of
from jitcore.faults import failed, guarded
from jitcore.guards.guard import ErrState
from jitcore.ir.errstate import only_warns
from jitcore.lazy import Lazy
from jitcore.limit import halfway
from jitcore.marks import is_left
from jitcore.opcodes.decode import Code, decode
from jitcore.runtime.allowance import limited
from jitcore.runtime.arrivals import arrivals
from jitcore.runtime.assemble import Assembled, assemble, entry_that_stays
from jitcore.runtime.memory import keep_heap, pool_bytes
from jitcore.runtime.missed import failing_in, missed, numbers_in, with_guards
from jitcore.runtime.other_sizes import for_other_sizes, keep_sizes
from jitcore.runtime.planned import Unroutined
from jitcore.runtime.points import place_points, splice_in
from jitcore.runtime.policy import changes_each_round, exhausted, repeats
from jitcore.runtime.records import Done, Record, records
from jitcore.runtime.regions import for_sizes, region_of
from jitcore.runtime.rules import rules
from jitcore.runtime.threadpools import offer
from jitcore.runtime.threads import threads_of
from jitcore.runtime.told import broke, keep, recompiled, seen
from jitcore.runtime.warned import Warned
from jitcore.settings import current
from jitcore.symbolic.capture import around_blocks, capture
from jitcore.symbolic.state import Capture, Start
from jitcore.users import is_users
from jitcore.verify import pending

dumping = Lazy("jitcore.dump.function")
rehearsal = Lazy("jitcore.verify.rehearsal")
MAX_CODE = 20_000


def attach(original: FunctionType, config: Config) -> Any:
    """The callable that `jitcore.compile` returns. Nothing is compiled before the first call."""
    fn, record = original, records.find(original.__code__)
    if record is not None and record.config != config and record.dispatchers:
        fn, record = twin(original), None  # what has been compiled with other options keeps them
    if record is None or record.config != config:
        record = prepared(fn.__code__, config)
    dispatcher = _C.Dispatcher(fn, original)
    if not has_plain_names(fn):
        return dispatcher
    dispatcher._set_options(config.results)
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


def renew(code: CodeType) -> bool:
    """A frame of it begins where breaks are errors, and it has some that were none when they were
    met, or has waited to be hot: it is compiled anew, so that they are met again. True: done."""
    if adopted(code) is not None:
        forget(code)
    return True


def compile_region(point: Any, frame: Any) -> None:
    """Called at a region point where no entry's guards hold."""
    record = records.find(frame.code)
    if record is None or not record.begun:
        record = adopted(frame.code)
    if pending.is_pending(point.run):
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


def compile_for(
    record: Record, point: Any, frame: Any, in_vain: bool = False, wanted: bool = False
) -> None:
    changed = missed(record, with_guards(point.entries), frame)
    record.varied.update(numbers_in(changed))
    if in_vain:
        point.leave_run()
        done: Done = "runs in CPython"
    else:
        done = limited(
            record, point, frame.code, lambda: compile_alone(record, point, frame), wanted
        )
    if changed:
        recompiled(record, point, frame.code, changed, done)


def compile_ahead(point: Any, frame: Any) -> bool:
    """For a frame that does not run yet. Is the whole of it in one graph then?"""
    record = records.find(frame.code)
    assert record is not None
    with record.alone(point.offset) as mine:
        if mine and not point.closed and all(failing_in(with_guards(point.entries), frame)):
            compile_for(record, point, frame, wanted=True)
    here = (r for r in record.regions if r.offset == point.offset and r.entry is not None)
    serving = (r for r in here if not failing_in((r.entry,), frame)[0])
    return any(not region.breaks for region in serving)


def adopted(code: CodeType) -> Record | None:
    """The record of code that was given its points before there was a pipeline. Threads may come
    at once: they find the points, or the record that the first of them has made."""
    points = arrivals.find(code)
    if points is None:
        return records.find(code)
    record = records.join(code, Record(current(), arrived=True))
    record.points, record.begun = points, True
    arrivals.leave(code)
    return record


def compile_alone(record: Record, point: Any, frame: Any) -> Done:
    started = perf_counter()
    offer()
    errstate = _C.errstate_code()
    decoded = decode(frame.code)
    if not only_warns(errstate):
        point.add(entry_that_stays([ErrState(errstate)]))
        stop = Break(breaks.ERROR_STATE, str(np.geterr()), place_of(frame.code))
        broke(record, frame.code, stop)
        place_points(record, decoded, around_blocks(decoded))
        return "runs in CPython"
    if exhausted(record, point, frame.code):
        (point.kill if point.barren else point.close)()
        return "runs in CPython"
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
        refused=record.refused,
        varied=frozenset(record.varied),
    )
    with np.errstate(all="ignore"):  # our own questions to NumPy
        captured, assembled = captured_and_assembled(start, record)
    record.rolled |= captured.rolled
    record.refused |= captured.refused
    for note in captured.notes:
        seen(record, note)
    if captured.stop is not None:
        at = captured.exit.offset
        alike = decoded.handler_of(at) == decoded.handler_of(point.offset)
        broke(record, frame.code, captured.stop, at if alike else -1)
    if repeats(record, point, captured):
        point.close()
        return "runs in CPython"
    for text in assembled.refusals if assembled is not None else ():
        seen(record, Break(breaks.BACKEND_FAILED, text, place_of(frame.code)))
    if assembled is not None:
        if record.config.verify and record.config.numerics == "exact":
            rehearse(record, point, decoded, captured, assembled)
        else:
            install(record, point, assembled, for_sizes(captured))
        if not for_sizes(captured):
            keep_sizes(record, point.offset, captured)
        record.barren = 0
    elif point.offset == decoded.start and captured.guards:  # another call may find more to do
        point.add(entry_that_stays(captured.guards, captured.uses))
        point.barren |= not any(r.entry for r in record.regions if r.offset == point.offset)
        record.barren += 1
    else:
        point.close()
        record.barren += 1
    keep(record, region_of(frame.code, point, captured, assembled, perf_counter() - started))
    place_points(record, decoded, captured.resume)
    if record.config.dump is not None:
        dumped(record.config.dump, record, decoded, point.offset, captured, assembled)
    if assembled is None:
        return "runs in CPython"
    return "made dynamic" if for_sizes(captured) else "another entry"


def captured_and_assembled(start: Start, record: Record) -> tuple[Capture, Assembled | None]:
    """Anew, where C cannot do what is in a loop, with that loop left to CPython."""
    refused: dict[int, str] = {}
    while True:
        captured = capture(start, record.config, refused)
        halfway()
        general = for_other_sizes(record, start, captured)
        if general is not None:
            return general
        try:
            return captured, assembled_if_it_pays(captured, record.config)
        except Unroutined as loop:
            logs.breaks.debug("%s: the loop at %d: %s", start.code.code.co_name, *loop.args)
            refused[loop.at] = loop.why


def assembled_if_it_pays(captured: Capture, config: Config) -> Assembled | None:
    """A region of NumPy calls only is no faster than CPython making them."""
    if not captured.graph.body.nodes and not config.keep_all:
        return None
    assembled = assemble(captured, config)
    pays = (
        assembled.kernels
        or assembled.in_c
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


def dumped(top: Path, record: Record, *region: Any) -> None:
    """A full disk, or a fault of ours, is told of once, and is nothing to the program."""
    try:
        dumping.show(top, record, *region)
    except Exception as error:
        if is_users(error):
            raise
        say("dump", f"JITCORE_DUMP={top}: {type(error).__name__}: {error}")


def reset() -> None:
    """Forget all that was compiled; frames that run C* go on in it, and miss."""
    records.drop_gone()
    for _, code in records.with_codes():
        forget(code)
    forget_failures()
    pending.forget()
    _C.pool_clear()
    _C.heap_give_back()


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


use_threads = _C.set_threads
threads = _C.threads

_C.meet_numpy()
_C.set_warnings_check(Warned().passes)
compiling = guarded(compile_region)
ahead = guarded(compile_ahead)
discovering = guarded(discover)
_C.set_compiler(compiling)
_C.set_discover(discovering)
_C.set_renew(guarded(renew))
_C.pool_limit(pool_bytes(environment()))
keep_heap(environment())
use_threads(threads_of(environment()))
logs.listen(logs.levels_in(environment().logs))
if environment().verify:
    rehearsal.begin()
if environment().report:
    measure()
for variable, complaint in complaints().items():
    say(variable, complaint)
