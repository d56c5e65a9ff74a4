"""What the program is told of an array's extents: constants, and written down, or numbers that run
time knows.

In a capture for all sizes (`Start.sizes`) the extents of an input are inputs themselves. Any other
answer goes to `Machine.looked`: such a capture is of use where it is the same at all sizes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Any, TypeVar

from jitcore.guards.source import Extent
from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.ops.operator import BY_OPERATOR, WHOLE
from jitcore.ir.types import PYINT, ArrayType, ScalarType
from jitcore.ir.value import Value
from jitcore.symbolic.arrays.remainders import is_extent, meet
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.signals import Particular
from jitcore.symbolic.state import Asked, Division, Met, Sized
from jitcore.symbolic.values import Known, Traced, Tuple, Var

SUMS = (operator.add, operator.sub, operator.neg, operator.pos, int)
DIVISORS: dict[Callable[..., Any], Callable[[int], int]] = {
    operator.floordiv: int,
    operator.mod: int,
    operator.rshift: lambda bits: 1 << bits if 0 <= bits < 16 else 0,
    operator.and_: lambda mask: mask + 1 if mask > 0 and not mask & mask + 1 else 0,
}
CHOICES = (min, max)
MANY = 1 << 24
OF_COMPUTED = "an extent of a computed array"  # which one knows when there are several samples
CURVED = "a product of extents"
BRANCH = "decides a branch"
COMPUTED = (*SUMS, operator.mul, *DIVISORS, *CHOICES)
T = TypeVar("T")


def told(vm: Machine, owner: Traced, name: str, fact: Callable[[Any], Any]) -> Var:
    """`name` of an array or number, by its type."""
    kind = owner.value.type
    assert isinstance(kind, ArrayType | ScalarType)
    sized = vm.start.sizes.get(owner.origin) if owner.origin is not None else None
    if sized is not None and name in SIZES:
        made = SIZES[name](vm, owner, sized)
        if made is not None:
            return made
    if vm.start.sizes and isinstance(kind, ArrayType) and sized is None and name in PARTS:
        return PARTS[name](vm, kind)
    return Known(seen(vm, fact(kind)))


def seen(vm: Machine, answer: T) -> T:
    vm.looked.append(answer)
    return answer


def extent(vm: Machine, owner: Traced, sized: Sized, axis: int) -> Var:
    assert owner.origin is not None
    n = sized.type.shape[axis]
    if axis not in sized.axes:
        return Known(n)
    source = Extent(owner.origin, axis)
    found = vm.realized.get(source)
    if found is None:
        made = Traced(vm.input(source, PYINT), source, n, frozenset((source,)))
        found = vm.realized[source] = made
        vm.lengths[made.value] = ()
    return found


# ---- of arrays that are computed ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Told:
    """An extent of a computed array: what the program was told, and where it asked."""

    asked: Asked
    extent: int


def part(vm: Machine, kind: ArrayType, axis: int) -> Var:
    """One that is another at other sizes is a number among the arguments of a step."""
    n, asked = kind.shape[axis], (*where_asked(vm), axis)
    if asked not in vm.start.free or vm.work is not None:
        return Known(seen(vm, Told(asked, n)).extent)
    made = whole(vm, n)
    vm.lengths[made.value] = (OF_COMPUTED, *vm.divided)  # of which it may be made
    vm.freed.append(n)
    return made


def where_asked(vm: Machine) -> Asked:
    return tuple((frame.code.code, frame.index) for frame in vm.frames)


def whole(vm: Machine, n: int) -> Traced:
    made = vm.emit(WHOLE, (n,), {})
    assert isinstance(made, Traced)
    made.hint = n
    made.deps = frozenset(Extent(s, k) for s, one in vm.start.sizes.items() for k in one.axes)
    return made


def told_length(vm: Machine, kind: ArrayType) -> Var:
    return part(vm, kind, 0)


def told_size(vm: Machine, kind: ArrayType) -> Var:
    """Of several axes it is no number that makes a shape."""
    if kind.ndim == 1:
        return part(vm, kind, 0)
    asked = *where_asked(vm), "size"
    if asked not in vm.start.free or vm.work is not None:
        return Known(seen(vm, Told(asked, kind.size)).extent)
    return whole(vm, kind.size)


def told_shape(vm: Machine, kind: ArrayType) -> Var:
    parts = tuple(part(vm, kind, axis) for axis in range(kind.ndim))
    return Tuple(parts) if any(isinstance(one, Traced) for one in parts) else Known(kind.shape)


PARTS: dict[str, Callable[[Machine, ArrayType], Var]] = {
    "len": told_length,
    "size": told_size,
    "shape": told_shape,
}


# ---- what is made of them -----------------------------------------------------------------------


def derived(vm: Machine, out: Traced, fn: Callable[..., Any], args: tuple[Var, ...]) -> None:
    """Sums of extents, a constant times one, the least of some, and what division by a constant
    gives: least and greatest where extents are, so that the samples at corners have seen them. So
    is a product of two of the inputs' extents, but not what it makes with others: of
    (n - 40) * (n - 40) the least lies between."""
    of = [arg for arg in args if is_length(vm, arg)]
    if fn not in COMPUTED or not of or not all(arg in of or is_fixed(arg) for arg in args):
        return
    known = tuple(dict.fromkeys(one for arg in args for one in met(vm, arg)))
    if fn is operator.mul and len(of) == 2 and all(map(is_given, of)):
        known = (CURVED,)
    elif CURVED in known and (len(of) > 1 or fn not in (*SUMS, operator.mul)):
        return  # of what such a number leaves in a division no sample is a corner
    if known == (CURVED,) or fn in SUMS or (fn is operator.mul and len(of) == 1):
        vm.lengths[out.value] = known
    elif fn in DIVISORS and args[1] not in of:
        divisor = DIVISORS[fn](now(args[1]))
        if divisor > 0:
            vm.lengths[out.value] = (*known, division(args[0], divisor, known))
    elif fn in CHOICES and not known:
        vm.lengths[out.value] = (tuple(sign(now(arg), out.hint) for arg in args),)


def division(number: Var, divisor: int, before: tuple[Met, ...]) -> Division:
    assert isinstance(number, Traced)
    periods = (one.period for one in before if isinstance(one, Division))
    return Division(number.value, number.hint, divisor, number.deps, divisor * prod(periods))


def compared(vm: Machine, fn: Callable[[int, int], bool], lhs: Var, rhs: Var) -> bool | None:
    """Of two sums of extents. Where one is less at all corners of a range, it is so between them;
    they are equal nowhere where one is less. None: they are no such sums."""
    ends = lhs, rhs
    if not any(is_length(vm, end) for end in ends) or any(met(vm, end) for end in ends):
        return None
    return decided(vm, fn, lhs, rhs)


def tested(vm: Machine, out: Var, fn: Callable[[int, int], bool], lhs: Var, rhs: Var) -> None:
    """Another comparison of extents is a fact where a branch asks for it."""
    if isinstance(out, Traced) and (is_length(vm, lhs) or is_length(vm, rhs)):
        vm.tests[out.value] = fn, lhs, rhs


def decided(vm: Machine, fn: Callable[[int, int], bool], lhs: Var, rhs: Var) -> bool | None:
    """The same where extents are divided, with an entry for each remainder; and of a product of
    extents beside a number. None: it is known at run time only."""
    ends = lhs, rhs
    lengths = [end for end in ends if isinstance(end, Traced) and end.value in vm.lengths]
    beside = [end for end in ends if end not in lengths]
    known = [one for end in lengths for one in vm.lengths[end.value]]
    numbers = all(map(is_number, beside)) and not any(isinstance(one, Traced) for one in known)
    if vm.work is not None or not numbers or (CURVED in known and not is_product(known, beside)):
        return None
    for end in lengths:
        meet(vm, end, BRANCH)
    a, b = map(now, ends)
    seen(vm, sign(a, b) if fn in (operator.eq, operator.ne) else fn(a, b))
    return fn(a, b)


def is_product(known: Sequence[Met], beside: Sequence[Var]) -> bool:
    """Alone beside a number: it grows with each extent."""
    return len(beside) == 1 and [*known] == [CURVED]


def is_number(var: Var) -> bool:
    return isinstance(var, Known) and type(var.obj) in (int, float)


def sign(a: int, b: int) -> int:
    return (a > b) - (a < b)


def now(var: Var) -> int:
    number: Any = var.hint if isinstance(var, Traced) else var.obj  # type: ignore[union-attr]
    assert type(number) in (int, float)
    return number  # type: ignore[no-any-return]


def met(vm: Machine, var: Var) -> tuple[Met, ...]:
    if not isinstance(var, Traced):
        return ()
    return vm.lengths.get(var.value, (var,))


def is_length(vm: Machine, var: Var) -> bool:
    return isinstance(var, Traced) and var.value in vm.lengths


def is_given(var: Var) -> bool:
    """An extent of an input."""
    return isinstance(var, Traced) and isinstance(var.origin, Extent)


def is_fixed(var: Var) -> bool:
    """An int that does not depend on extents."""
    match var:
        case Known(obj):
            return type(obj) is int
        case Traced(hint=hint, deps=deps):
            return type(hint) is int and not any(map(is_extent, deps))
    return False


def reject_lengths(vm: Machine, args: tuple[Var, ...]) -> None:
    """NumPy is asked what such a function makes, by making it: not at sizes that nobody has."""
    for arg in args if vm.start.sizes else ():
        for one in arg.items if isinstance(arg, Tuple) else (arg,):
            if isinstance(one, Traced) and one.value in vm.lengths:
                raise Particular("an array that is made by an extent")


def reject_many(vm: Machine, args: Iterable[Value]) -> None:
    """NumPy takes long to say what becomes of arrays that nobody has."""
    types = [arg.type for arg in args] if vm.start.sizes else []
    if sum(t.size for t in types if isinstance(t, ArrayType)) > MANY:
        raise Particular("an array with very many elements")


def is_known(vm: Machine, fn: Callable[..., Any], deps: frozenset[Any]) -> bool:
    """May what `fn` gives be computed now? A power of an extent is a number without end."""
    return fn in COMPUTED or not vm.start.sizes or not any(map(is_extent, deps))


def shaping(vm: Machine, var: Traced) -> Any:
    """A number that a shape, or a part of an array, is made with. Of an extent it is no fact: where
    it matters in another way than to numbers of kernels and steps, samples differ."""
    if var.value not in vm.lengths:
        return vm.concrete(var)
    meet(vm, var, "reaches a shape")
    return var.hint


def length(vm: Machine, owner: Traced, sized: Sized) -> Var | None:
    return extent(vm, owner, sized, 0) if sized.type.ndim else None


def size(vm: Machine, owner: Traced, sized: Sized) -> Var:
    """As Python multiplies them."""
    made: Var = Known(1)
    for axis in range(sized.type.ndim):
        made = times(vm, made, extent(vm, owner, sized, axis))
    return made


def times(vm: Machine, a: Var, b: Var) -> Var:
    if isinstance(a, Known) and (isinstance(b, Known) or a.obj == 1):
        return Known(a.obj * b.obj) if isinstance(b, Known) else b
    tree = tuple(one.value if isinstance(one, Traced) else now(one) for one in (a, b))
    out = vm.emit(BY_OPERATOR["*"], tree, {})
    assert isinstance(out, Traced)
    out.hint = now(a) * now(b)
    out.deps = frozenset(d for one in (a, b) if isinstance(one, Traced) for d in one.deps)
    curved = any(met(vm, one) for one in (a, b)) or (is_length(vm, a) and is_length(vm, b))
    vm.lengths[out.value] = (CURVED,) if curved else ()
    return out


def shape(vm: Machine, owner: Traced, sized: Sized) -> Var:
    return Tuple(tuple(extent(vm, owner, sized, axis) for axis in range(sized.type.ndim)))


SIZES: dict[str, Callable[[Machine, Traced, Sized], Var | None]] = {
    "len": length,
    "size": size,
    "shape": shape,
}
