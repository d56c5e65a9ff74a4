"""A kernel → the same function in another compiler's hands: numba, jax, torch, numexpr.

An adapter takes the plain NumPy function as it is; helpers that it calls are handed over with it.
jax gets it with `np` standing for `jax.numpy`, so a function that writes to its arguments fails
there; numexpr gets the kernel's expression, where it has one. What a peer cannot run is a result.
Arguments of jax are jax arrays already and are not counted; its results are waited for.
"""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from benchmarks.registry import Args, Kernel

Contender = Callable[..., Any]
Adapter = Callable[[Kernel, Args], Contender]


class CannotRun(Exception):
    """A peer has no way to run this kernel."""


def handed_over(function: Any, wrap: Callable[[Any], Any], **names: Any) -> Any:
    """`function` wrapped, with the helpers of its module wrapped too and globals replaced."""
    space = dict(function.__globals__) | names
    for name, value in function.__globals__.items():
        if isinstance(value, FunctionType) and value.__globals__ is function.__globals__:
            space[name] = wrap(FunctionType(value.__code__, space, name, value.__defaults__))
    return space[function.__name__]


def numba(kernel: Kernel, args: Args) -> Contender:
    module = importlib.import_module("numba")
    warnings.simplefilter("ignore", module.NumbaPerformanceWarning)  # amid the table
    njit: Contender = handed_over(kernel.function, module.njit)
    return njit


def torch(kernel: Kernel, args: Args) -> Contender:
    module = importlib.import_module("torch")
    module._dynamo.reset()
    made: Contender = module.compile(kernel.function)
    return made


def jax(kernel: Kernel, args: Args) -> Contender:
    if kernel.writes:
        raise CannotRun("arrays of jax cannot be written to")
    module = importlib.import_module("jax")
    module.config.update("jax_enable_x64", True)
    plain = handed_over(kernel.function, lambda fn: fn, np=importlib.import_module("jax.numpy"))
    jitted = module.jit(plain)
    held = tuple(module.numpy.asarray(a) if isinstance(a, np.ndarray) else a for a in args)

    def call(*_: Any) -> Any:
        return module.block_until_ready(jitted(*held))

    return call


def numexpr(kernel: Kernel, args: Args) -> Contender:
    if not kernel.numexpr:
        raise CannotRun("no expression of numexpr")
    evaluate = importlib.import_module("numexpr").evaluate
    names = kernel.function.__code__.co_varnames[: len(args)]

    def call(*given: Any) -> Any:
        return evaluate(kernel.numexpr, local_dict=dict(zip(names, given, strict=True)))

    return call


ADAPTERS: dict[str, Adapter] = {"numba": numba, "jax": jax, "torch": torch, "numexpr": numexpr}


def installed() -> dict[str, Adapter]:
    found = {n: a for n, a in ADAPTERS.items() if importlib.util.find_spec(n) is not None}
    for name in found:
        importlib.import_module(name)  # its start is not a kernel's time
    return found
