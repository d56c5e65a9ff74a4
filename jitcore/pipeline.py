"""Region point → entry: the whole way. Read this first; docs/architecture.md has the picture.

compile_region(point, frame)   no entry's guards hold
  └─ compile_for               within what the place may cost
      └─ compile_alone         one thread at a time
          capture ─▶ generalise sizes | assemble ─▶ install ─▶ points where CPython goes on
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from jitcore import _C, logs
from jitcore.fallback import breaks
from jitcore.fallback.breaks import Break, place_of
from jitcore.host.deadline import halfway
from jitcore.host.lazy_import import LazyModule
from jitcore.ir.errstate import only_warns
from jitcore.opcodes.decode import Code, decode
from jitcore.plan.assemble import Assembled, assembled_if_it_pays, entry_that_stays
from jitcore.plan.segments import LoopLeft
from jitcore.runtime.adopt import adopted
from jitcore.runtime.allowance import limited
from jitcore.runtime.install import install, left_for_errors
from jitcore.runtime.notify import keep, learned, recompiled, seen
from jitcore.runtime.pending_frames import is_pending
from jitcore.runtime.points import place_points
from jitcore.runtime.policy import changes_each_round, exhausted, repeats
from jitcore.runtime.recompile_reason import missed, numbers_in, with_guards
from jitcore.runtime.records import Done, Record, records
from jitcore.runtime.regions import for_sizes, region_of
from jitcore.runtime.sizes.generalize import for_other_sizes, keep_sizes
from jitcore.runtime.threadpools import offer
from jitcore.symbolic.capture import capture
from jitcore.symbolic.state import Capture, Start

dump = LazyModule("jitcore.dump.on_request")
verify = LazyModule("jitcore.verify.compare_region")
IN_CPYTHON: Done = "runs in CPython"


def compile_region(point: Any, frame: Any) -> None:
    """Called at a region point where no entry's guards hold."""
    record = records.find(frame.code)
    if record is None or not record.begun:
        record = adopted(frame.code)
    if is_pending(point.activation):
        return
    known: Any = record.points.get(point.offset) if record is not None else None
    if record is None or known is not point:
        point.close("forgotten")  # of what has been forgotten since the frame began
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
        done = IN_CPYTHON
    else:
        done = limited(
            record, point, frame.code, lambda: compile_alone(record, point, frame), wanted
        )
    if changed:
        recompiled(record, point, frame.code, changed, done)


def compile_alone(record: Record, point: Any, frame: Any) -> Done:
    started = perf_counter()
    offer()
    errstate, code = _C.errstate_code(), decode(frame.code)
    if not only_warns(errstate):
        left_for_errors(record, point, code, errstate)
        return IN_CPYTHON
    if exhausted(record, point, frame.code):
        point.kill() if point.always_declines else point.close("limit")
        return IN_CPYTHON
    start = Start(
        *(code, point.offset, frame.locals, frame.stack, frame.globals, frame.builtins),
        *(_C.NULL, errstate, frozenset(record.rolled)),
        refused=record.refused,
        varied=frozenset(record.varied),
    )
    with np.errstate(all="ignore"):  # our own questions to NumPy
        captured, assembled = captured_and_assembled(start, record)
    learned(record, point, code, captured)
    if repeats(record, point, captured):
        point.close("repeats")
        return IN_CPYTHON
    for text in assembled.refusals if assembled is not None else ():
        seen(record, Break(breaks.BACKEND_FAILED, text, place_of(code.code)))
    served(record, point, code, captured, assembled)
    keep(record, region_of(frame.code, point, captured, assembled, perf_counter() - started))
    place_points(record, code, captured.resume)
    if record.config.dump is not None:
        dump.dumped(record.config.dump, record, code, point.offset, captured, assembled)
    if assembled is None:
        return IN_CPYTHON
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
        except LoopLeft as loop:
            logs.breaks.debug("%s: the loop at %d: %s", start.code.code.co_name, *loop.args)
            refused[loop.at] = loop.why


def served(
    record: Record, point: Any, code: Code, captured: Capture, assembled: Assembled | None
) -> None:
    """From here on the point has the entry, or is closed."""
    record.unprofitable = 0 if assembled is not None else record.unprofitable + 1
    if assembled is not None:
        if record.config.verify and record.config.numerics == "exact":
            verify.compare(record, point, code, captured, assembled)
        else:
            install(record, point, assembled, for_sizes(captured))
        if not for_sizes(captured):
            keep_sizes(record, point.offset, captured)
    elif point.offset == code.start and captured.guards:  # another call may find more to do
        point.add(entry_that_stays(captured.guards, captured.uses))
        point.always_declines |= not any(
            r.entry for r in record.regions if r.offset == point.offset
        )
    else:
        point.close("unprofitable")
