"""Back ends by name: what runs the pure graph of a region.

"c" fuses nodes into compiled loops, "numpy" calls NumPy node by node. A backend of the user's
receives (graph, example inputs) and returns a callable over the inputs that gives a tuple of the
graph's results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jitcore.host.lazy_import import LazyModule

Backend = Callable[[Any, tuple[Any, ...]], Callable[..., tuple[Any, ...]]]

BUILTIN = ("c", "numpy")
GROUP = "jitcore.backends"
metadata = LazyModule("importlib.metadata")
_registered: dict[str, Backend] = {}


def register(name: str, backend: Backend) -> None:
    """Make `backend` the meaning of `jitcore.compile(backend=name)`.

    It is called once for each window of a region, as backend(graph, inputs): a jitcore.ir Graph of
    pure nodes, and example inputs, arrays and scalars of the dtypes and shapes that hold for the
    region. It returns a callable over such inputs that gives a tuple of the graph's results, the
    same bits as NumPy's. What `backend` raises is logged, and NumPy runs the graph; what the
    callable raises when it runs is raised in the program.

    ValueError for the name of a back end of jitcore's own, TypeError for what cannot be called.
    """
    if name in BUILTIN:
        raise ValueError(f"{name!r} is a backend of jitcore's own")
    if not callable(backend):
        raise TypeError("a backend is a callable: (graph, example inputs) -> callable")
    _registered[name] = backend


def names() -> tuple[str, ...]:
    found = {point.name for point in metadata.entry_points(group=GROUP)}
    return (*BUILTIN, *sorted(found.union(_registered) - set(BUILTIN)))


def find(name: str) -> Backend | None:
    """The user's backend of that name; None for jitcore's own. ValueError names the choices."""
    if name in BUILTIN:
        return None
    if name not in _registered:
        for point in metadata.entry_points(group=GROUP):
            if point.name == name:
                _registered[name] = point.load()
    try:
        return _registered[name]
    except KeyError:
        raise ValueError(f"backend {name!r}: choose one of {', '.join(names())}") from None
