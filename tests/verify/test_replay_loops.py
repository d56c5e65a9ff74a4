"""Loops in C, and numbers that guards know, are replayed; a file is not taken at its word."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.verifying import Bench

from jitcore.cli import replay
from jitcore.toolchain import cache
from jitcore.verify import shadow_run

SIDE = 8
RIGHT, WRONG = "0x1.8c00000000000p+1", "0x1.8c00000000001p+1"  # 3.09375
X = np.linspace(0.5, 2.0, 40)


def parts(x: Any, out: Any) -> Any:
    """Extents that only run time knows, a few that C knows, steps of both signs."""
    for i in range(2, len(x) - 2):
        out[i] = (x[i - 2 : i + 1] * 3.09375).sum() + x[i:2:-1].sum() + x[: i // 2 : 2].max()
        out[:3] = x[3:6] + out[:3]
    return out


def matrix(a: Any, b: Any) -> Any:
    for i in range(1, len(a)):
        a[i, :-1] = a[i - 1, 1:] @ b[1:, 1:] - a[i, ::-1][1:] * 0.1
        b[:, 0] += np.abs(a[i]).T
    return a.sum()


def of_a_list(xs: list[float], text: str, code: bytes) -> Any:
    total, vowels = 0.0, 0
    for k in range(len(xs)):
        total = total * 0.5 + xs[k]
    for one in text:
        vowels += one in "aeiou"
    for byte in code:
        vowels = (vowels ^ byte) & 65535
    return total, vowels


def of_functions(x: Any) -> Any:
    s, z = 0.0, 0
    for value in x:
        s += math.sqrt(abs(value)) ** 1.5 + math.sin(float(value))
        z = z + int(value * 10.0) + round(float(value))
    return s, z


def searched(n: int) -> Any:
    stack = [(0, 1)]
    seen = 0
    while stack:
        depth, width = stack.pop()
        seen += width
        if depth < n:
            stack.append((depth + 1, width + 1))
            stack.append((depth + 2, width))
    return seen


def grown(n: int) -> Any:
    found = []
    x = 0.5
    for _ in range(n):
        x = 3.5 * x * (1.0 - x)
        found.append(x)
    return found


def carried(z: Any, limit: float) -> Any:
    count = 0
    for _ in range(9):
        z = z * z + 0.1
        z = z[z < limit]
        count += len(z)
    return count


def counted(x: Any, n: int) -> Any:
    """NumPy gives a view of an array of two axes, whose flags are not those of another array."""
    s = 0
    for k in range(n):
        at = np.flatnonzero(x > k)
        s += len(at)
        x[0] = s
    return s, at


def shrinking(z: Any, c: Any, steps: int) -> Any:
    """What is made where the loop goes on is carried into its second round."""
    last = np.zeros_like(z)
    where = np.arange(z.size)
    for step in range(steps):
        if z.size == 0:
            break
        z = z * z + c
        gone = np.abs(z) > 2.0
        last[where[gone]] = z[gone] + step
        stay = ~gone
        z, c, where = z[stay], c[stay], where[stay]
    return last


def left(y: Any, n: int) -> Any:
    """One way through it leaves it, and has nothing to hand on."""
    for k in range(n):
        y = y[1:] + y[:-1] // 2
        if k == 17:
            print(end="")
    return y


def known(x: Any) -> Any:
    """SIDE is a guard's, and nobody loads it."""
    return x[: SIDE // 2] * 2.0 + 1.0


def two_states(x: Any) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log(x - 0.5) * 2.0
    return np.sqrt(np.abs(y)) + x


def unwritten(x: Any) -> Any:
    y = np.empty(2 * len(x))
    y[: len(x)] = x * 2.0 + 1.0
    return y


LOOPS: dict[Callable[..., Any], tuple[Any, ...]] = {
    parts: (X, np.zeros(40)),
    matrix: (np.arange(30.0).reshape(5, 6) / 7.0, np.arange(36.0).reshape(6, 6) / 9.0),
    of_a_list: ([0.5, 2.0, -3.0] * 9, "the quick brown fox" * 3, b"some bytes, many of them"),
    of_functions: (X,),
    searched: (9,),
    grown: (50,),
    carried: (X, 1.2),
    counted: (X * 4.0, 4),
    left: (X, 12),
    shrinking: (X, X[::-1].copy(), 6),
}
OTHERS: dict[Callable[..., Any], tuple[Any, ...]] = {
    known: (X,),
    two_states: (X,),
    unwritten: (X,),
}


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A report of each region that is compared, though nothing differs."""
    found: list[str] = []
    over = shadow_run.PendingFrame.over

    def noted(self: Any, texts: list[str]) -> None:
        found.append(str(self.report()))
        over(self, texts)

    monkeypatch.setattr(shadow_run.PendingFrame, "over", noted)
    return found


def replayed(text: str, folder: Path) -> int:
    file = folder / "report.txt"
    file.write_text(text)
    return replay.main([str(file)])


@pytest.mark.by_turns
@pytest.mark.parametrize("fn", [*LOOPS, *OTHERS])
def test_it_is_replayed(
    fn: Callable[..., Any], bench: Bench, written: list[str], tmp_path: Path, capsys: Any
) -> None:
    bench.compiled(fn)(*({**LOOPS, **OTHERS}[fn]))
    loops = [text for text in written if "| routine " in text]
    assert bool(loops) == (fn in LOOPS)
    for text in loops or written[:1]:
        assert replayed(text, tmp_path) == replay.GONE, capsys.readouterr().out


def test_a_wrong_loop_over_parts_is_found(bench: Bench, tmp_path: Path, capsys: Any) -> None:
    bench.wrong[RIGHT] = WRONG
    bench.compiled(parts, cache_dir=tmp_path)(*LOOPS[parts])
    (file,) = bench.files()
    assert replay.main([str(file)]) == replay.STILL
    assert "input 1, as it is afterwards" in capsys.readouterr().out
    bench.wrong.clear()
    cache.loaded.cache_clear()
    assert replay.main([str(file)]) == replay.GONE


GRAPH = """graph f(%0: f8[40], %1: pyi8, %2: object<builtins.list>, %3: i8[9]) {
  for(4) {
    (%4: pyi8):
    poll()
    %5: pyi8 = extent(%0, 0)
    %6: pyi8 = slice.start(%5, %1, -2, 1)
    %7: pyi8 = slice.count(%5, %1, -2, 1)
    %8: f8[:] = span(%0, ((%6, %7, 1),), (None,))
    %9: f8[=3] = span(%0, ((0, 3, 2),), (3,))
    span.store(%9, 0.5)
    %10: pyf8 = seq.item(%2, %4)
    seq.store(%2, 0, %10)
    yield
  }
  return %0
}"""
LIES = {
    "another length": ("((%6, %7, 1),)", "((%6, 100000, 1),)"),
    "another start": ("((%6, %7, 1),)", "((%1, %7, 1),)"),
    "another step": ("((%6, %7, 1),)", "((%6, %7, 2),)"),
    "bounds of another slice": ("slice.count(%5, %1, -2, 1)", "slice.count(%5, 0, -2, 1)"),
    "of another array": ("extent(%0, 0)", "extent(%3, 0)"),
    "of another extent": ("slice.count(%5,", "slice.count(%1,"),
    "no such axis": ("extent(%0, 0)", "extent(%0, 1)"),
    "extents that it has not": ("f8[:] = span(%0, ((%6, %7, 1),), (None,))",
                                "f8[=9] = span(%0, ((%6, %7, 1),), (9,))"),
    "a few items beyond the end": ("((0, 3, 2),), (3,)", "((0, 30, 2),), (30,)"),
    "fewer than none": ("((0, 3, 2),), (3,)", "((0, -3, 2),), (-3,)"),
    "an axis too many": ("((0, 3, 2),), (3,)", "((0, 3, 2), (0, 3, 2)), (3, 3)"),
    "a list that is none": ("seq.item(%2, %4)", "seq.item(%0, %4)"),
    "an item that is no number": ("%10: pyf8", "%10: f8[3]"),
    "an index that is none": ("seq.store(%2, 0,", "seq.store(%2, 0.5,"),
    "a store that does not fit": ("span.store(%9, 0.5)", "span.store(%9, %3)"),
}  # fmt: skip


def report_of(graph: str) -> str:
    lines = ["jitcore bug report, version 1", "", "[about]", "  | errstate: 521", "[segments]"]
    lines += [
        "  | routine 1 521 1,2,3,4,5,6,7,8,9",
        "[graph]",
        *(f"  | {line}" for line in graph.splitlines()),
    ]
    lines += ["[inputs]", "  | %0 f8[40] x = random:0", "  | %1 pyi8 k = int:0x3"]
    lines += ["  | %2 object<builtins.list> xs = items:pyf8 4 random:2"]
    return "\n".join([*lines, "  | %3 i8[9] y = random:3"]) + "\n"


def test_what_the_lies_are_about_is_replayed(tmp_path: Path, capsys: Any) -> None:
    assert replayed(report_of(GRAPH), tmp_path) == replay.GONE, capsys.readouterr().out


@pytest.mark.parametrize("lie", LIES)
def test_a_loop_is_not_taken_at_its_word(
    lie: str, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "differences", lambda _: pytest.fail("it was run"))
    before, after = LIES[lie]
    assert before in GRAPH
    assert replayed(report_of(GRAPH.replace(before, after)), tmp_path) == replay.UNKNOWN
    assert "cannot be replayed: its graph is not well formed" in capsys.readouterr().out
