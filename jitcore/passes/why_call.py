"""A node that is still a call of NumPy's → why no kernel does its work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jitcore.ir.cannot_lower import CannotLower, NotCandidate
from jitcore.ir.graph import Node
from jitcore.ir.op import Kind, Unsupported
from jitcore.ir.remark import Remarks, asked
from jitcore.kernels.constraints import constraint_of, is_lowered
from jitcore.kernels.lower_reduce import is_reduction
from jitcore.passes.elide_concat import SPOTS, layout
from jitcore.passes.pad_rolls import ROLL, shifts_of


def remarks(node: Node) -> Remarks:
    way = WAYS.get(node.op.name, KERNEL)
    return Remarks(f"call {node.op.words}", node.where, (asked(*way(node)),))


Asked = tuple[str, Callable[[], None]]


def of_roll(node: Node) -> Asked:
    def why() -> None:
        shifts_of(node)
        raise CannotLower("more than elementwise arithmetic reads its result")

    return "view of a padded array", why


def of_joined(node: Node) -> Asked:
    def why() -> None:
        layout(node)
        raise CannotLower("kernels make less than half of it")

    return "parts written in place", why


def of_others(node: Node) -> Asked:
    def why() -> None:
        if node.op.kind is Kind.VIEW:
            raise NotCandidate("a view is no work")
        if not is_lowered(node) and not is_reduction(node):
            raise NotCandidate("it is no elementwise operation, reduction or gather")
        try:
            constraint_of(node)
        except Unsupported as error:
            raise CannotLower(str(error)) from error
        raise NotCandidate("alone, NumPy's call is as fast")

    return "kernel", why


KERNEL = of_others
WAYS: Mapping[str, Any] = {ROLL: of_roll, **dict.fromkeys(SPOTS, of_joined)}
