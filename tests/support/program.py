"""Programs: plain functions with inputs → eager and compiled runs → the first difference.

    @program(lambda: (f8(3), 2.0), lambda: (f4(2, 3), 2))
    def scale(x, k):
        return x * k

The first factory makes the main inputs; each other one makes inputs that miss the guards of the
first. A run is: main, main, others…, the main values in strided views, main again; each call gets
fresh inputs. A run starts by executing the program's file anew, so that globals, classes and
closures are fresh too, and ends by looking again at all results and at the file's globals.

    @scenario
    def global_changes(jit): ...

is a program that compiles by itself, by `jit(fn, **options)`; it returns or yields what it saw.
"""

from __future__ import annotations

import inspect
import marshal
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from support.compiler import Compile, forget, identity
from support.observe import Seen, globals_portrait, internal_errors, observe
from support.portrait import Painter
from support.same import difference, short

Inputs = Callable[[], tuple[Any, ...]]


@dataclass(frozen=True)
class Program:
    """What the decorators leave on a function, as `__program__`."""

    name: str
    inputs: tuple[Inputs, ...]
    calls: int = 2
    errstate: dict[str, Any] | None = None
    vary: bool = True
    replace: bool = True
    options: tuple[tuple[str, Any], ...] = ()
    scenario: bool = False


@dataclass(frozen=True)
class Call:
    label: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class Keywords(dict[str, Any]):
    """As the last of the inputs: these are passed by name."""


def program(
    *inputs: Inputs,
    calls: int = 2,
    errstate: dict[str, Any] | None = None,
    vary: bool = True,
    replace: bool = True,
    name: str = "",
    **options: Any,
) -> Callable[[Any], Any]:
    """Mark a function as a program.

    inputs    factories of tuples of arguments; a last `Keywords` is passed by name
    calls     how often the main inputs are used before the guard misses
    errstate  np.errstate around each call
    vary      add the run with strided views of the main inputs
    replace   put the compiled function in the place of the global name, as a decorator does
    options   for the compiler
    """

    def mark(fn: Any) -> Any:
        fn.__program__ = Program(
            name or fn.__name__,
            inputs or (lambda: (),),
            calls,
            errstate,
            vary,
            replace,
            tuple(options.items()),
        )
        return fn

    return mark


def scenario(fn: Any) -> Any:
    """Mark a function of `jit` as a program that compiles by itself."""
    fn.__program__ = Program(fn.__name__, (), scenario=True)
    return fn


@dataclass(frozen=True)
class Found:
    """A program in a file; `number` is its place in the course."""

    path: Path
    number: str
    program: Program
    function: str

    def __str__(self) -> str:
        return f"{self.number}-{self.program.name}"


@cache
def code_of(path: Path) -> bytes:
    return marshal.dumps(compile(path.read_text(), str(path), "exec"))


def execute(path: Path) -> dict[str, Any]:
    """The file's globals after running it, with code objects of its own."""
    name = f"program_{path.stem}"
    module = types.ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    exec(marshal.loads(code_of(path)), module.__dict__)
    return module.__dict__


def programs_in(path: Path) -> list[Found]:
    """In the order of the file."""
    number = path.stem.split("_")[0]
    marked = [(k, v.__program__) for k, v in execute(path).items() if hasattr(v, "__program__")]
    return [
        Found(path, f"{number}.{index:02d}", found, name)
        for index, (name, found) in enumerate(marked, 1)
    ]


@cache
def in_folder(folder: Path) -> tuple[Found, ...]:
    files = sorted(folder.glob("p[0-9]*.py"))
    return tuple(found for path in files for found in programs_in(path))


def calls_of(found: Program) -> Iterator[Call]:
    main = found.inputs[0]
    for turn in range(found.calls):
        yield call(f"call {turn + 1}", main())
    for index, other in enumerate(found.inputs[1:], 1):
        yield call(f"other inputs {index}", other())
        yield call(f"other inputs {index} again", other())
    if found.vary:
        varied = strided_views(main())
        if varied is not None:
            yield call("strided inputs", varied)
    yield call("first inputs again", main())


def call(label: str, inputs: tuple[Any, ...]) -> Call:
    if inputs and isinstance(inputs[-1], Keywords):
        return Call(label, inputs[:-1], dict(inputs[-1]))
    return Call(label, inputs, {})


def strided_views(inputs: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The same values with other strides; None where aliasing or layout is the inputs' point."""
    arrays = [a for a in inputs if type(a) is np.ndarray and a.size]
    aliased = any(np.may_share_memory(a, b) for n, a in enumerate(arrays) for b in arrays[:n])
    plain = all(a.flags.owndata and a.flags.writeable and a.dtype.isnative for a in arrays)
    if not arrays or aliased or not plain or all(a.ndim == 0 for a in arrays):
        return None
    return tuple(strided(a) if type(a) is np.ndarray and a.size and a.ndim else a for a in inputs)


def strided(a: Any) -> Any:
    wide = np.zeros((*a.shape[:-1], a.shape[-1] * 2), a.dtype)
    wide[..., ::2] = a
    return wide[..., ::2]


@dataclass(frozen=True)
class Run:
    """All that one run showed, call by call; `afterwards` are globals and all results again."""

    calls: tuple[tuple[str, Seen], ...]
    afterwards: Any


def run(found: Found, jit: Compile, backend: str = "c") -> Run:
    namespace = execute(found.path)
    fn = namespace[found.function]
    spec: Program = fn.__program__
    kept: list[Any] = []
    if spec.scenario:
        seen = observe(collected(fn, jit), (), {}, kept)
        return Run((("scenario", seen),), globals_portrait(namespace, Painter()))
    compiled = jit(fn, backend=backend, **dict(spec.options))
    if spec.replace:
        namespace[found.function] = compiled
    seen_calls = []
    for c in calls_of(spec):
        seen_calls.append((c.label, observe(compiled, c.args, c.kwargs, kept, spec.errstate)))
    namespace.pop(found.function)
    painter = Painter()
    afterwards = (painter.paint(kept), globals_portrait(namespace, painter))
    return Run(tuple(seen_calls), afterwards)


def collected(fn: Any, jit: Compile) -> Any:
    """A scenario that yields returns the list of what it yielded."""
    return lambda: list(fn(jit)) if inspect.isgeneratorfunction(fn) else fn(jit)


def compare(found: Found, jit: Compile, backend: str = "c") -> str | None:
    """The first difference between an eager and a compiled run, in words, or None."""
    eager = run(found, identity)

    def with_backend(fn: Any = None, **options: Any) -> Any:
        return jit(fn, **{"backend": backend, **options})

    with internal_errors() as errors:
        compiled = run(found, with_backend, backend)
    forget()
    if errors:
        return (
            f"{found} [{backend}]: jitcore reported a bug of its own:\n{head_and_tail(errors[0])}"
        )
    return run_difference(found, backend, eager, compiled)


def head_and_tail(text: str) -> str:
    lines = text.splitlines()
    return text if len(lines) <= 16 else "\n".join([*lines[:6], "  …", *lines[-8:]])


def run_difference(found: Found, backend: str, eager: Run, compiled: Run) -> str | None:
    for (label, left), (_, right) in zip(eager.calls, compiled.calls, strict=True):
        for part in ("outcome", "events", "arguments", "settings"):
            text = difference(getattr(left, part), getattr(right, part), part)
            if text is not None and left.outcome[0] != right.outcome[0]:
                text = f"eager {short(left.outcome)}, compiled {short(right.outcome)}"
            if text is not None:
                return f"{found} [{backend}], {label}: {text}"
    text = difference(eager.afterwards, compiled.afterwards, "afterwards")
    return f"{found} [{backend}], after all calls: {text}" if text is not None else None
