"""Why a transformation does not apply to a loop."""

from __future__ import annotations


class Rejected(Exception):
    """The loop stays as it is."""
