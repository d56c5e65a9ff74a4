"""Importing this fills the table of handlers."""

from jitcore.symbolic.handlers import build, calls, control, match, names, operators, stack

__all__ = ["build", "calls", "control", "match", "names", "operators", "stack"]
