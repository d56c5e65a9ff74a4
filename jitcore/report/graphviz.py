"""A graph → Graphviz's text, and what `dot` draws of it.

inputs      ellipses: name, type
nodes       boxes: as in the graph's text, the user's line below; arrows are values
cond, for   frames around their bodies; a body's parameters come first, what it yields last
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jitcore.errors import JitcoreError
from jitcore.host.fast_dataclass import dataclass
from jitcore.host.lazy_import import LazyModule
from jitcore.ir.graph import Body, Graph, Node, Value
from jitcore.ir.op import Kind
from jitcore.ir.text import show, typed
from jitcore.ir.value import values
from jitcore.toolchain.compiler import which

if TYPE_CHECKING:
    import subprocess
else:
    subprocess = LazyModule("subprocess")

SECONDS = 120.0
MISSING = (
    "Graphviz's program `dot`, which draws the picture, is not on the path: install it"
    " (Debian, Ubuntu: apt install graphviz; Fedora: dnf install graphviz; conda: conda install"
    " graphviz; macOS: brew install graphviz). Its text is there without: .dot"
)
HEAD = (
    'graph [rankdir=TB, fontname="Helvetica,sans-serif", fontsize=11, labelloc=t, labeljust=l]',
    'node [fontname="Helvetica,sans-serif", fontsize=10, shape=box, style="rounded,filled"]',
    'edge [fontname="Helvetica,sans-serif", fontsize=9, color="#666666", arrowsize=0.6]',
)
COLOURS = {Kind.MAP: "#e3f0fd", Kind.REDUCE: "#fdebd7", Kind.VIEW: "#f1f1f1"}
OTHER, INPUT, YIELD = "#fdf6c9", "#e4f5e4", "#ffffff"
LONGEST = 60  # characters of a line


@dataclass(frozen=True)
class Picture:
    """dot   Graphviz's text
    svg   what it draws of it; JitcoreError where Graphviz is not installed, or fails

    `save("graph.svg")` writes it, or another format that Graphviz has: "graph.png".
    """

    dot: str

    @cached_property
    def svg(self) -> str:
        return drawn(self.dot, "svg").decode()

    def save(self, path: str | os.PathLike[str]) -> Path:
        target = Path(path)
        made = drawn(self.dot, target.suffix.lstrip(".") or "svg")
        target.write_bytes(made)
        return target

    def _repr_svg_(self) -> str | None:
        """For notebooks."""
        try:
            return self.svg
        except JitcoreError:
            return None


def picture(graph: Graph) -> Picture:
    return Picture(dot_text(graph))


def drawn(text: str, form: str) -> bytes:
    program = which("dot")
    if program is None:
        raise JitcoreError(MISSING)
    if not form.isalnum():
        raise JitcoreError(f"{form!r} is no format of Graphviz's")
    try:
        done = subprocess.run(
            [program, f"-T{form}"], input=text.encode(), capture_output=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise JitcoreError(f"{program} took more than {SECONDS:.0f} s: take .dot") from error
    if done.returncode != 0:
        complaint = done.stderr.decode(errors="replace").strip()[:500]
        raise JitcoreError(f"{program} -T{form}: {complaint}")
    return done.stdout


# ---- the text -----------------------------------------------------------------------------------


def dot_text(graph: Graph) -> str:
    drawing = Drawing()
    boxes = [*drawing.body(graph.body, "input")]
    lines = [*HEAD, f"label={quoted(graph.name)}", *boxes, *drawing.arrows]
    return "\n".join(["digraph {", *(f"  {line}" for line in lines), "}", ""])


@dataclass(slots=True)
class Drawing:
    names: dict[Value, str] = field(default_factory=dict)  # as in the graph's text
    makers: dict[Value, list[str]] = field(default_factory=dict)  # the boxes that give a value
    arrows: list[str] = field(default_factory=list)  # last: a frame has what is named in it
    count: int = 0

    def body(self, body: Body, word: str) -> Iterator[str]:
        for value in body.params:
            box = self.fresh(word)
            self.makers[value] = [box]
            yield f"{box} [label={quoted(typed((value,), self.names))}, {ELLIPSE}]"
        for node in body.nodes:
            yield from self.node(node)

    def node(self, node: Node) -> Iterator[str]:
        outputs = typed(node.outputs, self.names)
        call = f"{node.op.name}({', '.join(show(arg, self.names) for arg in node.args)}"
        call += "".join(f", {key}={show(arg, self.names)}" for key, arg in node.kwargs.items())
        text = f"{outputs} = {call})" if outputs else f"{call})"
        box = self.fresh("node")
        colour = COLOURS.get(node.op.kind, OTHER)
        label = quoted(text, *place_lines(node.where))
        own = f'{box} [label={label}, fillcolor="{colour}"]'
        self.lead(node.inputs, box)
        if not node.bodies:
            yield own
            self.makers |= {value: [box] for value in node.outputs}
            return
        yield f"subgraph cluster_{box} {{"
        yield 'label=""; style="rounded"; color="#999999"'
        yield own
        for number in range(len(node.bodies)):
            yield from self.inner(node, number, box)
        yield "}"

    def inner(self, node: Node, number: int, box: str) -> Iterator[str]:
        """A body within its frame, from the node that has it to what it yields."""
        body = node.bodies[number]
        end = self.fresh("end")
        yield f"subgraph cluster_{end} {{"
        yield f'label={quoted(WORDS.get((node.op.name, number), "body"))}; color="#cccccc"'
        yield from self.body(body, "param")
        results = ", ".join(show(one, self.names) for one in body.results)
        yield f'{end} [label={quoted(f"yield {results}")}, fillcolor="{YIELD}"]'
        yield "}"
        self.lead(values(body.results), end)
        first = [self.makers[param][0] for param in body.params] or [end]
        self.arrows += [f"{box} -> {each} [style=dashed]" for each in first]
        for value in node.outputs:
            self.makers.setdefault(value, []).append(end)

    def lead(self, given: Iterable[Value], box: str) -> None:
        """Arrows from where these values come from."""
        makers = [maker for value in given for maker in self.makers.get(value, ())]
        self.arrows += [f"{maker} -> {box}" for maker in dict.fromkeys(makers)]

    def fresh(self, word: str) -> str:
        self.count += 1
        return f"{word}{self.count}"


def place_lines(where: Any) -> list[str]:
    """Without the file's folder."""
    return [os.path.basename(str(where))] if where is not None else []


ELLIPSE = f'shape=ellipse, fillcolor="{INPUT}"'
WORDS = {("cond", 0): "if so", ("cond", 1): "else", ("for", 0): "each round"}


def quoted(*lines: Any) -> str:
    """A label of these lines."""
    return '"' + "\\n".join(map(escaped, lines)) + '"'


def escaped(line: str) -> str:
    text = line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}..."
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text.replace("\\", "\\\\").replace('"', '\\"')
