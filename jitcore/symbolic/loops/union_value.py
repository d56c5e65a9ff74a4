"""Numbers where ways meet: of one type, or of one of two. None is a number here.

    kinds   the types that a variable may have, one or two
    parts   its graph values: (x,), or (as the first, as the second, whether it is the second)

`s = 0.0` and then, where a condition holds, `s += a[i]`: CPython has a float at the end, or a
np.float64. An operation on such a number is a `cond` node with the operation on either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any

from jitcore.fallback import breaks
from jitcore.ir.graph import Body, Node, Value
from jitcore.ir.op import leaf_type
from jitcore.ir.ops.control import CONTROL
from jitcore.ir.ops.dyn_array import is_span
from jitcore.ir.types import NONE, PYBOOL, ArrayType, DynArrayType, ScalarType, Type
from jitcore.symbolic.loops.loop_state import CannotCapture, working
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.nodes import leaf
from jitcore.symbolic.signals import RegionEnd
from jitcore.symbolic.values import Known, TaggedUnion, Traced, Var
from jitcore.symbolic.wrap import realize

Kinds = tuple[Type, ...]
COND = CONTROL["cond"]


def kinds(vm: Machine, var: Var | None) -> Kinds:
    """CannotCapture where it is no number, or not bound."""
    var = None if var is None else realize(vm, var)
    if isinstance(var, TaggedUnion):
        return leaf_type(var.a), leaf_type(var.b)
    given = leaf(vm, var) if isinstance(var, Traced | Known) else None
    found = leaf_type(given)
    nothing = isinstance(var, Known) and given is None
    if not isinstance(found, ScalarType | DynArrayType | ArrayType) and not nothing:
        raise CannotCapture(
            "a variable of this loop is neither a number nor an array, or unset, where its "
            "branches or iterations meet"
        )
    if type(given) is Value and given in vm.parts.views:
        raise CannotCapture(
            "a variable of this loop is a view of an array where its branches or iterations meet"
        )
    return (found,)


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Reasons name the variable."""
    try:
        yield
    except CannotCapture as error:
        error.args = (str(error).replace("a variable", f"the variable {name}", 1),)
        raise


def union(many: Sequence[Kinds]) -> Kinds:
    found = tuple(sorted({kind for one in many for kind in one}, key=str))
    if len(found) > 1 and all(isinstance(kind, DynArrayType) for kind in found):
        found = (reduce(joined, found),)
    if len(found) > 2:
        types = ", ".join(map(str, found))
        raise CannotCapture(f"a variable of this loop has more than two types ({types})")
    return found


def joined(a: Type, b: Type) -> Type:
    """An array that is one or the other: where their extents differ, only run time knows it."""
    assert isinstance(a, DynArrayType) and isinstance(b, DynArrayType)
    if a.dtype != b.dtype or a.ndim != b.ndim or a.view != b.view:
        raise CannotCapture(
            "a variable of this loop is an array of another dtype or rank on each branch"
        )
    both = zip(a.dims, b.dims, strict=True)
    return DynArrayType(a.dtype, tuple(x if x == y else None for x, y in both), a.view)


def flat(one: Kinds) -> Kinds:
    """The types of its parts."""
    return one if len(one) == 1 else (*one, PYBOOL)


def parts(vm: Machine, var: Var | None, wanted: Kinds) -> list[Any]:
    assert var is not None
    var = realize(vm, var)
    if isinstance(var, TaggedUnion):
        if (leaf_type(var.a), leaf_type(var.b)) != wanted:
            raise CannotCapture("a variable of this loop has other types on each branch")
        return [var.a, var.b, var.tag]
    found = leaf(vm, var)
    if len(wanted) == 1:
        return [found]
    if any(isinstance(kind, DynArrayType | ArrayType) for kind in wanted):
        raise CannotCapture("a variable of this loop is another array on each branch")
    second = leaf_type(found) == wanted[1]
    return [zero(wanted[0]), found, True] if second else [found, zero(wanted[1]), False]


def of_parts(given: Sequence[Any]) -> Var:
    if len(given) == 3:
        return TaggedUnion(*given)
    return Traced(given[0]) if type(given[0]) is Value else Known(given[0])


def unflat(many: Sequence[Kinds], given: Sequence[Any]) -> list[Var]:
    """The variables of these kinds, from all their parts."""
    found, at = [], 0
    for one in many:
        kinds_of = flat(one)
        some = given[at : at + len(kinds_of)]
        found.append(
            of_parts([None if k == NONE else x for k, x in zip(kinds_of, some, strict=True)])
        )
        at += len(kinds_of)
    return found


def zero(kind: Type) -> Any:
    """Any number of this type."""
    if kind == NONE:
        return None
    if not isinstance(kind, ScalarType):
        raise CannotCapture("a variable of this loop is an array, and unset on one branch")
    return kind.pytype(0) if kind.python else kind.dtype.type(0)


# ---- operations ---------------------------------------------------------------------------------


def has_either(vars: Sequence[Var]) -> bool:
    return any(isinstance(var, TaggedUnion) for var in vars)


def distributed(vm: Machine, fn: Callable[..., Var | None], *vars: Var) -> Var:
    """`fn` of these, on either way. What it gives is a number, or None for nothing. After the loops
    another region begins, which finds out what they are."""
    if vm.work is None and vm.inlined:
        vm.stop(breaks.RUNTIME_VALUE, "the type of a number that a compiled loop has made")
    if vm.work is None:
        raise RegionEnd
    at = next(k for k, var in enumerate(vars) if isinstance(var, TaggedUnion))
    one = vars[at]
    assert isinstance(one, TaggedUnion)
    work = working(vm)
    nodes, mark, commits = work.open, work.mark, work.commits
    made: list[tuple[list[Node], Var | None]] = []
    for given in (one.b, one.a):
        work.open, work.mark = [], mark
        var = fn(*vars[:at], of_parts([given]), *vars[at + 1 :])
        made.append((work.open, var))
    work.open = nodes
    work.mark = mark if work.commits == commits else None
    if all(var is None or (isinstance(var, Known) and var.obj is None) for _, var in made):
        cond(nodes, one.tag, [body for body, _ in made], ([], []))
        return Known(None)
    both = union([kinds(vm, var) for _, var in reversed(made)])
    results = [parts(vm, var, both) for _, var in made]
    return of_parts(cond(nodes, one.tag, [body for body, _ in made], results))


def chosen(vm: Machine, test: Var, yes: Var, no: Var) -> Var:
    """One of two numbers, by what only run time knows."""
    test = realize(vm, test)
    assert isinstance(test, Traced)
    both = union([kinds(vm, no), kinds(vm, yes)])
    given = [parts(vm, one, both) for one in (yes, no)]
    return of_parts(cond(working(vm).open, test.value, ([], []), given))


def if_none(vm: Machine, var: Var) -> tuple[Any, Var, Var, bool] | None:
    """Of a number or None: its tag, what it is where that is true, and else; is it None then?"""
    var = realize(vm, var)
    if vm.work is None or not isinstance(var, TaggedUnion) or NONE not in kinds(vm, var):
        return None
    return var.tag, of_parts([var.b]), of_parts([var.a]), leaf_type(var.b) == NONE


def cond(
    nodes: list[Node], predicate: Any, bodies: Sequence[list[Node]], results: Sequence[list[Any]]
) -> list[Any]:
    """A `cond` node, unless both ways give the same and do nothing. Its results."""
    yes, no = results
    at = [k for k in range(len(yes)) if not same_leaf(yes[k], no[k])]
    outputs = {}
    for k in at:
        if is_span(yes[k]) != is_span(no[k]) and (yes[k] is None or no[k] is None):
            outputs[k] = Value((no[k] if yes[k] is None else yes[k]).type)
            continue
        if is_span(yes[k]) and is_span(no[k]):
            outputs[k] = Value(joined(yes[k].type, no[k].type))
            continue
        if leaf_type(yes[k]) != leaf_type(no[k]):
            raise CannotCapture("a variable of this loop has another type on each branch")
        if isinstance(leaf_type(yes[k]), ArrayType):
            raise CannotCapture("a variable of this loop is another array on each branch")
        outputs[k] = Value(leaf_type(yes[k]))
    if at or any(bodies):
        made = tuple(
            Body((), tuple(body), tuple(given[k] for k in at))
            for body, given in zip(bodies, results, strict=True)
        )
        nodes.append(Node(COND, (predicate,), {}, tuple(outputs.values()), made))
    return [outputs.get(k, yes[k]) for k in range(len(yes))]


def same_leaf(a: Any, b: Any) -> bool:
    """Constants by class and bits: True is not 1, and 0.0 is not -0.0."""
    if type(a) is Value or type(b) is Value:
        return a is b
    return type(a) is type(b) and repr(a) == repr(b)
