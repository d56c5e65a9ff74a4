"""What is compared beside values: states, effects, guards; and programs that differ in nothing."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.verifying import Bench

from jitcore.cli import bugreport
from jitcore.guards.guard import Equals
from jitcore.ir.interp import interpret
from jitcore.plan import assemble
from jitcore.user import backends
from jitcore.verify.bug_report import parse
from jitcore.verify.findings import findings

ROOT = Path(__file__).resolve().parent.parent.parent
total = 0.0


class Model:
    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.best: Any = None
        self.names: dict[str, Any] = {}


def effects(model: Any, x: Any) -> Any:
    global total
    y = x * 2.0 + 1.0
    model.seen.append(y.max())
    model.best = y.sum()
    model.names["last"] = y
    total = y.min()
    print("done")
    return y


def iterators(x: Any) -> Any:
    s, it = 0.0, iter(x)
    for u, v in zip(it, it, strict=False):
        s += u * v
        if u == 4.0:
            print("four")
    for i, (u, v) in enumerate(zip(x, x[::-1], strict=False)):
        s += u * v
        if i == 3:
            print("three")
    return s


def lists(x: Any, rows: Any) -> Any:
    out = []
    for i in range(6):
        try:
            if i == 2:
                raise ValueError(i)
            x = x + 1
        except ValueError:
            continue
        finally:
            out.append(i)
        rows[i % 2] += x
    return x, out


def unwritten(x: Any) -> Any:
    out = np.empty(8)
    out[::2] = x[:4] * 3.0
    print("half")
    return out


def warns(x: Any) -> Any:
    y = x / (x - x[0])
    x[1:] = np.log(x[1:] - 2.0)
    return y


def raises(x: Any, y: Any) -> Any:
    z = x * 2.0
    x[0] = 1.0
    y[:] = z
    return z


def handled(x: Any) -> Any:
    try:
        with np.errstate(divide="ignore"):
            y = 1.0 / x
        x[99] = 0.0
    except IndexError as error:
        return str(error), x + y
    return y


CASES: tuple[tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]], ...] = (
    (effects, lambda: (Model(), np.arange(9.0))),
    (iterators, lambda: (np.arange(10.0),)),
    (lists, lambda: (np.arange(3.0), [np.zeros(3), np.ones(3)])),
    (unwritten, lambda: (np.arange(8.0),)),
    (warns, lambda: (np.arange(1.0, 9.0),)),
    (raises, lambda: (np.arange(3.0), np.zeros(4))),
    (handled, lambda: (np.arange(1.0, 5.0),)),
)


@pytest.mark.parametrize(("fn", "given"), CASES, ids=lambda one: getattr(one, "__name__", ""))
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_what_is_right_differs_in_nothing(fn: Any, given: Any, backend: str, bench: Bench) -> None:
    compiled = bench.compiled(fn, backend=backend)
    for _ in range(3):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            wanted = outcome(fn, given())
            texts = [str(one.message) for one in heard]
            assert outcome(compiled, given()) == wanted
        assert [str(one.message) for one in heard] == 2 * texts
    assert not findings.differences and not bench.told
    assert findings.compared or findings.alone or fn is warns  # which begins anew each time


def outcome(fn: Any, args: tuple[Any, ...]) -> Any:
    try:
        found = fn(*args)
    except Exception as error:
        return repr(error)
    return repr(found[::2] if fn.__name__ == "unwritten" else found)


def test_a_warning_that_is_missing_is_found(bench: Bench) -> None:
    def deaf(graph: Any, examples: Any) -> Any:
        def run(*inputs: Any) -> Any:
            with np.errstate(all="ignore"):
                return interpret(graph, *inputs)

        return run

    backends.register("deaf", deaf)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        bench.compiled(divides, backend="deaf")(np.arange(4.0))
    (found,) = findings.differences.values()
    line = divides.__code__.co_firstlineno + 1
    assert found.texts == (
        f"warnings: none; in CPython 'divide by zero encountered in divide' at line {line}",
    )


def divides(x: Any) -> Any:
    return 1.0 / x


def off_by_a_bit(graph: Any, examples: Any) -> Any:
    def run(*inputs: Any) -> tuple[Any, ...]:
        made = interpret(graph, *inputs)
        return tuple(np.nextafter(x, np.inf) if np.ndim(x) else x for x in made)

    return run


def test_effects_are_compared_and_not_performed_twice(bench: Bench) -> None:
    backends.register("off-by-a-bit", off_by_a_bit)
    model, x = Model(), np.arange(9.0)
    bench.compiled(effects, backend="off-by-a-bit")(model, x)
    assert model.seen == [17.0] and model.best == 81.0 and total == 1.0
    assert model.names["last"].tobytes() == (x * 2.0 + 1.0).tobytes()
    told = "\n".join(text for one in findings.differences.values() for text in one.texts)
    assert "y: 9 of 9 elements" in told


def chosen(x: Any, how: str) -> Any:
    return x * 2.0 if how == "twice" else x * 3.0


def test_a_guard_that_is_missing_is_found(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    real = assemble.compile_guards

    def lax(guards: Any, *others: Any) -> Any:
        return real([one for one in guards if not isinstance(one, Equals)], *others)

    monkeypatch.setattr(assemble, "compile_guards", lax)
    f, x = bench.compiled(chosen), np.arange(5.0)
    assert f(x, "twice").tobytes() == (x * 2.0).tobytes()
    assert not findings.differences
    assert f(x, "thrice").tobytes() == (x * 3.0).tobytes()
    assert len(findings.differences) == 1


SCRIPT = """
import jitcore, numpy as np
def wrong(graph, examples):
    return lambda *inputs: tuple(np.full(4, 7.0) for _ in graph.body.results)
jitcore.register_backend("wrong", wrong)
@jitcore.compile(backend="wrong")
def f(x):
    return x * 2.0 + 1.0
print(f(np.arange(4.0)))
"""


def test_a_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    assert bugreport.main(["-o", str(tmp_path / "found"), str(script)]) == 0
    seen = capfd.readouterr()
    assert "[1. 3. 5. 7.]" in seen.out
    assert "1 place where they differ" in seen.err
    (file,) = (tmp_path / "found").glob("jitcore-*.txt")
    assert str(file) in seen.out
    assert "def f(x):" in "\n".join(parse(file.read_text()).sections["source"])
    command = [sys.executable, "-m", "jitcore", "replay", str(file)]
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 2, again.stderr  # that backend is the script's own
    assert "its backend 'wrong' is not installed here" in again.stdout
    assert "With backend 'c' compiled code and CPython agree" in again.stdout
    assert "compiled code and CPython agree" in again.stdout
