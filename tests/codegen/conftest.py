"""Kernels of the tests are kept in a folder of their own, one for the whole run."""

from __future__ import annotations

from pathlib import Path

import pytest

from jitcore.codegen.toolchain import find
from jitcore.config import Config


@pytest.fixture(scope="session")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    if find("") is None:
        pytest.skip("no C compiler")
    return Config(cache_dir=Path(tmp_path_factory.mktemp("kernels")))
