"""Importing this fills the table of handlers."""

from jitcore.symbolic.handlers import (
    build,
    calls,
    control,
    left,
    match,
    names,
    operators,
    raising,
    stack,
)

__all__ = ["build", "calls", "control", "left", "match", "names", "operators", "raising", "stack"]
