"""Whose time a report has: of which threads, of which process."""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest

import jitcore
from jitcore.report import console, page
from jitcore.report.measured import run, threads
from jitcore.report.processes import whose
from jitcore.report.run import KINDS, Call, Process

X = np.linspace(-1.0, 2.0, 64)
THREADS = 3


@pytest.fixture
def of_threads(measured):
    """A run of a function with a break on several threads, all of them in it at once."""
    together = threading.Barrier(THREADS, timeout=60)

    @jitcore.compile
    def waits(x):
        y = np.sqrt(x * x + 1.0)
        together.wait()
        return y * 2.0

    waiting = [threading.Thread(target=waits, args=(X,)) for _ in range(THREADS)]
    for thread in waiting:
        thread.start()
    for thread in waiting:
        thread.join()
    return run()


def test_each_thread_has_its_time(of_threads) -> None:
    assert len(of_threads.threads) == THREADS
    assert sum(of_threads.threads) == pytest.approx(sum(of_threads.totals.seconds))
    cpython = of_threads.totals.seconds[KINDS.index("cpython")]
    assert 0 < of_threads.totals.breaks <= cpython


def test_times_of_threads_are_not_set_against_the_clock(of_threads) -> None:
    seconds = tuple(1.5 if kind == "cpython" else 0.0 for kind in KINDS)
    totals = replace(of_threads.totals, seconds=seconds, breaks=0.75)
    several = replace(of_threads, elapsed=1.0, totals=totals, threads=(0.9, 0.6))
    one = replace(several, threads=(1.5,))
    assert console.taken(several) == (
        "1.5 s",
        "on 2 threads together, waiting for each other included, in 1 s by the clock",
    )
    assert console.taken(one) == ("1 s", "of 1 s")
    text = " ".join("".join(map(console.plain, console.report(several, 100))).split())
    assert "compiled functions took 1.5 s on 2 threads together" in text
    assert "CPython 1.5 s 100%" in text and "CPython after the breaks 750 ms 50%" in text
    assert "1.5 s</b>in compiled functions, on 2 threads together" in page.text(several)


def test_a_call_accounts_for_no_more_than_its_time() -> None:
    def called(x):
        y = np.sqrt(x + 4.0)
        together.wait()
        return y * 3.0

    together = threading.Barrier(THREADS, timeout=60)
    compiled = jitcore.compile(called)

    def spread(x):
        others = [threading.Thread(target=compiled, args=(x,)) for _ in range(THREADS - 1)]
        for other in others:
            other.start()
        compiled(x)
        for other in others:
            other.join()
        return x

    found = jitcore.explain(spread)(X)
    assert len(found.run.threads) == THREADS and 0.0 < found.accounted <= 1.0


def test_a_thread_that_calls_nothing_is_none_of_a_runs() -> None:
    """Two readings of one clock differ by some nanoseconds for what has not gone on."""
    mine, below, earlier = (Call(up, "f", "a.py", 1, 1, 0.0, (1.0,)) for up in (-1, 0, -1))
    earlier = replace(earlier, times=0, own=(2e-9,))
    assert threads({0: mine, 1: below, 2: earlier}) == (2.0,)


@pytest.mark.parametrize(
    ("process", "said"),
    [
        (Process(7, "", 0, 0), "process 7: python a.py"),
        (Process(7, "SpawnProcess-1", 5, 0), "process 7, SpawnProcess-1 of process 5: python a.py"),
        (
            Process(7, "", 0, 5),
            "process 7, with what process 5 had done before the fork: python a.py",
        ),
    ],
)
def test_a_report_says_of_which_process_it_is(of_threads, process, said) -> None:
    assert whose(process, "python a.py") == said
    one = replace(of_threads, process=process, command="python a.py")
    assert console.plain(console.report(one, 100)[0]) == f"jitcore, {said}"
    assert said in page.text(one)


def test_this_process(of_threads) -> None:
    assert of_threads.process == Process(os.getpid(), "", 0, 0)


def test_standard_error_gets_it_in_one_piece(of_threads, tmp_path, monkeypatch) -> None:
    """Larger than the buffer of a stream: that would be cut."""
    pieces = []
    many = replace(of_threads, stops=of_threads.stops * 100)

    def write(file: int, piece: memoryview, real=os.write) -> int:
        pieces.append(bytes(piece))
        return real(file, piece)

    path = tmp_path / "stderr"
    with path.open("w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "__stderr__", stream)
        monkeypatch.setattr(console.os, "write", write)
        stream.write("before\n")
        console.print_report(stream, many, None)
        monkeypatch.undo()
    (piece,) = pieces
    assert len(piece) > 20_000
    assert path.read_bytes() == b"before\n" + piece
