"""ArraySpec: what an argument will be, without the argument.

signature=[ArraySpec(...), float, None] ─▶ aligned with the function's parameters
    ─▶ _C.ArraySpec for each, which the dispatcher asks at every call
    ─▶ examples, for which the function is compiled ahead of the first call
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any

import numpy as np

import jitcore._C as _C
from jitcore.errors import SignatureError
from jitcore.host.fast_dataclass import dataclass
from jitcore.user.dynamic_axes import mark_dynamic

# Of an example along an axis that has none, where there are 1, 2, … such: no short one if it can
# be, since loops differ for these.
EXTENTS = (100, 100, 40, 20, 17, 2)
MOST = np.iinfo(np.intp).max
NUMBERS: Mapping[type, Any] = {float: 1.5, complex: 1.5 + 0.5j}


@dataclass(frozen=True)
class ArraySpec:
    """An array that a compiled function will be called with.

    shape  extents; None: any extent, for which one compiled version is to serve (of several, those
           that come first are taken to be equal; where they turn out not to be, it is compiled
           once more)
    dtype  anything that np.dtype accepts

    For `jitcore.compile(fn, signature=[...])` and `f.warmup(...)`. TypeError for a shape that is no
    sequence of ints and None, or no dtype; ValueError for a negative extent.
    """

    shape: tuple[int | None, ...]
    dtype: Any = np.float64

    def __post_init__(self) -> None:
        if not isinstance(self.shape, Iterable) or isinstance(self.shape, str):
            raise TypeError(f"ArraySpec: a shape is a tuple of ints and None, not {self.shape!r}")
        try:
            shape = tuple(None if n is None else extent(n) for n in self.shape)
        except TypeError:
            text = f"ArraySpec: extents are ints and None, not {tuple(self.shape)!r}"
            raise TypeError(text) from None
        if any(n is not None and n < 0 for n in shape):
            raise ValueError(f"ArraySpec: an extent is negative: {shape}")
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "dtype", np.dtype(self.dtype))

    def __str__(self) -> str:
        return f"an array {self.dtype} of shape {self.shape}"

    def example(self) -> np.ndarray[Any, Any]:
        """An array like this, with its dynamic axes marked; nothing reads what is in it."""
        extent = EXTENTS[min(self.shape.count(None), len(EXTENTS)) - 1]
        made = np.zeros([extent if n is None else n for n in self.shape], self.dtype)
        mark_dynamic(made, [axis for axis, n in enumerate(self.shape) if n is None])
        return made

    def check(self) -> Any:
        """What the dispatcher asks: dtype and extents; strides and flags may be any."""
        least = tuple(0 if n is None else n for n in self.shape)
        most = tuple(MOST if n is None else n for n in self.shape)
        return _C.ArraySpec(self.dtype, least, (0,) * len(least), True, True, most, "K")


def extent(n: Any) -> int:
    """TypeError for True, too, as np.zeros has it."""
    if isinstance(n, bool | np.bool):
        raise TypeError
    return operator.index(n)


Wanted = ArraySpec | type | None
Signature = Sequence[Wanted] | Mapping[str, Wanted]


def aligned(signature: Signature, fn: FunctionType) -> tuple[Wanted, ...]:
    """One for each parameter; a first one called self or cls is not counted in a sequence.
    TypeError where they do not fit."""
    code = fn.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if isinstance(signature, Mapping):
        found = {**signature}
    elif not isinstance(signature, Collection) or isinstance(signature, str | bytes):
        text = "a sequence or a dict by name of ArraySpecs, classes and None"
        raise TypeError(f"{code.co_qualname}: a signature is {text}, not {signature!r}")
    else:
        own = names[:1] if names[:1] in (("self",), ("cls",)) else ()
        rest = names[len(own) : code.co_argcount]
        needed = rest[: max(len(rest) - len(fn.__defaults__ or ()), 0)]
        reject_count(code, len(signature), rest, needed)
        found = dict(zip(rest, signature, strict=False))
    for name, wanted in found.items():
        if name not in names:
            raise TypeError(f"{code.co_qualname}: the signature names {name!r}: no such parameter")
        if wanted is ArraySpec or not (wanted is None or isinstance(wanted, ArraySpec | type)):
            text = f"an ArraySpec, a class or None for {name!r}, not {wanted!r}"
            raise TypeError(f"{code.co_qualname}: a signature has {text}")
    return tuple(found.get(name) for name in names)


def reject_count(code: CodeType, count: int, names: Sequence[str], needed: Sequence[str]) -> None:
    """Not one for each of these parameters, though others have defaults."""
    if len(needed) <= count <= len(names):
        return
    text = f"{count} argument{'s' * (count != 1)}, and the function takes {len(names)}"
    if count < len(needed):
        missing = ", ".join(map(repr, needed[count:]))
        text = f"{text}: {missing} without a default; None stands for any value"
    raise TypeError(f"{code.co_qualname}: the signature is for {text}")


def checks(wanted: Iterable[Wanted]) -> tuple[Any, ...]:
    return tuple(one.check() if isinstance(one, ArraySpec) else one for one in wanted)


def examples(wanted: Iterable[Wanted], code: CodeType) -> dict[str, Any] | None:
    """Of what the signature says; None: it does not say enough to be compiled for."""
    found: dict[str, Any] = {}
    for name, one in zip(code.co_varnames, wanted, strict=False):
        if isinstance(one, ArraySpec):
            try:
                found[name] = one.example()
            except (MemoryError, ValueError):  # it is for arrays that lie in files
                return None
        elif isinstance(one, type):
            if one not in NUMBERS:
                return None
            found[name] = NUMBERS[one]
    return found


def refusal(code: CodeType, index: int, wanted: Wanted, value: Any) -> SignatureError:
    name, expected = code.co_varnames[index], words(wanted)
    return SignatureError(
        f"{code.co_qualname}() argument {name!r}: expected {expected}, got {kind_of(value)}"
    )


def words(wanted: Wanted) -> str:
    return wanted.__qualname__ if isinstance(wanted, type) else str(wanted)


def kind_of(value: Any) -> str:
    cls = type(value)
    if cls is np.ndarray:
        return f"an array {value.dtype} of shape {value.shape}"
    return str(type.__dict__["__qualname__"].__get__(cls))
