"""Commands → what they print, each a process that dies with the work of the thread that waits."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from subprocess import Popen
from threading import Thread, current_thread
from weakref import WeakSet

SECONDS = 120.0


class CompileError(Exception):
    """The C compiler refused, died, was not there, or made code that rounds otherwise."""


class Stopped(Exception):
    """The thread was told to leave its work."""


UNDER_WAY: dict[Thread, Sequence[Popen[str]]] = {}
BROKEN_OFF: WeakSet[Thread] = WeakSet()


def run(command: tuple[str, ...], text: str, folder: Path | None = None) -> str:
    """The standard output of `command` fed with `text`; CompileError unless it exits with 0."""
    return run_all([(command, text)], folder)[0]


def run_all(jobs: Sequence[tuple[tuple[str, ...], str]], folder: Path | None) -> list[str]:
    """As `run`, of each."""
    try:
        with ExitStack() as under_way:
            processes = [under_way.enter_context(begun(command, folder)) for command, _ in jobs]
            said = talk(processes, [text for _, text in jobs])
    except TimeoutError:  # of an alarm that the program has set
        raise
    except (OSError, subprocess.SubprocessError) as error:
        raise CompileError(f"{jobs[0][0][0]}: {error}") from error
    for process, (command, _), (_, err) in zip(processes, jobs, said, strict=True):
        if process.returncode != 0:
            raise CompileError(f"{command[0]} exit {process.returncode}: {err.strip()[:2000]}")
    return [out for out, _ in said]


def begun(command: tuple[str, ...], folder: Path | None) -> Popen[str]:
    # zig keeps what it made; kernels are kept by cache.py
    kept = {f"ZIG_{name}_CACHE_DIR": str(folder) for name in ("GLOBAL", "LOCAL") if folder}
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,  # gcc's own processes die with it
        env={**os.environ, "LC_ALL": "C", **kept},
    )


def talk(processes: Sequence[Popen[str]], texts: Sequence[str]) -> list[tuple[str, str]]:
    """As Popen.communicate, but the processes die with the thread's work. Texts of several are
    short: a pipe holds each."""
    thread = current_thread()
    UNDER_WAY[thread] = processes
    try:
        if thread in BROKEN_OFF:
            raise Stopped
        for process, text in zip(processes[1:], texts[1:], strict=True):
            feed(process, text)
        rest = [None] * (len(texts) - 1)
        said = [
            process.communicate(text, timeout=SECONDS)
            for process, text in zip(processes, [texts[0], *rest], strict=True)
        ]
    except BaseException:
        kill(processes)
        raise
    finally:
        del UNDER_WAY[thread]
    if thread in BROKEN_OFF:
        raise Stopped
    return said


def feed(process: Popen[str], text: str) -> None:
    assert process.stdin is not None
    with suppress(BrokenPipeError), process.stdin as pipe:
        pipe.write(text)
    process.stdin = None


def kill(processes: Sequence[Popen[str]]) -> None:
    """With all that they have started. A number is a process's own until somebody waits for it."""
    for process in processes:
        if process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)


def break_off(thread: Thread) -> None:
    """The compilers that this thread waits for die, and it starts no other: Stopped is raised."""
    BROKEN_OFF.add(thread)
    kill(UNDER_WAY.get(thread, ()))


def unbroken(thread: Thread) -> None:
    """It goes on after all."""
    BROKEN_OFF.discard(thread)
