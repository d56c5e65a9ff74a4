"""Work on several items side by side: on this thread, and on helpers that leave with the last."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable
from threading import Thread
from typing import TypeVar

from jitcore.host.cpu_count import processors

T = TypeVar("T")

MOST = 8  # threads; each waits for a compiler most of the time
PROCESSORS = 4  # that a second compiler needs: on two, one that makes all kernels is faster

log = logging.getLogger("jitcore")


def width() -> int:
    """How many compilers to run at a time."""
    return max(1, min(MOST, 2 * processors() // PROCESSORS))


def side_by_side(work: Callable[[T], object], items: Iterable[T]) -> None:
    """Do all of it. What it raises on this thread is raised; on a helper, it is logged, and the
    item is as good as not done."""
    waiting = deque(items)

    def help() -> None:
        try:
            take()
        except Exception:
            log.debug("side by side", exc_info=True)

    def take() -> None:
        while waiting:
            try:
                item = waiting.popleft()
            except IndexError:  # another took the last
                return
            work(item)

    helpers = [Thread(target=help, name="jitcore") for _ in range(min(len(waiting), MOST) - 1)]
    started = []
    try:
        for helper in helpers:
            helper.start()
            started.append(helper)
    except RuntimeError:  # no more threads here
        log.debug("side by side", exc_info=True)
    try:
        take()
        for helper in started:
            helper.join()
    finally:
        waiting.clear()
