"""An error of jitcore's own → one entry in the log, with the user's line, and a bug report.

    J906 app.py:12 in f: jitcore failed on this piece: KeyError: 3
        z = np.sqrt(x) * y
            ^^^^^^^^^^^^^^
        hint: …
        bug report: /tmp/jitcore-f-x1.txt

Once per place and kind of error; what follows is only counted. Strict, it is raised as well.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from types import CodeType
from typing import Any

from jitcore.config import Config
from jitcore.errors import InternalError, blamed
from jitcore.fallback import breaks
from jitcore.fallback.breaks import Break, Place, caret, place_of
from jitcore.host.lazy_import import LazyModule

reports = LazyModule("jitcore.verify.bug_report")

log = logging.getLogger("jitcore")
MOST_FILES = 8  # of one process
seen: dict[tuple[str, str], str] = {}


def failure(error: BaseException, code: CodeType, state: Any = None) -> Break:
    """The break that reports show."""
    return Break(breaks.INTERNAL, titled(error), place_of_error(error, code, state))


def tell(stop: Break, error: BaseException, code: CodeType, config: Config, state: Any) -> str:
    """Logged, unless it has been; the message, with the file."""
    key = f"{stop.filename}:{stop.lineno}:{stop.function}", type(error).__name__
    if key in seen:
        return seen[key]
    file = None
    if len(seen) < MOST_FILES:
        report = reports.of_error(code, stop.place, error, config, state)
        file = reports.write(report, config.reports)
    message = seen[key] = "\n".join(lines(stop, str(file) if file is not None else ""))
    log.error("internal error: please report it; %s", message, exc_info=error)
    return message


def raised(message: str, error: BaseException) -> InternalError:
    made = InternalError(message)
    made.__cause__ = error
    return made


def lines(stop: Break, file: str) -> Iterator[str]:
    yield f"{stop.code} {stop.where}: {stop.reason}"
    yield from caret(stop.place)
    yield f"    hint: {stop.hint}"
    if file:
        yield f"    bug report: {file}"


def titled(error: BaseException) -> str:
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def place_of_error(error: BaseException, code: CodeType, state: Any) -> Place:
    """Where the symbolic interpreter was, if it was at work."""
    place = blamed(error)
    if isinstance(place, Place):
        return place
    at = getattr(state, "offset", -1)
    positions = [*code.co_positions()]
    known = 0 <= at // 2 < len(positions)
    return place_of(code, positions[at // 2]) if known else place_of(code)
