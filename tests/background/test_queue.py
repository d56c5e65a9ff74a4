"""Jobs on a thread of their own; work side by side."""

from __future__ import annotations

import logging
import threading

import pytest

from jitcore.toolchain.background import Background
from jitcore.toolchain.parallel_map import side_by_side
from jitcore.toolchain.subprocesses import Stopped, run

PATIENCE = 30.0


def test_jobs_are_done_in_turn_and_the_thread_goes() -> None:
    queue, done = Background(), []
    for k in range(5):
        queue.add(lambda k=k: done.append((k, threading.current_thread().name)))
    assert queue.wait(PATIENCE)
    assert done == [(k, "jitcore") for k in range(5)]
    assert queue.thread is None and not queue.jobs


def test_waiting_may_run_out_of_time() -> None:
    queue, gate = Background(), threading.Event()
    queue.add(lambda: gate.wait(PATIENCE))
    assert not queue.wait(0.0)
    gate.set()
    assert queue.wait(PATIENCE)


def test_there_is_nothing_to_wait_for() -> None:
    assert Background().wait(None)


def test_a_job_that_fails_is_logged_and_the_next_is_done(caplog: pytest.LogCaptureFixture) -> None:
    queue, done = Background(), []

    def fails() -> None:
        raise ZeroDivisionError("of a job")

    queue.add(fails)
    queue.add(lambda: done.append(1))
    with caplog.at_level(logging.ERROR, "jitcore"):
        assert queue.wait(PATIENCE)
    assert done == [1]
    assert "of a job" in caplog.text


def test_a_job_that_is_broken_off_is_done_anew() -> None:
    """As a fork does it: the thread is gone before, and there again after."""
    queue, begun, runs = Background(), threading.Event(), []

    def job() -> None:
        runs.append(1)
        if len(runs) == 1:
            begun.set()
            run(("sleep", "60"), "")

    queue.add(job)
    assert begun.wait(PATIENCE)
    queue.pause()
    assert queue.thread is None and len(queue.jobs) == 1
    assert not queue.wait(0.0)
    queue.resume()
    assert queue.wait(PATIENCE)
    assert len(runs) == 2


def test_no_job_begins_while_it_rests() -> None:
    queue, done = Background(), []
    queue.pause()
    queue.pause()
    queue.add(lambda: done.append(1))
    queue.resume()
    assert not queue.wait(0.0) and done == []
    queue.resume()
    assert queue.wait(PATIENCE) and done == [1]


def test_a_child_begins_with_what_was_left() -> None:
    queue, done = Background(), []
    queue.pause()
    queue.add(lambda: done.append(1))
    queue.begin_anew()
    assert queue.wait(PATIENCE) and done == [1]


def test_a_thread_that_was_told_to_stop_starts_no_compiler() -> None:
    queue, seen = Background(), []

    def job() -> None:
        try:
            run(("true",), "")
        except Stopped:
            seen.append("stopped")

    queue.add(job)
    assert queue.wait(PATIENCE)
    assert seen == []


# ---- side by side -------------------------------------------------------------------------------


def test_work_is_done_by_several() -> None:
    meeting = threading.Barrier(3)
    done: list[int] = []

    def work(item: int) -> None:
        meeting.wait(PATIENCE)  # passes only where three are at work
        done.append(item)

    side_by_side(work, range(3))
    assert sorted(done) == [0, 1, 2]


def test_one_item_needs_no_helper() -> None:
    seen = []
    side_by_side(lambda item: seen.append(threading.current_thread()), [1])
    assert seen == [threading.current_thread()]
    side_by_side(seen.append, [])
    assert len(seen) == 1


def test_without_threads_all_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def cannot(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", cannot)
    done: list[int] = []
    side_by_side(done.append, range(5))
    assert done == [0, 1, 2, 3, 4]


def test_what_this_thread_raises_is_raised() -> None:
    def work(item: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        side_by_side(work, [1])


# ---- the line on the terminal -------------------------------------------------------------------


def test_what_a_compiler_has_started_dies_with_it() -> None:
    """Else the thread would wait for the end of its output."""
    queue, begun, runs = Background(), threading.Event(), []

    def job() -> None:
        runs.append(1)
        if len(runs) == 1:
            begun.set()
            run(("sh", "-c", "sleep 60; true"), "")

    queue.add(job)
    assert begun.wait(PATIENCE)
    queue.pause()
    assert queue.thread is None
    queue.resume()
    assert queue.wait(PATIENCE)
