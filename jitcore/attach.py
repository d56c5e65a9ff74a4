"""A function → what `jitcore.compile` returns, and the extension's questions → answers.

attach         a dispatcher over C*, whose one region point asks at the first call
discover       a function that compiled code calls gets points of its own
renew          one whose breaks have become errors is compiled anew
compile_ahead  warmup: a region for a frame that does not run yet

Importing this begins the process: the extension knows from then on whom to ask.
"""

from __future__ import annotations

from types import CodeType, FunctionType
from typing import Any

from jitcore import _C
from jitcore.config import Config, environment
from jitcore.host.lazy_import import LazyModule
from jitcore.host.user_exceptions import is_users
from jitcore.pipeline import compile_for, compile_region
from jitcore.runtime import process
from jitcore.runtime.adopt import adopted, begin, forget, has_plain_names, prepare, twin
from jitcore.runtime.exclusions import rules
from jitcore.runtime.recompile_reason import failing_in, with_guards
from jitcore.runtime.records import Record, records
from jitcore.user.config_scope import current
from jitcore.user.directives import is_left
from jitcore.verify.contain import failed, guarded

shadow_run = LazyModule("jitcore.verify.shadow_run")


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


compiling = guarded(compile_region)
ahead = guarded(compile_ahead)
discovering = guarded(discover)
process.begin_process()
if environment().verify:
    shadow_run.begin()
_C.set_compiler(compiling)
_C.set_discover(discovering)
_C.set_renew(guarded(renew))
