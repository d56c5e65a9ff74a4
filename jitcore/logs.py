"""JITCORE_LOGS=graph,+kernels → one logger of the standard library for each topic, below `jitcore`.

    topic     what is said      (INFO)                          more (DEBUG)
    graph     each captured graph
    guards    what must hold for it
    breaks    where a graph ends, why, what would help          loops that are CPython's
    recompiles  a place is compiled again: what changed         tries of an entry for all sizes
    code      bytecode with its region points
    kernels   what was compiled, how long it took, and which    its C text; what was not meant
              transformations applied                           for it
    cache     what was found on disk, was not, or had to go     what was found in memory

A logger that is off formats nothing: whoever has to work for a text asks `wants` first. Programs
may set up `logging.getLogger("jitcore.graph")` themselves.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from functools import partial

from jitcore.host.log_topics import ALL, TOPICS, is_understood, signed

LEVELS = {"": logging.INFO, "+": logging.DEBUG, "-": logging.CRITICAL}

top = logging.getLogger("jitcore")


class Topic:
    """One of them. A logger that is off is not called: programs count its calls."""

    def __init__(self, name: str) -> None:
        self.logger = top.getChild(name)
        self.wants = partial(logging.Logger.isEnabledFor, self.logger)

    def info(self, text: str, *args: object, exc_info: bool = False) -> None:
        if self.wants(logging.INFO):
            self.logger.info(text, *args, exc_info=exc_info, stacklevel=2)

    def debug(self, text: str, *args: object, exc_info: bool = False) -> None:
        if self.wants(logging.DEBUG):
            self.logger.debug(text, *args, exc_info=exc_info, stacklevel=2)

    def warning(self, text: str, *args: object) -> None:
        self.logger.warning(text, *args, stacklevel=2)


graph, guards, breaks, recompiles, code, kernels, cache = map(Topic, TOPICS)


def levels_in(text: str) -> dict[str, int]:
    """Topic → level; a later word counts more. Nothing, where a word is not understood."""
    found: dict[str, int] = {}
    if not is_understood(text):
        return found
    for sign, topic in signed(text):
        found |= dict.fromkeys(TOPICS if topic == ALL else {topic}, LEVELS[sign])
    return found


def listen(levels: Mapping[str, int]) -> None:
    """Say these topics, on standard error where the program has no handlers of its own."""
    if top.level == logging.NOTSET:
        top.setLevel(logging.WARNING)  # a root logger that shows all is the program's, not ours
    for topic, level in levels.items():
        top.getChild(topic).setLevel(level)
    if levels and not any(isinstance(one, Console) for one in top.handlers):
        top.addHandler(Console())


def wants(topic: Topic, level: int = logging.INFO) -> bool:
    return topic.wants(level)


class Console(logging.Handler):
    """On the standard error of the moment. Where that is gone, nothing is said."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter("%(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        if self.is_alone(record):
            try:
                sys.stderr.write(f"{self.format(record)}\n")
            except TimeoutError:  # of an alarm that the program has set
                raise
            except (OSError, ValueError, AttributeError):
                return

    def is_alone(self, record: logging.LogRecord) -> bool:
        logger: logging.Logger | None = logging.getLogger(record.name)
        while logger is not None:
            if any(one is not self for one in logger.handlers):
                return False
            logger = logger.parent if logger.propagate else None
        return True
