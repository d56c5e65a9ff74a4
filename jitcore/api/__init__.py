"""What users call. Thin: the work is in jitcore/attach.py and jitcore/pipeline.py.

    jitcore.compile(fn) ─▶ _C.Dispatcher, by attach
    function_methods.py   f.cache_info(), f.cache_clear(), f.graphs, f.warmup()
    pickling.py           f ⇄ bytes: by name, or by value

May assume nothing of arguments: they are checked here, and records go down from here.
"""

from __future__ import annotations

import atexit
import functools
import inspect
import logging
import operator
import sys
import types
from collections.abc import Callable, Iterable
from numbers import Real
from types import ModuleType
from typing import Any, TypeVar, cast, get_args, overload

import numpy as np

import jitcore._C as _C
from jitcore import config, pristine
from jitcore.config import Config, Numerics, environment
from jitcore.errors import GraphBreakError, InternalError, JitcoreError, SignatureError
from jitcore.host import numpy_versions
from jitcore.host.at_exit import leave_at_exit
from jitcore.host.fast_dataclass import replace
from jitcore.host.lazy_import import LazyModule
from jitcore.host.user_exceptions import is_users
from jitcore.user import backends
from jitcore.user.array_spec import ArraySpec, Signature, aligned, checks
from jitcore.user.assumptions import allow_in_graph, assume_constant_result
from jitcore.user.cache_info import CachedEntry, CacheInfo
from jitcore.user.config_scope import changed
from jitcore.user.directives import disable, graph_break, is_compiling
from jitcore.user.dynamic_axes import mark_dynamic, mark_static
from jitcore.user.stance import stance

__all__ = [
    "ArraySpec",
    "CacheInfo",
    "CachedEntry",
    "GraphBreakError",
    "InternalError",
    "JitcoreError",
    "SignatureError",
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "config",
    "disable",
    "enable",
    "explain",
    "get_num_threads",
    "graph_break",
    "ignore_module",
    "is_compiling",
    "mark_dynamic",
    "mark_static",
    "register_backend",
    "report",
    "reset",
    "set_num_threads",
    "stance",
    "wait",
]

pristine.take()
numpy_versions.check(np.__version__)
log = logging.getLogger("jitcore")
F = TypeVar("F", bound=Callable[..., Any])
register_backend = backends.register
attaching = LazyModule("jitcore.attach")
waiting = LazyModule("jitcore.toolchain.background")
everywhere = LazyModule("jitcore.auto.global_mode")
rules = LazyModule("jitcore.runtime.exclusions")
reports = LazyModule("jitcore.report.destinations")
explaining = LazyModule("jitcore.report.explain")
controls = LazyModule("jitcore.api.function_methods")


@overload
def compile(
    fn: F,
    /,
    *,
    backend: str | None = None,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    numerics: str = "exact",
    signature: Signature | None = None,
) -> F: ...
@overload
def compile(
    fn: None = None,
    /,
    *,
    backend: str | None = None,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    numerics: str = "exact",
    signature: Signature | None = None,
) -> Callable[[F], F]: ...
def compile(
    fn: Any = None,
    /,
    *,
    backend: str | None = None,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    numerics: str = "exact",
    signature: Signature | None = None,
) -> Any:
    """Make a function that works on NumPy arrays fast, and change nothing but the speed.

    fn         a Python function, method, staticmethod, classmethod or callable object;
               without it, the result is a decorator
    backend    "c": fused C loops (the default) · "numpy": NumPy node by node · a registered one
    fullgraph  raise jitcore.GraphBreakError instead of breaking the graph
    dynamic    None: compiled for one size of its arrays at first, and when another one comes, for
               all sizes, if the result does not depend on them in another way · True: for all
               sizes at once · False: for each size by itself, up to eight
    numerics   "exact": the same bits as NumPy (the default) · "fast": fused multiply-adds,
               functions within 4 ulp, sums in another order (docs/numerics.md has the bounds)
    signature  what arguments will be: for each parameter an ArraySpec, a class (float), or None
               (anything), in a list in their order, `self` left out, at least for those without a
               default, or in a dict by name. Each call then raises SignatureError for an argument
               that is something else, before anything runs; and the function is compiled for them
               at once, up to its first break, if there is an ArraySpec, float or complex for all
               parameters without a default

    Returns a callable with `__wrapped__` and `eager` (the original), `cache_info()`,
    `cache_clear()`, `warmup(*args)` and `graphs`.
    ValueError for an unknown backend, numerics or dynamic, TypeError for a signature that does not
    fit.
    """
    options = check_options(backend, fullgraph, dynamic, numerics)
    if fn is None:
        return functools.partial(compiled, options=options, signature=signature)
    return compiled(fn, options, signature)


def check_options(
    backend: str | None, fullgraph: bool, dynamic: bool | None, numerics: str
) -> Config:
    now = changed(environment())
    name = now.backend if backend is None else backend
    backends.find(name)
    choices = get_args(Numerics)
    if numerics not in choices:
        raise ValueError(f"numerics {numerics!r}: choose one of {', '.join(choices)}")
    if dynamic not in (None, True, False):
        raise ValueError(f"dynamic {dynamic!r}: choose one of None, True, False")
    return replace(
        now,
        backend=name,
        fullgraph=bool(fullgraph) or now.fullgraph,
        dynamic=now.dynamic if dynamic is None else dynamic,
        numerics=cast(Numerics, numerics),
    )


def compiled(fn: Any, options: Config, signature: Signature | None = None) -> Any:
    match fn:
        case staticmethod() | classmethod():
            return type(fn)(compiled(fn.__func__, options, signature))
        case types.FunctionType():
            return attach(fn, options, signature)
        case types.MethodType():
            return types.MethodType(compiled(fn.__func__, options, signature), fn.__self__)
        case _C.Dispatcher():
            return compiled(fn.eager, options, signature)
        case type():
            raise TypeError(
                f"jitcore.compile of the class {fn.__qualname__}: decorate its methods instead"
            )
        case _ if not callable(fn):
            raise TypeError(f"jitcore.compile expects a callable, not {type(fn).__name__}")
    call = inspect.getattr_static(type(fn), "__call__", None)
    if isinstance(call, types.FunctionType):
        return types.MethodType(attach(call, options, signature), fn)
    log.info("jitcore.compile: %r has no Python code; it is returned as it is", fn)
    return fn


@functools.cache
def report_at_exit() -> None:
    atexit.register(reports.at_exit)


def explain(fn: Any, /) -> Callable[..., Any]:
    """Explain one call: `jitcore.explain(f)(*args)` → an Explanation; a plain function is compiled.

    Its `.graphs`, `.breaks`, `.guards`, `.result`, `.times`; `str()` is the report,
    `.source(k)` the C text of a kernel. The call is a real one, with its effects, and raises what
    it raises. TypeError for what cannot be called.
    """
    if not callable(fn):
        raise TypeError(f"jitcore.explain expects a callable, not {type(fn).__name__}")
    inner = getattr(fn, "__func__", fn)
    target = fn if isinstance(inner, _C.Dispatcher) else compile(fn)
    explained: Callable[..., Any] = explaining.explain(target)
    return explained


def attach(fn: types.FunctionType, options: Config, signature: Signature | None = None) -> Any:
    wanted = aligned(signature, fn) if signature is not None else ()
    leave_at_exit()
    if options.report:
        report_at_exit()
    dispatcher = compiler_attached(fn, options) if options.enabled else None
    if dispatcher is None:
        dispatcher = _C.Dispatcher(fn)
        dispatcher._off = True
    dispatcher._set_controls(controls)
    dispatcher._config = options
    if signature is not None:
        dispatcher._set_signature(checks(wanted), wanted)
        if not dispatcher._off:
            controls.compile_for_signature(dispatcher)
    return dispatcher


def compiler_attached(fn: types.FunctionType, options: Config) -> Any:
    """None, where the compiler cannot be loaded: then the function runs in CPython."""
    _C.collector_begin()
    try:
        return attaching.attach(fn, options)
    except Exception as error:
        if options.strict or is_users(error):
            raise
        not_loaded()
        return None
    finally:
        _C.collector_end()


@functools.cache
def not_loaded() -> None:
    log.exception("internal error: please report it; what is compiled runs in CPython")


def report(to: Any = None, /) -> None:
    """What was compiled so far, where CPython went on and why, the costliest place first.

    to    None: text on standard error · a name that ends in .json or .html: that file · a stream
          that is open for text

    What places cost is known with JITCORE_REPORT set, or `python -m jitcore --report`; else how
    often they were met. ValueError for a name that ends in anything else.
    """
    reports.report(to)


def enable(on: bool = True, /) -> None:
    """Compile what runs, without a decorator, from now on: as JITCORE=1 does. False: no more.

    What is compiled by then stays so. It holds for all threads; `stance` is for one of them.
    """
    if on:
        everywhere.begin()
    else:
        everywhere.end()


def ignore_module(modules: Iterable[ModuleType | str] | ModuleType | str, /) -> None:
    """Leave the functions of these modules, and of their submodules, to CPython.

    modules  modules or their names, before they are first used; globs and paths as in
             JITCORE_EXCLUDE

    TypeError for anything else.
    """
    one = isinstance(modules, str | ModuleType)
    if not one and not isinstance(modules, Iterable):
        raise TypeError(f"jitcore.ignore_module expects modules or their names, not {modules!r}")
    for module in cast(Iterable[ModuleType | str], (modules,) if one else modules):
        rules.rules.ignore(module if isinstance(module, str) else module.__name__)


def reset() -> None:
    """Forget all that was compiled, and give back what it holds, and what lies free in malloc's
    heaps."""
    forget = getattr(sys.modules.get("jitcore.runtime.adopt"), "reset", None)
    if forget is not None:  # else nothing was compiled
        forget()


def wait(timeout: float | None = None) -> bool:
    """Until nothing is being compiled in the background (JITCORE_COMPILE=background).

    timeout  seconds; False: they ran out. TypeError for what is no number
    """
    if timeout is not None and not isinstance(timeout, Real):
        raise TypeError(f"wait: a timeout is a number of seconds or None, not {timeout!r}")
    done: bool = waiting.background.wait(timeout)
    return done


def set_num_threads(count: int, /) -> None:
    """How many threads one large loop may use, of this whole process. Results do not depend on it.

    At the start it is JITCORE_NUM_THREADS, else OMP_NUM_THREADS, else the processors that the
    process may use. TypeError for what is no int, ValueError below 1.
    """
    try:
        wanted = operator.index(count)
    except TypeError:
        raise TypeError(f"set_num_threads: a number of threads is an int, not {count!r}") from None
    if wanted < 1:
        raise ValueError(f"{count} threads: at least 1 is needed")
    attaching.process.use_threads(wanted)


def get_num_threads() -> int:
    """How many threads one large loop may use."""
    count: int = attaching.process.threads()
    return count


def warn_of_a_switch_that_is_off() -> None:
    """JITCORE=1 is for Python's `site`, which reads jitcore.pth in folders of packages only."""
    if environment().everywhere and "jitcore.switch" not in sys.modules:
        log.warning(
            "JITCORE=1 has no effect: no jitcore.pth was read when Python started. "
            "Install jitcore, or call jitcore.enable()"
        )


warn_of_a_switch_that_is_off()
