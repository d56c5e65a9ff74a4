"""The versions of NumPy that are agreed with: one place says it, and pip is told the same."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from jitcore.host.numpy_versions import FIRST, LAST, after, agrees, check, shown

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "version", [shown(FIRST), f"{shown(LAST)}.11", f"{shown(LAST)}.0.dev0+git"]
)
def test_those_between_first_and_last_are(version: str) -> None:
    check(version)


@pytest.mark.parametrize(
    "version", ["1.26.4", "2.2.6", "2.30.0", shown(after(LAST)), "3.3", "", "x"]
)
def test_all_others_are_not_and_the_way_out_is_said(version: str) -> None:
    with pytest.raises(ImportError, match=r"this is NumPy .*: pip install 'numpy>=2\.3,<2\.6'"):
        check(version)


def test_pip_is_told_the_same() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = f"numpy>={shown(FIRST)},<{shown(after(LAST))}"
    assert wanted in project["project"]["dependencies"]
    assert wanted in project["build-system"]["requires"]
    assert agrees(np.__version__)
