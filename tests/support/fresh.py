"""For a conftest: each test finds nothing compiled."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import jitcore


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    jitcore.reset()
    yield
    jitcore.reset()
