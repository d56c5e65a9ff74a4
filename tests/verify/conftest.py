"""A bench for each test: what it finds is forgotten afterwards."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.verifying import Bench, Told

from jitcore import _C
from jitcore.config import environment
from jitcore.runtime import pending_frames
from jitcore.toolchain import cache
from jitcore.verify import internal, shadow_run
from jitcore.verify.findings import findings


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    reports = tmp_path / "reports"
    config = replace(environment(), verify=True, reports=reports, keep_all=True, compiling="eager")
    made = Bench(config, reports)
    build = cache.build

    def other(compiler: Any, flags: Any, source: str, target: Path) -> None:
        for before, after in made.wrong.items():
            source = source.replace(before, after)
        build(compiler, flags, source, target)

    monkeypatch.setattr(cache, "build", other)
    log = logging.getLogger("jitcore")
    handler = Told(made.told)
    log.addHandler(handler)
    monkeypatch.setattr(log, "propagate", False)
    before = _C.set_ended(shadow_run.ended)
    findings.forget()
    internal.seen.clear()
    cache.loaded.cache_clear()
    yield made
    pending_frames.forget()
    findings.forget()
    internal.seen.clear()
    cache.loaded.cache_clear()
    _C.set_ended(before)
    log.removeHandler(handler)
