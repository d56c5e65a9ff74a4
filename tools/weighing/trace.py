"""What applied, while a script runs: modules of rows.py come with functions that note it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import wraps
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from weighing.rows import ROWS, Row

REGION, LOOP = "jitcore.pipeline:compile_alone", "jitcore.loops.build_loop:routine"
ALLOWANCE, LONG = "jitcore.runtime.allowance", 600.0  # seconds


class Tracer:
    """A finder, for sys.meta_path."""

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = defaultdict(list)
        for row in ROWS:
            for where in row.seen.split():
                self.rows[f"jitcore.{where}"].append(row)
        self.modules = {where.partition(":")[0] for where in (*self.rows, REGION, LOOP, ALLOWANCE)}
        self.pending: list[str] = []  # of the region that is being compiled
        self.applied: set[str] = set()

    def find_spec(self, name: str, path: Any = None, _: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name in self.modules else None
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module
            spec.loader.exec_module = lambda it: (run(it), self.wrap(it))  # type: ignore
        return spec

    def wrap(self, module: ModuleType) -> None:
        if (
            module.__name__ == ALLOWANCE
        ):  # how fast the machine is, or how long a script, is no matter
            vars(module).update(MOST=LONG, FREE=LONG)
        for where in (*self.rows, REGION, LOOP):
            place, _, name = where.partition(":")
            if place == module.__name__:
                fn = getattr(module, name)
                for row in self.rows.get(where, ()):
                    fn = self.noting(fn, row)
                setattr(module, name, self.bounded(fn, where) if where in (REGION, LOOP) else fn)

    def noting(self, fn: Callable[..., Any], row: Row) -> Callable[..., Any]:
        @wraps(fn)
        def noted(*args: Any, **kwargs: Any) -> Any:
            before = len(getattr(args[0], "lines", ()))
            result = fn(*args, **kwargs)
            if row.applied(result, args, before):
                self.pending.append(row.name)
            return result

        return noted

    def bounded(self, fn: Callable[..., Any], where: str) -> Callable[..., Any]:
        """What was noted within counts only if an entry, or a native loop, comes of it."""

        @wraps(fn)
        def bound(*args: Any, **kwargs: Any) -> Any:
            start, result = len(self.pending), None
            try:
                result = fn(*args, **kwargs)
            finally:
                if result is None or result == "runs in CPython":
                    del self.pending[start:]
            if where == REGION:
                self.applied.update(self.pending)
                self.pending.clear()
            return result

        return bound
