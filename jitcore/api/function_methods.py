"""What a compiled function can be asked: f.cache_info(), f.cache_clear(), f.graphs, f.warmup()."""

from __future__ import annotations

from contextlib import suppress
from inspect import signature
from itertools import takewhile
from operator import attrgetter
from types import CellType, FunctionType
from typing import Any

import jitcore._C as _C
from jitcore.errors import GraphBreakError
from jitcore.host.lazy_import import LazyModule
from jitcore.opcodes.decode import decode
from jitcore.runtime.records import Record, Region, records
from jitcore.user.array_spec import ArraySpec, examples, refusal
from jitcore.user.cache_info import CachedEntry, CacheInfo, State
from jitcore.user.directives import disable

attaching = LazyModule("jitcore.attach")  # which may be one that cannot be loaded


def record_of(dispatcher: Any) -> Record | None:
    return records.find(dispatcher._function.__code__)


def graphs(dispatcher: Any) -> tuple[Region, ...]:
    """The compiled regions, as `.graphs` of an Explanation: `.graph`, `.kernels`, `.guards`,
    `.entry`, `.breaks`, `.place`, `.sizes`, `.seconds`, `.footprint`."""
    record = record_of(dispatcher)
    regions = record.regions if record is not None else ()
    return tuple(region for region in regions if region.entry is not None)


def cache_info(dispatcher: Any) -> CacheInfo:
    """What was compiled of this function so far, as a CacheInfo. A compiled caller may have the
    function in graphs of its own: such calls are not counted here."""
    record = record_of(dispatcher)
    if record is None:
        return CacheInfo(0, 0, 0, 0, 0)
    entries = [region.entry for region in graphs(dispatcher)]
    return CacheInfo(
        hits=sum(entry.hits for entry in entries),
        misses=sum(point.misses for point in record.points.values()),
        compiles=len(record.regions),
        entries=sum(not entry.retired for entry in entries),
        size=sum(len(region.kernels) for region in record.regions),
        details=tuple(cached(record, region) for region in graphs(dispatcher)),
        recompiles=tuple(record.recompiles),
    )


def cached(record: Record, region: Region) -> CachedEntry:
    entry = region.entry
    point = record.points[region.offset]
    return CachedEntry(
        place=region.place,
        state=state_of(entry, point),
        hits=entry.hits,
        failures=entry.failures,
        guards=region.guards,
        sizes=dict(region.sizes),
        kernels=len(region.kernels) + len(region.routines),
        seconds=region.seconds,
    )


def state_of(entry: Any, point: Any) -> State:
    if entry.retired or entry.disabled:
        return "runs in CPython"
    if entry.kernels_pending:
        return "compiling"
    return "resting" if entry.penalty > 0 or point.penalty > 0 else "in use"


def cache_clear(dispatcher: Any) -> None:
    """Forget what was compiled of this function. It is compiled anew when it is called, with the
    same options; calls under way go on. What it calls keeps its entries: `jitcore.reset()`."""
    if not dispatcher._off:
        attaching.forget(dispatcher._function.__code__)


def warmup(dispatcher: Any, /, *args: Any, **kwargs: Any) -> bool:
    """Compile for a call with these arguments, without making it.

    args, kwargs  as in a call, of a method with the object first (`Model.step.warmup(model, x)`);
                  arrays are looked at, not read, written or kept, and an ArraySpec
                  stands for one

    Nothing of the program runs: the function is captured from its arguments, as at a first call,
    up to the first break. What comes after a break depends on what happens there, so it is
    compiled when a call gets there. A call on copies of the arguments would go further, but print,
    count and draw random numbers, too.

    True: the whole call is in one graph. False: it has a break, does not pay, or compiling is off.
    TypeError for arguments that the function does not take.
    """
    fn = dispatcher._function
    values = bound(fn, args, kwargs)
    record = record_of(dispatcher)
    if dispatcher._off or record is None or _C.is_busy():
        return False
    with disable():
        attaching.discovering(fn.__code__)
        start = decode(fn.__code__).start
        point = record.points.get(start)
        return point is not None and bool(attaching.ahead(point, frame_at(fn, start, values)))


def bound(fn: FunctionType, args: Any, kwargs: Any) -> dict[str, Any]:
    """Parameter → value, as a call binds them."""
    plain = FunctionType(fn.__code__, {}, fn.__name__, fn.__defaults__, fn.__closure__)
    plain.__kwdefaults__ = fn.__kwdefaults__
    try:
        found = signature(plain).bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{fn.__qualname__}.warmup(): {error}") from None
    found.apply_defaults()
    return {name: example_of(value) for name, value in found.arguments.items()}


def example_of(value: Any) -> Any:
    return value.example() if isinstance(value, ArraySpec) else value


def frame_at(fn: FunctionType, start: int, values: dict[str, Any]) -> Any:
    """The frame of a call where the function's body begins."""
    code = fn.__code__
    slots = [values.get(name, _C.NULL) for name in code.co_varnames]
    for i, name in enumerate(code.co_varnames):
        if name in code.co_cellvars:
            slots[i] = CellType(values[name]) if name in values else CellType()
    slots += [CellType() for name in code.co_cellvars if name not in code.co_varnames]
    slots += fn.__closure__ or ()
    names = fn.__globals__, builtins_of(fn)
    return _C.FrameState((code, start, tuple(slots), (), *names, fn))


builtins_of = attrgetter("__builtins__")


def compile_for_signature(dispatcher: Any) -> None:
    """If it says enough. What breaks is told of at the first call."""
    given = examples(dispatcher._signature, dispatcher._function.__code__)
    if given is None:
        return
    code = dispatcher._function.__code__
    by_place = [*takewhile(given.__contains__, code.co_varnames[: code.co_argcount])]
    args = [given.pop(name) for name in by_place]
    try:
        bound(dispatcher._function, args, given)
    except TypeError:  # it has other parameters, without a default
        return
    with suppress(GraphBreakError):
        warmup(dispatcher, *args, **given)


def refuse(dispatcher: Any, index: int, value: Any) -> None:
    """Called where an argument is not what the signature says."""
    raise refusal(dispatcher._function.__code__, index, dispatcher._signature[index], value)
