"""`replay --execute`: nothing is said to agree that was not compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jitcore.cli import replay
from jitcore.runtime import pending_frames
from jitcore.verify.findings import findings
from jitcore.verify.value_codec import input_line

HEAD = "jitcore bug report, version 1\n"
X, Y = np.linspace(0.5, 2.0, 40), np.full(40, 3.0)


@pytest.fixture(autouse=True)
def forgotten() -> Any:
    yield
    pending_frames.forget()
    findings.forget()


def file_of(folder: Path, source: str, kind: str = "difference", **inputs: Any) -> str:
    lines = [HEAD, "[about]", f"  | kind: {kind}", "[source]"]
    lines += [f"  | {line}" for line in source.splitlines()]
    lines.append("[inputs]")
    for number, (name, value) in enumerate(inputs.items()):
        lines.append("  | " + input_line(number, None, name, value, "all"))
    file = folder / "report.txt"
    file.write_text("\n".join(lines))
    return str(file)


def executed(capsys: Any, *made: Any, **inputs: Any) -> tuple[int, str]:
    status = replay.main([file_of(*made, **inputs), "--execute"])
    return status, capsys.readouterr().out


LOG = "def f(x, y):\n    return np.log(x * 2.0) - y"


def test_arguments_go_by_name(tmp_path: Path, capsys: Any) -> None:
    """Inputs are in the order in which the region loads them."""
    source = (
        "def f(x, y, k=2, *, z):\n    assert (x < y).all() and z == 5.0\n    return x * k - y * z"
    )
    status, said = executed(capsys, tmp_path, source, y=Y, z=5.0, x=X)
    assert status == replay.GONE and "agree" in said
    assert " runs of compiled regions compared" in said


@pytest.mark.parametrize(
    ("source", "inputs", "why"),
    [
        (LOG, {"x": X}, "its argument y is not in the file"),
        (LOG, {"x": X, "y": object()}, "its argument y is not in the file: %1 object<"),
        ("def f(x):\n    return np.log(x * 2.0) - other", {"x": X}, "NameError: name 'other'"),
        ("def f(x, k=other):\n    return x", {"x": X}, "its source cannot be run: NameError"),
        ("def f(x):\n    return 3", {"x": X}, "nothing of the function is compiled here"),
        ("class A: pass", {}, "its source is not that of a function"),
        ("def f(x:", {}, "its source is not to be had"),
    ],
)
def test_nothing_was_compared(
    source: str, inputs: dict[str, Any], why: str, tmp_path: Path, capsys: Any
) -> None:
    status, said = executed(capsys, tmp_path, source, **inputs)
    assert status == replay.UNKNOWN and "agree" not in said
    assert said.splitlines()[-1].startswith("cannot be replayed: ") and why in said


def test_a_method_has_no_self(tmp_path: Path, capsys: Any) -> None:
    source = "def f(self, x):\n    return np.sqrt(x * self.k)"
    status, said = executed(capsys, tmp_path, source, self=object(), x=X)
    assert status == replay.UNKNOWN and "its argument self is not in the file" in said


def test_numbers_that_were_made_up_are_named(tmp_path: Path, capsys: Any) -> None:
    file = Path(file_of(tmp_path, LOG, x=X, y=Y))
    text = file.read_text().replace(input_line(1, None, "y", Y, "all"), "%1 f8[40] y = random:1")
    file.write_text(text)
    assert replay.main([str(file), "--execute"]) == replay.GONE
    assert "on numbers made up for y, which the file has not" in capsys.readouterr().out


def test_an_error_that_is_gone_where_nothing_was_compared(tmp_path: Path, capsys: Any) -> None:
    """The compiler has got through: that is said, and no more."""
    source = "def f(x, y):\n    return np.add(x * y, 1.0, where=y > 9.0)"
    status, said = executed(capsys, tmp_path, source, "error", x=X, y=Y)
    assert status == replay.GONE and "agree" not in said
    assert "0 runs of compiled regions compared" in said
    assert "it is compiled without an error. Nothing was compared: " in said
    assert "elements that `where=` leaves out are not written" in said
