"""Small loops are cut, too; the number of threads is put back."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jitcore import _C
from jitcore.config import Config
from jitcore.kernels import parallel_split
from jitcore.runtime.process import threads, use_threads
from jitcore.toolchain.compiler import find

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
    monkeypatch.setattr(parallel_split, "LEAST", 1.0)
    before = threads()
    _C.threads_again()
    yield
    use_threads(before)
    assert _C.threads() == before
