"""Tests run in the tree, raise jitcore's own errors, and keep compiled kernels between runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
for folder in (str(HERE), str(HERE.parent)):
    if folder not in sys.path:
        sys.path.insert(0, folder)

from support.turns import dealt  # noqa: E402 (where it is has just been said)
from support.window_plans import verify_each  # noqa: E402

verify_each()
os.environ.setdefault("JITCORE_KEEP_ALL", "1")
os.environ.setdefault("JITCORE_CACHE_DIR", str(HERE.parent / ".pytest_cache" / "kernels"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all-cases", action="store_true", help="also those of the other Pythons")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--all-cases") or any("::" in name for name in config.args):
        return
    items[:], others = dealt(items)
    if others:
        config.hook.pytest_deselected(items=others)
