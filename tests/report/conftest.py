"""Runs whose time is measured, as with JITCORE_REPORT."""

from __future__ import annotations

import pytest

import jitcore
from jitcore import _C, pipeline


@pytest.fixture
def measured():
    """From here on, and nothing from before."""
    jitcore.reset()
    pipeline.measure()
    _C.meter_clear()
    yield
    _C.meter(False)
    pipeline.records.keeps = False
    jitcore.reset()
