"""Frames under the hook, for the tests of the shortcut machinery."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jitcore import _C


@pytest.fixture
def hook() -> Iterator[None]:
    """The evaluation function for all threads, and nothing that compiles."""
    before = _C.set_compiler(None), _C.set_discover(None)
    _C.hold_hook()
    try:
        yield
    finally:
        _C.release_hook()
        _C.set_compiler(before[0])
        _C.set_discover(before[1])
