"""Small loops are cut, too; the number of threads is put back."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jitcore import _C, pipeline
from jitcore.codegen import cut
from jitcore.codegen.toolchain import find
from jitcore.config import Config

KERNELS = str(Path(__file__).parents[1] / "codegen")  # graphs and values to try are there
if KERNELS not in sys.path:
    sys.path.append(KERNELS)


@pytest.fixture(scope="session")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    if find("") is None:
        pytest.skip("no C compiler")
    return Config(cache_dir=Path(tmp_path_factory.mktemp("kernels")))


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(cut, "LEAST", 1.0)
    before = pipeline.threads()
    _C.threads_again()
    yield
    pipeline.use_threads(before)
    assert _C.threads() == before
