"""Kernels of the tests are kept in a folder of their own: one for the whole run, or a fresh one."""

from __future__ import annotations

from pathlib import Path

import pytest

from jitcore.config import Config
from jitcore.toolchain import cache, cache_dir, selftest
from jitcore.toolchain.compiler import Compiler, find


@pytest.fixture(scope="session")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    if find("") is None:
        pytest.skip("no C compiler")
    return Config(cache_dir=Path(tmp_path_factory.mktemp("kernels")))


@pytest.fixture(scope="session")
def compiler() -> Compiler:
    found = find("")
    if found is None:
        pytest.skip("no C compiler")
    return found


@pytest.fixture
def fresh(tmp_path: Path) -> Config:
    """An empty cache folder, and nothing in memory."""
    cache.loaded.cache_clear()
    cache_dir.usable.cache_clear()
    selftest.chosen.cache_clear()
    selftest.proven_flags.cache_clear()
    cache_dir.SAID.clear()
    return Config(cache_dir=tmp_path / "kernels")
