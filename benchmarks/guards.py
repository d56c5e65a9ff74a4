"""What it takes to look whether an entry's guards hold.

    python benchmarks/guards.py

Each case is a function and its arguments; its guards are those that jitcore makes. They are asked
with a plan that does nothing, in turns with a plan without guards and with one np.add of two arrays
of ten elements. Printed are the difference, the share of an np.add, and how many guards there are.
"""

from __future__ import annotations

import builtins
import dataclasses
import statistics
import time
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np

from jitcore import _C
from jitcore.config import environment
from jitcore.guards.program import GuardProgram, compile_guards
from jitcore.opcodes.decode import decode
from jitcore.symbolic.capture import capture
from jitcore.symbolic.state import Start

ROUNDS, TIMES = 300, 50  # bursts that end before another process has its turn
LEAVE = array("i", (_C.PLAN_OPS["EXIT"][0], 1))
EMPTY = compile_guards((), ())


class Plain:
    def __init__(self, count: int) -> None:
        for i in range(count):
            setattr(self, f"w{i}", np.ones(3))


class Slots:
    __slots__ = tuple(f"w{i}" for i in range(100))

    def __init__(self, count: int) -> None:
        for i in range(count):
            setattr(self, f"w{i}", np.ones(3))


@dataclasses.dataclass
class Layer:
    w: Any = dataclasses.field(default_factory=lambda: np.ones((3, 3)))
    b: Any = dataclasses.field(default_factory=lambda: np.ones(3))


class Layers:
    def __init__(self, count: int) -> None:
        self.layers = [Layer() for _ in range(count)]


def summed(reads: list[str]) -> Any:
    """A function of `m` that adds up what is read."""
    space: dict[str, Any] = {}
    exec("def f(m):\n    return " + " + ".join(reads), space)
    return space["f"]


def attributes(count: int) -> list[str]:
    return [f"m.w{i}" for i in range(count)]


def items(count: int) -> list[str]:
    return [f"m[{i}]" for i in range(count)]


def arrays(count: int) -> list[Any]:
    return [np.ones(3) for _ in range(count)]


def named(count: int) -> dict[str, Any]:
    return {f"k{i}": np.ones(3) for i in range(count)}


def of_layers(count: int) -> list[str]:
    return [f"m.layers[{i}].{name}" for i in range(count) for name in "wb"]


two: Any = lambda x, y: x + y  # noqa: E731
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "two arrays": (two, (np.ones(3), np.ones(3))),
    "a tuple of 10": (summed(items(10)), (tuple(arrays(10)),)),
    "a list of 100": (summed(items(100)), (arrays(100),)),
    "a dict of 50": (summed([f"m['k{i}']" for i in range(50)]), (named(50),)),
    "an object with 10": (summed(attributes(10)), (Plain(10),)),
    "an object with 25": (summed(attributes(25)), (Plain(25),)),
    "an object with 100": (summed(attributes(100)), (Plain(100),)),
    "__slots__ with 100": (summed(attributes(100)), (Slots(100),)),
    "50 layers with 2 each": (summed(of_layers(50)), (Layers(50),)),
}  # fmt: skip


def program_of(fn: Any, args: tuple[Any, ...]) -> tuple[GuardProgram, int]:
    code = decode(fn.__code__)
    outside = fn.__globals__, vars(builtins), _C.NULL, _C.errstate_code()
    start = Start(code, code.start, args, (), *outside)
    with np.errstate(all="ignore"):
        captured = capture(start, environment(), {})
    if captured.stop is not None:
        raise SystemExit(f"{captured.stop}")
    return compile_guards(captured.guards, ()), len(captured.guards)


def entry_of(program: GuardProgram) -> Any:
    exits = ((0, -1, False, 0, (), (), (), _C.PLAN_NULL), (1, -1, False, 0, (), (), (), ~0))
    return _C.Entry(
        "guards", len(program.registers), program.words, program.consts, program.reasons, LEAVE,
        ("held",), exits,
    )  # fmt: skip


def seconds(entry: Any, frame: tuple[Any, ...]) -> float:
    run = entry.run_on
    start = time.perf_counter()
    for _ in range(TIMES):
        run(*frame)
    return (time.perf_counter() - start) / TIMES


def seconds_of_add() -> float:
    x, add = np.ones(10), np.add
    start = time.perf_counter()
    for _ in range(TIMES):
        add(x, x)
    return (time.perf_counter() - start) / TIMES


def main() -> None:
    print(f"{'':>24} {'guards':>7} {'asked in':>12} {'np.adds':>8}")
    for name, (fn, args) in CASES.items():
        program, count = program_of(fn, args)
        entry, nothing = entry_of(program), entry_of(EMPTY)
        frame: tuple[Any, ...] = ([*args], [], fn.__globals__, vars(builtins))
        if entry.run_on(*frame)[0] != "return":
            raise SystemExit(f"{name}: {entry.explain_miss()}")
        rows = [
            (seconds(entry, frame), seconds(nothing, frame), seconds_of_add())
            for _ in range(ROUNDS)
        ]
        asked, bare, add = (statistics.median(column) for column in zip(*rows, strict=True))
        print(f"{name:>24} {count:>7} {(asked - bare) * 1e9:>9.0f} ns {(asked - bare) / add:>8.2f}")


if __name__ == "__main__":
    main()
