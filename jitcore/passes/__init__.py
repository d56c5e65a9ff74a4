"""Graph -> Graph: one file and one public function for each pass; PASSES is their order."""

from collections.abc import Callable

from jitcore.ir.graph import Graph

from .cse import cse
from .dce import dce
from .fold import fold

Pass = Callable[[Graph], Graph]

PASSES: tuple[Pass, ...] = (fold, cse, dce)


def optimise(graph: Graph) -> Graph:
    """The graph after all passes."""
    for one in PASSES:
        graph = one(graph)
    return graph


__all__ = ["PASSES", "Pass", "cse", "dce", "fold", "optimise"]
