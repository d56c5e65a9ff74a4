"""`replay --execute`: the function of a bug report, from its source, in verify mode.

This runs what is in the file, as `python FILE` would. Nothing but that option comes here.
"""

from __future__ import annotations

import ast
import logging
import sys
import textwrap
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import field
from types import CodeType, FunctionType
from typing import Any

from jitcore.attach import attach
from jitcore.config import Config, environment
from jitcore.fallback.breaks import Break
from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.runtime.notify import Found, collect
from jitcore.runtime.records import Region
from jitcore.verify import shadow_run
from jitcore.verify.bug_report import MANY, Report
from jitcore.verify.case import NotCompared, backend_of
from jitcore.verify.findings import findings
from jitcore.verify.value_codec import Given, NotAnInput, given

AGREED = "compiled code and CPython agree"

CALLS = 2
BUILTINS, NUMPY = sys.modules["builtins"], sys.modules["numpy"]  # not ours: see pristine.py
NAMES: dict[str, Any] = {"__builtins__": BUILTINS, "np": NUMPY, "numpy": NUMPY}


class Said(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(logging.Formatter().format(record))


@dataclass(slots=True)
class Ran:
    """What came of the calls."""

    said: list[str]  # by jitcore, of its own errors and of differences
    compared: int  # runs of regions
    raised: list[str]
    alone: list[str]  # regions that were not compared, and why
    found: list[Found] = field(default_factory=list)

    def why(self) -> Iterator[str]:
        """Nothing was compared."""
        yield from dict.fromkeys(self.raised)
        yield from self.alone
        yield from dict.fromkeys(str(one) for one in self.found if isinstance(one, Break))

    def agreed(self) -> str:
        """In what, where jitcore says nothing."""
        if self.compared:
            return AGREED
        return f"it is compiled without an error. Nothing was compared: {'; '.join(self.why())}"

    def compiles(self) -> bool:
        return any(isinstance(one, Region) for one in self.found)

    def computes(self) -> bool:
        """Anything at all."""
        regions = (one for one in self.found if isinstance(one, Region))
        return any(one.graph.body.nodes for one in regions)


def executed(report: Report) -> Ran:
    """NotCompared: it cannot be run, or there was nothing to compare."""
    fn = function_of(report)
    ran = heard(fn, *arguments(fn.__code__, fn, report), config_of(report))
    names = [text for text in ran.raised if text.startswith(NameError.__name__)]
    shown = ran.compared > 0 and ran.computes() and not names  # of the program's, not in the file
    if report.words("about").get("kind") == "error":  # of the compiler, which has got through
        shown = shown or ran.compiles()
    if not ran.said and not shown:
        reasons = "; ".join(ran.why()) or "nothing of the function is compiled here"
        what = "the function does not run here" if names else "nothing was compared"
        raise NotCompared(f"{what}: {reasons}")
    return ran


def function_of(report: Report) -> FunctionType:
    source = textwrap.dedent("\n".join(report.sections.get("source", ())))
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise NotCompared(f"its source is not to be had: {error}") from error
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
        raise NotCompared("its source is not that of a function")
    tree.body[0].decorator_list.clear()
    names = dict(NAMES)
    try:
        exec(compile(tree, "<bug report>", "exec"), names)
    except Exception as error:
        raise NotCompared(f"its source cannot be run: {type(error).__name__}: {error}") from error
    found = names[tree.body[0].name]
    if not isinstance(found, FunctionType):
        raise NotCompared("its source is not that of a function")
    return found


def arguments(code: CodeType, fn: FunctionType, report: Report) -> tuple[list[Any], dict[str, Any]]:
    """By the names of its parameters, as the file has them; those with defaults may be missing."""
    known: dict[str, Given | NotAnInput] = {}
    for line in report.sections.get("inputs", ()):
        try:
            found = given(line)
            known[found.source] = found
        except NotAnInput as error:
            known[source_of(line)] = error
    count = code.co_argcount
    names = code.co_varnames[: count + code.co_kwonlyargcount]
    defaults = dict(zip(names[:count][::-1], (fn.__defaults__ or ())[::-1], strict=False))
    defaults |= fn.__kwdefaults__ or {}
    values = {}
    for name in names:
        one = known.get(name)
        if isinstance(one, Given):
            values[name] = one.value
        elif name in defaults:
            values[name] = defaults[name]
        else:
            why = f": {one}" if one is not None else ""
            raise NotCompared(f"its argument {name} is not in the file{why}")
    return [values[name] for name in names[:count]], {name: values[name] for name in names[count:]}


def source_of(line: str) -> str:
    """Of an input that has no value: `%3 object<a.B> net =`."""
    return line.rpartition(" =")[0].rpartition(" ")[2]


def config_of(report: Report) -> Config:
    """As where it was written, compiled anew."""
    return replace(
        environment(),
        backend=backend_of(report),
        cache_dir=None,
        dynamic=True if report.words("about").get("sizes") == MANY else environment().dynamic,
        verify=True,
        keep_all=True,
        compiling="eager",
    )


def heard(fn: FunctionType, args: list[Any], words: dict[str, Any], config: Config) -> Ran:
    """The function runs twice, in verify mode."""
    said, log = Said(), logging.getLogger("jitcore")
    log.addHandler(said)
    before, alone = sum(findings.compared.values()), {*findings.alone}
    shadow_run.listen()
    raised = []
    try:
        with collect() as found:
            compiled = attach(fn, config)
            for _ in range(CALLS):
                try:
                    compiled(*deepcopy(args), **deepcopy(words))
                except Exception as error:
                    raised.append(f"{type(error).__name__}: {error}")
    finally:
        log.removeHandler(said)
    left = [f"{place}: {why}" for place, why in findings.alone if (place, why) not in alone]
    return Ran(said.texts, sum(findings.compared.values()) - before, raised, left, found)
