"""`python -m pytest tests/bits --deep`: every length, every pair of types, every offset."""

from __future__ import annotations

from pathlib import Path

import pytest

from jitcore.config import environment
from jitcore.toolchain.compiler import Compiler, find


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--deep", action="store_true", help="all lengths from 0 to 300, all types")


@pytest.fixture(scope="session")
def deep(request: pytest.FixtureRequest) -> bool:
    """False also where pytest was started for more than this folder."""
    return bool(request.config.getoption("--deep", default=False))


@pytest.fixture(scope="session")
def compiler() -> Compiler:
    found = find(environment().compiler)
    if found is None:
        pytest.skip("no C compiler")
    return found


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(tmp_path_factory.mktemp("bits"))
