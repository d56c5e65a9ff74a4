"""Runs whose time is measured, as with JITCORE_REPORT."""

from __future__ import annotations

import pytest

import jitcore
from jitcore import _C
from jitcore.runtime.process import measure
from jitcore.runtime.records import records


@pytest.fixture
def measured():
    """From here on, and nothing from before."""
    jitcore.reset()
    measure()
    _C.meter_clear()
    yield
    _C.meter(False)
    records.keeps = False
    jitcore.reset()
