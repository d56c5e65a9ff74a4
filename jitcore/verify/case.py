"""A bug report ↔ a case: a graph, how its nodes were run, and inputs. What it does now.

    report ─ case_of ─▶ Case ─ compiled ─▶ an entry   ┐
                             └ interpret ─▶ NumPy's   ┴─▶ what differs, in words

The graph's text is parsed, its operations are rows of the op table (jitcore/ir/ops), and its
inputs are numbers and arrays: nothing of the file is executed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from copy import deepcopy
from itertools import islice
from typing import Any

import numpy as np

from jitcore.config import Config, environment
from jitcore.fallback.exit import MISS, Built, Computed, Exit, KnownObject, Leave, Make, Recipe
from jitcore.guards.source import Local, Source
from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.ir.errstate import modes
from jitcore.ir.graph import Body, Graph, Node, Value
from jitcore.ir.interp import interpret
from jitcore.ir.op import leaf_type
from jitcore.ir.parse import parse as graph_of
from jitcore.ir.text import show
from jitcore.ir.types import DynArrayType, type_of
from jitcore.ir.verify import verify
from jitcore.plan.assemble import assemble, entry_of
from jitcore.plan.segments import LoopLeft
from jitcore.symbolic.state import Capture, EffectStep, LoopRegion, Segment, Window
from jitcore.user import backends
from jitcore.verify.bug_report import MANY, Report
from jitcore.verify.deep_equal import Comparison
from jitcore.verify.loop_types import rules_for
from jitcore.verify.poison_empty import is_unwritten
from jitcore.verify.stand_ins import Marking, why_not, within
from jitcore.verify.value_codec import input_line, parsed


class NotACase(ValueError):
    """The report has no graph that can be run; says why."""


class NotCompared(Exception):
    """Compiled code leaves the case to CPython, and there is none."""


@dataclass(frozen=True, slots=True)
class NodeSpan:
    """So many nodes of the graph that are run alike. `kind`: window, loud, routine."""

    kind: str
    count: int
    errstate: int | None
    exits: tuple[int, ...] = ()  # of a routine: nodes at which it may be left, inner ones counted

    def __str__(self) -> str:
        exits = ",".join(map(str, self.exits))
        return f"{self.kind} {self.count} {self.errstate} {exits}".rstrip()


@dataclass(frozen=True, slots=True)
class Case:
    graph: Graph
    spans: tuple[NodeSpan, ...]
    inputs: tuple[Any, ...]
    errstate: int
    config: Config

    def given(self) -> list[Any]:
        """Inputs anew: a store may happen to them. What is one array here is one there."""
        return [*deepcopy(self.inputs)]


def case_of(report: Report) -> Case:
    """NotACase, ParseError and NotAnInput say why not. Nothing that the file says of a graph or an
    input is believed: C takes both at their word."""
    if not report.sections.get("graph"):
        raise NotACase("there is no graph in it: jitcore failed before there was one")
    about = report.words("about")
    if about.get("sizes") == MANY:
        raise NotACase("it is of an entry for many sizes, with a graph of others than its inputs")
    graph = graph_of("\n".join(report.sections["graph"]))
    spans = tuple(map(span_of, report.sections.get("segments", ())))
    if sum(span.count for span in spans) != len(graph.body.nodes):
        raise NotACase("its segments are not those of its graph")
    found = dict(map(parsed, report.sections.get("inputs", ())))
    check(graph, found)
    inputs = tuple(found[number] for number in range(len(graph.inputs)))
    errstate = about.get("errstate", "")
    config = replace(
        environment(),
        backend=backend_of(report),
        cache_dir=None,  # compiled anew
        numerics="exact",
        verify=False,
        keep_all=True,
        compiling="eager",
    )
    return Case(graph, spans, inputs, int(errstate) if errstate.isdecimal() else 0, config)


def backend_of(report: Report) -> str:
    """The report's; where it is not known here, jitcore's own."""
    return "c" if missing_backend(report) else report.words("about").get("backend", "c")


def missing_backend(report: Report) -> str:
    """In words; empty: it is here."""
    name = report.words("about").get("backend", "c")
    try:
        backends.find(name)
    except ValueError:
        known = ", ".join(backends.names())
        return f"its backend {name!r} is not installed here, which has {known}"
    return ""


def check(graph: Graph, found: Mapping[int, Any]) -> None:
    """NotACase: the graph is not well formed, or made for other inputs."""
    try:
        verify(graph, rules_for(graph))
    except Exception as error:  # a row that is called with anything at all may raise anything
        why = str(error) or type(error).__name__
        raise NotACase(f"its graph is not well formed: {why}") from error
    for number, value in enumerate(graph.inputs):
        if number not in found:
            raise NotACase(f"input {number} is not in it")
        was = type_of(found[number])
        if was != value.type:
            raise NotACase(f"input {number} is {was}, where its graph has {value.type}")


def span_of(line: str) -> NodeSpan:
    words = line.split()
    if len(words) not in (3, 4) or words[0] not in ("window", "loud", "routine"):
        raise NotACase(f"not a segment: {line}")
    exits = tuple(map(int, words[3].split(","))) if len(words) == 4 else ()
    return NodeSpan(words[0], int(words[1]), None if words[2] == "None" else int(words[2]), exits)


def sections_of(case: Case) -> dict[str, tuple[str, ...]]:
    """As a report has them. All bits are in the file: that is what it is for."""
    return {
        "segments": tuple(map(str, case.spans)),
        "graph": tuple(str(case.graph).splitlines()),
        "inputs": tuple(
            input_line(number, value, "input", obj, "all")
            for number, (value, obj) in enumerate(zip(case.graph.inputs, case.inputs, strict=True))
        ),
    }


# ---- running it ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one way of running it has led to."""

    results: tuple[Any, ...]
    inputs: list[Any]
    error: str = ""
    heard: tuple[str, ...] = ()
    left: str = ""  # miss: it left the work to CPython; jump: in the middle of a loop


def by_numpy(case: Case) -> Outcome:
    """Node by node: what is right by definition."""
    inputs = case.given()
    with warnings.catch_warnings(record=True) as heard, np.errstate(**modes(case.errstate)):
        warnings.simplefilter("always")
        try:
            results = interpret(case.graph, *inputs, around=states(case))
        except Exception as error:
            return Outcome((), inputs, f"{type(error).__name__}: {error}", texts(heard))
    return Outcome(results, inputs, heard=texts(heard))


def states(case: Case) -> Callable[[Node], AbstractContextManager[Any]]:
    """Each node under the np.errstate that its segment has."""
    found: dict[Node, int] = {}
    todo = iter(case.graph.body.nodes)
    for span in case.spans:
        state = case.errstate if span.errstate is None else span.errstate
        found |= dict.fromkeys(islice(todo, span.count), state)
    return lambda node: np.errstate(**modes(found[node]))


def compiled(case: Case) -> Outcome:
    """By an entry, made as for a region. What the compiler raises is raised."""
    inputs = case.given()
    capture = capture_of(case)
    why = why_not(capture.segments)
    if why:
        raise NotCompared(why)
    with warnings.catch_warnings(record=True) as heard, np.errstate(**modes(case.errstate)):
        warnings.simplefilter("always")
        try:
            made = assemble(capture, case.config)
        except LoopLeft as loop:
            raise NotCompared(f"its loop is not compiled here: {loop.why}") from loop
        assert made.plan is not None
        entry = entry_of(made.plan, {}, Marking)
        entry.needs_frame = False  # there is none
        kind, _, _, value, _, _ = entry.run_on(inputs, [], {}, {})
    if kind == "raise":
        return Outcome((), inputs, f"{type(value).__name__}: {value}", texts(heard))
    if kind != "return":
        return Outcome((), inputs, left=kind)
    return Outcome(value, inputs, heard=texts(heard))


def texts(heard: Sequence[Any]) -> tuple[str, ...]:
    return tuple(str(one.message) for one in heard)


def capture_of(case: Case) -> Capture:
    """As if it had been found in a frame whose locals are the inputs; no guards."""
    body = case.graph.body
    results = tuple(map(recipe, body.results))
    leave = Exit(Leave.RETURN, value=Built(Make.TUPLE, results))
    sources: dict[Source, Value] = {
        Local(i, f"input{i}"): value for i, value in enumerate(body.params)
    }
    examples = dict(zip(body.params, case.given(), strict=True))
    return Capture(
        case.graph, sources, examples, (), (), tuple(segments(case)), leave, None, (), leave,
        case.errstate,
    )  # fmt: skip


def recipe(result: Any) -> Recipe:
    return Computed(result) if type(result) is Value else KnownObject(result)


def segments(case: Case) -> Iterator[Segment]:
    todo = [*case.graph.body.nodes]
    start = MISS
    for span in case.spans:
        nodes, todo = todo[: span.count], todo[span.count :]
        state = case.errstate if span.errstate is None else span.errstate
        match span.kind:
            case "window":
                yield Window(start, nodes, span.errstate)
            case "loud":
                yield from (EffectStep(node, Exit(Leave.JUMP, 0), 0, state) for node in nodes)
            case _:
                inner = [one for node in nodes for one in within(node)]
                exits = {inner[at]: LEFT for at in span.exits if at < len(inner)}
                yield LoopRegion(LEFT, 0, state, set(), nodes, exits)
        start = start if span.kind == "window" else LEFT  # something may have happened


LEFT = Exit(Leave.JUMP, 0)  # somewhere in between: there is no CPython to go on


# ---- what differs -------------------------------------------------------------------------------


def differences(case: Case) -> list[str]:
    """In words, compiled against NumPy; nothing: they are the same. An entry that leaves the work
    to CPython can differ in what it has written, and else there is nothing to compare: NotCompared.
    """
    ours, wanted = compiled(case), by_numpy(case)
    if ours.left:
        found = [*compared(case, ours.inputs, case.given())] if ours.left != "jump" else []
        if not found:
            raise NotCompared("compiled code left this to CPython here")
        return found
    if ours.error or wanted.error:
        same = ours.error == wanted.error
        return [] if same else [f"{ours.error or 'no error'}; NumPy: {wanted.error or 'no error'}"]
    comparison = Comparison((), any(map(is_unwritten, case.graph.body.nodes)))
    found = [
        f"result {number} ({name}): {text}"
        for number, (name, one, other) in enumerate(
            zip(result_names(case.graph), plain(case, ours), plain(case, wanted), strict=True)
        )
        if (text := comparison.differs(one, other))
    ]
    if sorted(ours.heard) != sorted(wanted.heard):
        found.append(f"warnings: {ours.heard}; NumPy: {wanted.heard}")
    return [*found, *compared(case, ours.inputs, wanted.inputs)]


def plain(case: Case, outcome: Outcome) -> list[Any]:
    """Its results. Of a view of an array that nobody else has, the text of a graph does not say
    which one: exits make it, of which a report has none."""
    leaves = case.graph.body.results
    views = [isinstance(kind := leaf_type(leaf), DynArrayType) and kind.view for leaf in leaves]
    both = zip(outcome.results, views, strict=True)
    return [np.array(one, order="C") if view else one for one, view in both]


def compared(case: Case, ours: list[Any], wanted: list[Any]) -> Iterator[str]:
    for number, (one, other) in enumerate(zip(ours, wanted, strict=True)):
        text = Comparison().differs(one, other)
        if text:
            yield f"input {number}, as it is afterwards: {text}"


def result_names(graph: Graph) -> list[str]:
    """As in the graph's text."""
    names: dict[Value, str] = {}
    for value in (*graph.inputs, *outputs(graph.body)):
        names[value] = f"%{len(names)}"
    return [show(one, names) for one in graph.body.results]


def outputs(body: Body) -> Iterator[Value]:
    """In the order in which text() numbers them."""
    for node in body.nodes:
        yield from of_node(node)


def of_node(node: Node) -> Iterator[Value]:
    yield from node.outputs
    for inner in node.bodies:
        yield from inner.params
        yield from outputs(inner)
