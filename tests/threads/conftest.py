"""Small loops are cut, too; the number of threads is put back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jitcore import _C, pipeline
from jitcore.codegen import cut
from jitcore.codegen.toolchain import find
from jitcore.config import Config


@pytest.fixture(scope="session")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    if find("") is None:
        pytest.skip("no C compiler")
    return Config(cache_dir=Path(tmp_path_factory.mktemp("kernels")))


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(cut, "LEAST", 1.0)
    before = pipeline.threads()
    yield
    pipeline.use_threads(before)
    assert _C.threads() == before
