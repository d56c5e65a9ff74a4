"""`replay --execute`: the function of a bug report, from its source, in verify mode.

This runs what is in the file, as `python FILE` would. Nothing but that option comes here.
"""

from __future__ import annotations

import ast
import logging
import textwrap
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from types import FunctionType
from typing import Any

import numpy as np

from jitcore import pipeline
from jitcore.config import environment
from jitcore.verify import rehearsal
from jitcore.verify.bits import NotAnInput, parsed
from jitcore.verify.reports import Report

NAMES = {"np": np, "numpy": np}


class Said(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(logging.Formatter().format(record))


def executed(report: Report) -> list[str] | None:
    """What jitcore says of it; None: it cannot be run."""
    fn = function_of(report)
    try:
        given = [parsed(line)[1] for line in report.sections.get("inputs", ())]
    except NotAnInput:
        return None
    if fn is None or len(given) < fn.__code__.co_argcount:
        return None
    return heard(fn, given[: fn.__code__.co_argcount])


def function_of(report: Report) -> FunctionType | None:
    source = textwrap.dedent("\n".join(report.sections.get("source", ())))
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
        return None
    tree.body[0].decorator_list.clear()
    names: dict[str, Any] = dict(NAMES)
    exec(compile(tree, "<bug report>", "exec"), names)
    found = names[tree.body[0].name]
    return found if isinstance(found, FunctionType) else None


def heard(fn: FunctionType, given: list[Any]) -> list[str]:
    """Whatever jitcore logs as its own errors while the function runs, twice, in verify mode."""
    said, log = Said(), logging.getLogger("jitcore")
    log.addHandler(said)
    rehearsal.listen()
    try:
        compiled = pipeline.attach(fn, replace(environment(), verify=True, keep_all=True))
        for _ in range(2):
            with suppress(Exception):
                compiled(*deepcopy(given))
    finally:
        log.removeHandler(said)
    return said.texts
