"""Work on several items side by side: on this thread, and on helpers that leave with the last.

The helpers are none of `threading`: a program may have put its own methods into Thread."""

from __future__ import annotations

import logging
from _thread import LockType, allocate_lock, start_new_thread
from collections import deque
from collections.abc import Callable, Iterable
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

    def help(mine: LockType) -> None:
        try:
            take()
        except Exception:
            log.debug("side by side", exc_info=True)
        finally:
            mine.release()

    def take() -> None:
        while waiting:
            try:
                item = waiting.popleft()
            except IndexError:  # another took the last
                return
            work(item)

    done: list[LockType] = []
    try:
        for _ in range(min(len(waiting), MOST) - 1):
            mine = allocate_lock()
            mine.acquire()
            start_new_thread(help, (mine,))
            done.append(mine)
    except RuntimeError:  # no more threads here
        log.debug("side by side", exc_info=True)
    try:
        take()
        for one in done:
            one.acquire()
    finally:
        waiting.clear()
