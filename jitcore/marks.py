"""Functions by which a program speaks to the compiler. Outside compiled code they do next to
nothing."""

from __future__ import annotations


def graph_break() -> None:
    """Force a break here: what stands before and after is compiled apart."""


def is_compiling() -> bool:
    """Whether this call is being captured into a graph. CPython's answer is always False."""
    return False
