"""A function's code → its record, with the first region point; and back again.

prepare    a record, and C* with one point, where the function's body starts
adopted    the record of code that JITCORE=1 had given points before there was a compiler
forget     what was compiled of it, reset: of everything
"""

from __future__ import annotations

import functools
from types import CodeType, FunctionType
from typing import Any

from jitcore import _C
from jitcore.config import Config
from jitcore.fallback import breaks
from jitcore.fallback.breaks import Break, place_of
from jitcore.opcodes.decode import decode
from jitcore.runtime import pending_frames
from jitcore.runtime.notify import seen
from jitcore.runtime.pending_points import arrivals
from jitcore.runtime.points import place_points
from jitcore.runtime.records import Record, records
from jitcore.toolchain.cache import forget_failures
from jitcore.user.config_scope import current
from jitcore.user.directives import is_left

MAX_CODE = 20_000


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
        seen(
            record,
            Break(breaks.CODE_TOO_LARGE, f"{len(code.co_code)} bytes of bytecode", place_of(code)),
        )
        return
    decoded = decode(code)
    place_points(record, decoded, (decoded.start,))


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


def reset() -> None:
    """Forget all that was compiled; frames that run C* go on in it, and miss."""
    records.drop_gone()
    for _, code in records.with_codes():
        forget(code)
    forget_failures()
    pending_frames.forget()
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
