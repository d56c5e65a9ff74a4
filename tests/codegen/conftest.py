"""Kernels of the tests are kept in a folder of their own: one for the whole run, or a fresh one."""

from __future__ import annotations

from pathlib import Path

import pytest

from jitcore.codegen import cache, folder, selftest
from jitcore.codegen.toolchain import Compiler, find
from jitcore.config import Config


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
    folder.usable.cache_clear()
    selftest.chosen.cache_clear()
    selftest.proven_flags.cache_clear()
    folder.SAID.clear()
    return Config(cache_dir=tmp_path / "kernels")
