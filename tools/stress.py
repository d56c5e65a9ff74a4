"""Threads that call compiled functions with changing dtypes and shapes, while the process forks,
signals come, and what has been compiled is forgotten: every result is compared with eager NumPy's.

    python tools/stress.py --seconds 60 --threads 16 --functions 200
    python tools/stress.py --seconds 60 --forks 0             (sanitizers do not like forks)

The exit status says whether anything differed.
"""

from __future__ import annotations

import argparse
import gc
import linecache
import os
import random
import signal
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import jitcore

# {k} is a number of the function's own: no two have the same code.
TEMPLATES = (
    "return np.sqrt(x * x + {k}) - y * x + np.maximum(x, y)",
    "z = x * {k} + y\n    return z.sum(), z.max(), z - z.mean()",
    "z = np.zeros(len(x), x.dtype)\n    z[1:] = x[:-1] * 2 + {k}\n    z += y\n    return z",
    "s = 0.0\n    for i in range(len(x)):\n        s = s * 0.5 + x[i] * {k} - y[i]\n    return s",
    "z = np.where(x > y, x * {k}, y)\n    w = float(str(float(z[0])))\n    return z * w + 1",
    "m = x[: len(x) // 2 * 2].reshape(2, -1) * {k}\n    return m / m.sum(0), m.T.copy()",
    "z = x.copy()\n    for k in range(5):\n        z = z * 0.5 + y * {k}\n    return z",
    "z = x[x > y[0]] * {k}\n    return z, len(z), z.astype(np.float32)",
    "out = []\n    for i in range(len(x)):\n        if x[i] > y[i]:\n"
    "            out.append(x[i] + {k})\n    return np.array(out)",
    "a = np.outer(x[:8], y[:8]) + {k}\n    return a @ a.T, np.cumsum(a, axis=1)",
)
DTYPES = (np.float64, np.float32, np.int64, np.complex128, np.uint8)
LENGTHS = (1, 2, 7, 64, 1000, 20_000)
RESET_EVERY = 5.0  # seconds
CALLS_OF_A_CHILD = 10


@dataclass
class Case:
    """A function, what it is called with, and what eager NumPy gives."""

    compiled: Callable[..., Any]
    arguments: tuple[Any, ...]
    expected: object

    def differs(self) -> bool:
        return outcome(self.compiled, self.arguments) != self.expected


@dataclass
class Tally:
    counts: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)
    stop: threading.Event = field(default_factory=threading.Event)

    def add(self, what: str, count: int = 1) -> None:
        with self.lock:
            self.counts[what] += count


def outcome(fn: Callable[..., Any], arguments: tuple[Any, ...]) -> object:
    """Of a call on copies: bits and types of results and arguments, or the exception."""
    mine = tuple(one.copy() for one in arguments)
    try:
        result = fn(*mine)
    except Exception as error:
        result = f"{type(error).__name__}: {error}"
    return portrait(result), portrait(mine)


def portrait(value: Any) -> object:
    if isinstance(value, tuple):
        return tuple(portrait(one) for one in value)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.strides, value.tobytes()
    return type(value).__name__, repr(value)


def functions(count: int) -> list[Callable[..., Any]]:
    made = []
    for k in range(count):
        body = TEMPLATES[k % len(TEMPLATES)].format(k=k + 2)
        text, name = f"def f{k}(x, y):\n    {body}\n", f"<stress {k}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        names: dict[str, Any] = {"np": np}
        exec(compile(text, name, "exec"), names)
        made.append(names[f"f{k}"])
    return made


def cases(count: int, per_function: int, rng: random.Random) -> list[Case]:
    found = []
    for plain in functions(count):
        compiled = jitcore.compile(plain)
        for _ in range(per_function):
            arguments = inputs(rng)
            found.append(Case(compiled, arguments, outcome(plain, arguments)))
    return found


def inputs(rng: random.Random) -> tuple[Any, ...]:
    made = np.random.default_rng(rng.randrange(1 << 30))
    length, dtype = rng.choice(LENGTHS), rng.choice(DTYPES)
    return tuple((made.random(length) * 50 - 10).astype(dtype) for _ in range(2))


def call(found: list[Case], seed: int, tally: Tally) -> None:
    rng = random.Random(seed)
    while not tally.stop.is_set():
        case = rng.choice(found)
        if case.differs():
            tally.add("different")
            print(f"different: {case.compiled.__name__}", portrait(case.arguments), file=sys.stderr)
        tally.add("calls")


def fork(found: list[Case], rng: random.Random, tally: Tally) -> None:
    """The child has one thread, and whatever the others were in the middle of."""
    chosen = rng.choices(found, k=CALLS_OF_A_CHILD)
    child = os.fork()
    if child == 0:
        os._exit(any(case.differs() for case in chosen))
    _, status = os.waitpid(child, 0)
    tally.add("forks")
    tally.add("different", os.waitstatus_to_exitcode(status) != 0)


def forked_or_not(found: list[Case], options: argparse.Namespace, tally: Tally) -> None:
    rng = random.Random(options.seed)
    began = last = time.monotonic()
    due = 1 / options.forks if options.forks else options.seconds
    while time.monotonic() - began < options.seconds:
        time.sleep(min(due, options.seconds))
        if options.forks:
            fork(found, rng, tally)
        if time.monotonic() - last > RESET_EVERY:
            last = time.monotonic()
            jitcore.reset()
            gc.collect()
            tally.add("resets")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--functions", type=int, default=200)
    parser.add_argument("--inputs", type=int, default=6, help="for each function")
    parser.add_argument("--forks", type=float, default=5.0, help="a second")
    parser.add_argument("--signals", type=float, default=50.0, help="a second")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main() -> int:
    options, tally = arguments(), Tally()
    warnings.simplefilter("ignore")
    found = cases(options.functions, options.inputs, random.Random(options.seed))
    if options.signals:
        signal.signal(signal.SIGALRM, lambda *_: tally.counts.update(signals=1))
        signal.setitimer(signal.ITIMER_REAL, 1 / options.signals, 1 / options.signals)
    threads = [
        threading.Thread(target=call, args=(found, options.seed + k, tally))
        for k in range(options.threads)
    ]
    for thread in threads:
        thread.start()
    forked_or_not(found, options, tally)
    tally.stop.set()
    for thread in threads:
        thread.join()
    signal.setitimer(signal.ITIMER_REAL, 0)
    print(", ".join(f"{count} {what}" for what, count in sorted(tally.counts.items())))
    return tally.counts["different"] > 0


if __name__ == "__main__":
    sys.exit(main())
