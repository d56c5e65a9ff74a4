"""Jobs → done one after the other on a thread of jitcore's own, while the program goes on.

The thread lives as long as there are jobs. It is not there when the process forks: the job under
way is broken off, and begun anew on both sides. At exit it is broken off for good.
"""

from __future__ import annotations

import atexit
import logging
import os
import time
from collections import deque
from collections.abc import Callable
from threading import Condition, Thread, current_thread

from jitcore.toolchain.subprocesses import Stopped, break_off, unbroken

log = logging.getLogger("jitcore")

Job = Callable[[], None]
PATIENCE = 10.0  # seconds for a thread that was told to leave


class Background:
    """A queue of jobs with its thread. One instance, below."""

    def __init__(self) -> None:
        self.changed = Condition()
        self.jobs: deque[Job] = deque()  # the first is the one under way
        self.thread: Thread | None = None
        self.latest: Thread | None = None  # also when it is about to leave
        self.pauses = 0

    def add(self, job: Job) -> None:
        with self.changed:
            self.jobs.append(job)
            self.start()

    def start(self) -> None:
        """With the lock held: see that somebody works."""
        if self.jobs and self.thread is None and self.pauses == 0:
            thread = Thread(target=self.run, name="jitcore", daemon=True)
            self.thread = self.latest = thread
            try:
                thread.start()
            except RuntimeError:  # no more threads here, or the interpreter is leaving
                self.thread = None
                log.debug("no thread to compile on", exc_info=True)

    def run(self) -> None:
        while (job := self.next()) is not None:
            try:
                job()
            except Stopped:
                continue
            except Exception:
                log.exception("internal error: please report it; NumPy does the kernel's work")
            self.done(job)

    def next(self) -> Job | None:
        with self.changed:
            if self.jobs and self.pauses == 0:
                return self.jobs[0]
            self.thread = None
            self.changed.notify_all()
            return None

    def done(self, job: Job) -> None:
        with self.changed:
            if self.jobs and self.jobs[0] is job:
                self.jobs.popleft()

    def wait(self, timeout: float | None) -> bool:
        """Until all jobs are done; False: the time ran out."""
        end = None if timeout is None else time.monotonic() + timeout
        with self.changed:
            self.start()
            while self.thread is not None:
                left = None if end is None else end - time.monotonic()
                if left is not None and left <= 0:
                    return False
                self.changed.wait(left)
            return not self.jobs

    def pause(self) -> None:
        """Break off what is under way, and wait until the thread is gone."""
        with self.changed:
            self.pauses += 1
            thread = self.latest
        if thread is None or thread is current_thread() or not thread.is_alive():
            return
        break_off(thread)
        thread.join(PATIENCE)

    def resume(self) -> None:
        with self.changed:
            self.pauses -= 1
            if self.thread is not None:
                unbroken(self.thread)
            self.start()

    def begin_anew(self) -> None:
        """In a child process: no thread came along, and no lock is held by one."""
        self.changed = Condition()
        self.thread = self.latest = None
        self.pauses = 1
        self.resume()


background = Background()
atexit.register(background.pause)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=background.pause,
        after_in_parent=background.resume,
        after_in_child=background.begin_anew,
    )
