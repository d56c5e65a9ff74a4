"""Importing this fills the tables of call models."""

from jitcore.symbolic.models import arrays, builtin, classes, containers, marks

__all__ = ["arrays", "builtin", "classes", "containers", "marks"]
