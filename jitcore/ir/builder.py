"""Calls -> nodes: the only mutable thing of the IR.

b = Builder()
x = b.input(type)
y = b.emit(OPS["add"], (x, 1))
with b.body(a, c) as loop:          # nodes emitted here go into a Body
    loop.results = [...]
outs = b.control("loop", (x,), loop.done)
graph = b.graph("name", (y,))
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.graph import Body, Graph, Node
from jitcore.ir.infer.view import CONJUGATES, COPIES, MAY_COPY
from jitcore.ir.op import Effect, Kind, Op, Unsupported, leaf_type
from jitcore.ir.ops.control import CONTROL
from jitcore.ir.ops.operator import specialise
from jitcore.ir.types import NONE, UNKNOWN, ArrayType, ObjectType, Type
from jitcore.ir.value import Value
from jitcore.ir.value import given as values_given


@dataclass(slots=True)
class OpenBody:
    """A body that is being filled; `done` is there when its `with` block has ended."""

    params: tuple[Value, ...]
    results: Sequence[Any] = ()
    done: Body = field(default_factory=lambda: Body((), (), ()))


class Builder:
    def __init__(self) -> None:
        self.inputs: list[Value] = []
        self.nodes: list[Node] = []
        self._temporaries: set[Value] = set()
        self.owning: set[Value] = set()  # with memory of their own of which there is no view

    def input(self, t: Type) -> Value:
        value = Value(t)
        self.inputs.append(value)
        return value

    def temporary(self, value: Value) -> None:
        """An input that nothing but CPython's stack refers to: NumPy may write into it."""
        self._temporaries.add(value)

    def emit(
        self,
        op: Op,
        args: Sequence[Any],
        kwargs: Mapping[str, Any] | None = None,
        where: Any = None,
    ) -> Any:
        """Appends a call; its result is a Value, or a tuple of them where NumPy gives a tuple.

        A call that gives back one of its arguments gives that Value, one that gives None gives
        None; neither has outputs. Raises Unsupported, and appends nothing, if CPython must execute
        the call.
        """
        kwargs = dict(kwargs or {})
        row, given = specialise(op, tuple(args), kwargs)
        return self.call(row, given, kwargs, where, row is not op)

    def call(
        self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], where: Any, operator: bool
    ) -> Any:
        """The same for a row that fits its arguments; was it written as an operator?"""
        inferred: Any = op.infer(args, kwargs)
        if operator:
            self._check_elision(op, args, inferred)
        same = op.same_object(args, kwargs)
        if same is not None:
            if op.effect_of(args, kwargs) > Effect.FLAGS:
                self.nodes.append(Node(op, args, kwargs, (), (), where))
            return same
        if isinstance(inferred, ObjectType) and inferred == NONE:
            self.nodes.append(Node(op, args, kwargs, (), (), where))
            return None
        single = not isinstance(inferred, tuple)
        types = (UNKNOWN if inferred is None else inferred,) if single else inferred
        outputs = tuple(map(Value, types))
        self.nodes.append(Node(op, args, kwargs, outputs, (), where))
        if op.kind not in (Kind.MAP, Kind.REDUCE):
            self.owning.difference_update(values_given(args, kwargs))
        copies = op.target in COPIES or op.target in CONJUGATES
        plain = op.target in TRANSFORMS and len(args) == 1 and not kwargs
        if op.kind is not Kind.VIEW or copies or op.target in MAY_COPY:
            self._temporaries.update(outputs)
        if op.kind is Kind.MAP or copies or plain:
            self.owning.update(outputs)
        return outputs[0] if single else outputs

    def may_be_temporary(self, value: Value) -> bool:
        return value in self._temporaries

    def _check_elision(self, op: Op, args: tuple[Any, ...], inferred: Any) -> None:
        """NumPy's operators write into a large temporary operand: the result has its layout.

        See temp_elide.c; a plan that calls NumPy never has its temporaries reused.
        """
        if not isinstance(inferred, ArrayType):
            return
        for arg in args:
            if type(arg) is Value and arg in self._temporaries and isinstance(arg.type, ArrayType):
                t = arg.type
                alike = t.shape == inferred.shape and t.dtype == inferred.dtype
                if (
                    alike
                    and t.strides != inferred.strides
                    and t.size * t.dtype.itemsize >= ELIDED_BYTES
                ):
                    raise Unsupported(
                        f"{op.words}: the layout depends on the life of a temporary array"
                    )

    @contextmanager
    def body(self, *params: Value) -> Iterator[OpenBody]:
        """Nodes emitted inside go into a body of their own."""
        outer, self.nodes = self.nodes, []
        opened = OpenBody(params)
        try:
            yield opened
            opened.done = Body(params, tuple(self.nodes), tuple(opened.results))
        finally:
            self.nodes = outer

    def control(
        self, name: str, args: Sequence[Any], *bodies: Body, where: Any = None
    ) -> tuple[Value, ...]:
        """Appends `cond`, `for` or `loop`; one output for each result of its first body."""
        results = bodies[0].results[1:] if name == "loop" else bodies[0].results
        outputs = tuple(Value(leaf_type(one)) for one in results)
        self.nodes.append(Node(CONTROL[name], tuple(args), {}, outputs, bodies, where))
        return outputs

    def graph(self, name: str, results: Sequence[Any]) -> Graph:
        return Graph(name, Body(tuple(self.inputs), tuple(self.nodes), tuple(results)))


# What they give by default has its own memory.
TRANSFORMS = (np.fft.fft, np.fft.ifft, np.fft.fft2, np.fft.ifft2, np.fft.fftn, np.fft.ifftn)

# NPY_MIN_ELIDE_BYTES in NumPy's temp_elide.c.
ELIDED_BYTES = 256 * 1024
