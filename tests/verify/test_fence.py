"""An error of verify mode's own, in whatever C calls of it, is nothing to the program."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from support.verifying import Bench

from jitcore.verify import shadow_run
from jitcore.verify.expected import Expected
from jitcore.verify.findings import findings
from jitcore.verify.journal import Journal

CALLED: dict[str, tuple[Any, str]] = {
    "before": (shadow_run, "kept"),
    "after": (Journal, "undone"),
    "judged": (shadow_run, "effects_of"),
    "a watch": (Expected, "differences"),
    "ended": (Expected, "ended"),
}


def function(x: Any) -> Any:
    y = np.sqrt(x * 6.640625)
    print("half way")
    return y + 1.0


def fails(*_: Any) -> Any:
    raise KeyError("ours")


@pytest.mark.parametrize("called", CALLED)
def test_the_program_goes_on(called: str, bench: Bench, monkeypatch: Any, capsys: Any) -> None:
    filters = [*warnings.filters]
    f, x = bench.compiled(function), np.arange(40.0)
    wanted = function(x)
    with monkeypatch.context() as failing:
        failing.setattr(*CALLED[called], fails)
        assert f(x).tobytes() == wanted.tobytes()
    assert capsys.readouterr().out == "half way\n" * 2
    assert bench.told and all("internal error in verify mode" in text for text in bench.told)
    assert "KeyError: 'ours'" in bench.told[0]
    assert not shadow_run.pending and warnings.filters == filters
    if called in ("a watch", "ended"):
        assert "KeyError came in between" in "\n".join(findings.summary())
    assert f(x).tobytes() == wanted.tobytes()
    assert findings.compared and not findings.differences
