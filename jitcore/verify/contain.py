"""What goes wrong in jitcore itself stays there: the frame is CPython's, and the log says where."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import CodeType
from typing import Any, TypeVar

from jitcore.config import environment
from jitcore.errors import GraphBreakError, InternalError
from jitcore.host.user_exceptions import is_users
from jitcore.host.warning_filter import hushed
from jitcore.runtime.integrity import is_sound
from jitcore.runtime.notify import note, seen
from jitcore.runtime.records import records
from jitcore.verify import internal

log = logging.getLogger("jitcore")
T = TypeVar("T")


def guarded(callback: Callable[..., T]) -> Callable[..., T | None]:
    """Our own bugs stay ours: logged, reported, and the frame is left to CPython. Strict, or where
    a whole graph was asked for, they are raised."""

    def run(*args: Any) -> T | None:
        if not is_sound():
            for point in args[:-1]:  # not again in this frame
                point.leave_run()
            return None
        try:
            with hushed("ignore"):
                return callback(*args)
        except GraphBreakError:
            raise
        except Exception as error:
            if is_users(error):
                raise
            if type(error) is MemoryError:  # no verdict: there may be more of it next time
                return None
            for point in args[:-1]:  # it would fail again
                point.close("error")
            failed(args[-1], error)
            return None

    return run


def failed(subject: Any, error: Exception) -> None:
    """Told; where that fails, too, as where the program has a module `platform` of its own that
    ours gets in the library's stead, the program goes on all the same."""
    try:
        tell(subject, error)
    except InternalError:
        raise
    except Exception as another:
        if environment().strict or is_users(another):
            raise
        log.error("internal error: please report it; %s: %s", type(error).__name__, error)


def tell(subject: Any, error: Exception) -> None:
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
