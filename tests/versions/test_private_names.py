"""Private names of CPython and NumPy: they are there, and in one file of ours."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import jitcore
from jitcore.host import private_names

PACKAGE = Path(jitcore.__file__).parent
FIRST = {"host/private_names.py", "pristine.py", "switch.py"}  # RELIED_ON has the names of two
PROMISED = {"_getframe"}  # of sys, which documents it
PUBLIC = {"jitcore", "__future__", "_thread"}
KNOWN = {name for row in private_names.NAMES.values() for name in row.rpartition(".")[2:]}


def test_none_has_vanished() -> None:
    gone = private_names.vanished()
    assert not gone, f"Python {sys.version_info[:2]} has no {', '.join(gone)}"


def test_what_has_vanished_is_named() -> None:
    rows = ["opcode:_nb_ops", "opcode:_gone", "numpy:ufunc._gone.deep", "no_module:x", "json:dumps"]
    assert private_names.vanished(rows) == [rows[1], rows[2], rows[3]]


def test_a_name_that_is_not_in_the_table() -> None:
    with pytest.raises(AttributeError, match="no attribute 'gone'"):
        _ = private_names.gone


def test_they_are_used_nowhere_else() -> None:
    found = {
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in PACKAGE.rglob("*.py")
        if str(path.relative_to(PACKAGE)) not in FIRST
        for name in private_uses(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert not found


def test_uses_are_seen() -> None:
    text = """
import opcode, _io
from numpy._core import umath
import numpy as np
opcode._nb_ops, np._NoValue, flags._writeable_no_warn, self._own, np.add.__name__
"""
    seen = {"_io", "numpy._core.umath", "_nb_ops", "_NoValue", "_writeable_no_warn"}
    assert {*private_uses(ast.parse(text))} == seen


def private_uses(tree: ast.AST) -> Iterator[str]:
    """Imports of private modules and names; private attributes of what was imported."""
    outside = set()
    for node in ast.walk(tree):
        for where, name in imported(node):
            outside.add(name)
            if any(part.startswith("_") for part in where.split(".")):
                yield where
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr not in PROMISED:
            root = ast.unparse(node.value).partition(".")[0]
            private = node.attr.startswith("_") and not node.attr.startswith("__")
            if private and (root in outside or node.attr in KNOWN):
                yield node.attr


def imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    """What is not ours: where it stands, and its name here."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            where = f"{module}.{alias.name}".lstrip(".")
            if where.partition(".")[0] not in PUBLIC:
                yield where, alias.asname or alias.name.partition(".")[0]
