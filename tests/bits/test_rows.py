"""Every row that may become C, alone, against NumPy: types × layouts × lengths × values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bits_cases import (
    Call,
    Case,
    Count,
    Place,
    case_of,
    check,
    compiled_cases,
    kernel_of,
    resized,
)
from bits_values import DTYPES, TWINS, Array, tame, wild

from jitcore.ir import OPS, Kind
from jitcore.kernels.kernel import operands, source_of
from jitcore.toolchain.compiler import Compiler

ROWS = [row for row in OPS.values() if row.kind is Kind.MAP and row.ufunc is not None]
pytestmark = pytest.mark.by_turns
FEW = (2, 3, 7, 8, 17, 31, 33, 64, 65, 127, 129, 200, 257, 300)
ALL = tuple(range(2, 301))
LONGER = (2047, 2048, 2049)  # around the longest chunk
LONG = 300  # the length that cases are made for

# A vector's layout: the window [start, start + size) of `values` laid out so.
LAYOUTS: dict[str, Callable[[Array, int, int], Array]] = {
    "C": lambda a, start, size: a[start : start + size],
    "stepped": lambda a, start, size: a[start : start + size].repeat(3)[::3],
    "backward": lambda a, start, size: a[start : start + size][::-1].copy()[::-1],
    "still": lambda a, start, size: np.broadcast_to(a[start], (size,)),
}
PAIRS = (("C", "C"), ("stepped", "stepped"), ("C", "still"), ("still", "backward"))

Sweep = Sequence[tuple[int, Callable[[str, int], Array]]]


def lengths(deep: bool) -> tuple[int, ...]:
    return (ALL if deep else FEW) + LONGER[: 3 if deep else 1]


def windows(chars: str, layouts: Sequence[str], sizes: Sequence[int]) -> Iterator[list[Array]]:
    """Operands of every length: wild ones with their pairs at changing places, and tame ones."""
    rng = np.random.default_rng(len(sizes))
    for size in sizes:
        for make in (wild, tame):
            whole = [make(char, k) for k, char in enumerate(chars)]
            whole = [np.resize(one, max(size, one.size)) for one in whole]
            start = int(rng.integers(0, min(map(len, whole)) - size + 1))
            start -= start % 8 if size % 3 == 0 else 0  # aligned for vectors, too
            yield [LAYOUTS[one](a, start, size) for one, a in zip(layouts, whole, strict=True)]


def first(chars: str, layouts: Sequence[str], size: int = LONG) -> list[Array]:
    (_, arrays) = windows(chars, layouts, (size,))
    return arrays


def sweep(
    calls: Sequence[Call],
    kinds: Sequence[tuple[str, Sequence[str]]],
    sizes: Sequence[int],
    compiler: Compiler,
    folder: Path,
) -> int:
    """Each call on operands of these types and layouts; how many kernels there were."""
    found: dict[int, tuple[str, Sequence[str]]] = {}
    cases: list[Case] = []
    for (chars, layouts), size in product(kinds, (LONG, 1)):
        arrays = first(chars, layouts, size)
        for call in calls:
            case = case_of(call, arrays)
            if case is not None:
                cases.append(case)
                found[id(case)] = chars, layouts
    for case, code in compiled_cases(cases, compiler, folder):
        count = Count()
        one = case.group.shape == (1,)
        for arrays in windows(*found[id(case)], (1,) * 6 if one else sizes):
            group = case.group if one else resized(case.group, len(arrays[0]))
            check(case, group, code, arrays, count)
        assert count.results, f"{case}: always refused"
    return len(cases)


def rows(nin: int) -> list[Call]:
    args = tuple(map(Place, range(nin)))
    return [Call(row, args) for row in ROWS if row.ufunc is not None and row.ufunc.nin == nin]


def spare(char: str, deep: bool, others: str = "") -> None:
    if not deep and char in TWINS + others:
        pytest.skip("only with --deep")


@pytest.mark.parametrize("char", DTYPES)
def test_unary(char: str, deep: bool, compiler: Compiler, folder: Path) -> None:
    spare(char, deep)
    kinds = [(char, (layout,)) for layout in LAYOUTS]
    assert sweep(rows(1), kinds, lengths(deep), compiler, folder) > 20


@pytest.mark.parametrize("char", DTYPES)
def test_binary(char: str, deep: bool, compiler: Compiler, folder: Path) -> None:
    spare(char, deep)
    kinds = [(char * 2, layouts) for layouts in PAIRS]
    assert sweep(rows(2), kinds, lengths(deep), compiler, folder) > 20


@pytest.mark.parametrize("char", DTYPES)
def test_binary_in_every_layout(char: str, deep: bool, compiler: Compiler, folder: Path) -> None:
    if not deep:
        pytest.skip("only with --deep")
    kinds = [(char * 2, layouts) for layouts in product(LAYOUTS, LAYOUTS)]
    assert sweep(rows(2), kinds, FEW, compiler, folder) > 20


@pytest.mark.parametrize("char", "Blfd")
def test_two_types(char: str, deep: bool, compiler: Compiler, folder: Path) -> None:
    """NumPy casts operands, or has a loop for the pair, as of ldexp and shifts."""
    others = DTYPES if deep else "Bld"
    kinds = [
        (one + two, ("C", "C")) for other in others for one, two in ((char, other), (other, char))
    ]
    some = rows(2) if deep else [call for call in rows(2) if call.op.name in MIXED]
    sizes = lengths(deep)[:: 7 if deep else 3]
    assert sweep(some, kinds, sizes, compiler, folder) > 20


MIXED = "add divide power left_shift ldexp less equal maximum arctan2 logical_and copysign".split()


# ---- casts, selections, bounds ------------------------------------------------------------------


@pytest.mark.parametrize("char", DTYPES)
def test_astype(char: str, deep: bool, compiler: Compiler, folder: Path) -> None:
    spare(char, deep)
    row = OPS["ndarray.astype"]
    calls = [Call(row, (Place(0), np.dtype(to))) for to in DTYPES if to not in "FD" or char != to]
    kinds = [(char, (layout,)) for layout in LAYOUTS]
    found = sweep(calls, kinds, lengths(deep), compiler, folder)
    assert found > 20 if char not in "eFD" else found >= 0


@pytest.mark.parametrize("char", DTYPES)
def test_where(char: str, deep: bool, compiler: Compiler, folder: Path) -> None:
    spare(char, deep)
    row = OPS["where"]
    calls = [Call(row, (Place(0), Place(1), Place(2))), Call(row, (Place(0), Place(2), 1))]
    layouts = ("CCC", "CCS", "CSC", "SCC", "BBB", "NNN", "NCS")
    names = {"C": "C", "S": "still", "B": "backward", "N": "stepped"}
    kinds = [("?" + char * 2, tuple(names[one] for one in each)) for each in layouts]
    kinds += [(condition + char * 2, ("C",) * 3) for condition in "Bld"]
    if char not in "qQD":
        kinds += [("?" + char + wide, ("C",) * 3) for wide in "ldD"]
    assert sweep(calls, kinds, lengths(deep), compiler, folder) >= 7 * (char != "e")


@pytest.mark.parametrize("char", DTYPES)
def test_clip(char: str, deep: bool, compiler: Compiler, folder: Path) -> None:
    spare(char, deep)
    rows = OPS["clip"], OPS["ndarray.clip"]
    bounds = ((Place(1), Place(2)), (0, 1), (1, Place(2)), (Place(2), 1))
    calls = [Call(row, (Place(0), *each)) for row in rows for each in bounds]
    kinds = [(char * 3, each) for each in (("C",) * 3, ("stepped",) * 3, ("C", "still", "still"))]
    assert sweep(calls, kinds, lengths(deep), compiler, folder) >= (char not in "?e") * 10


# ---- scalars ------------------------------------------------------------------------------------

NUMBERS = (0, 1, 2, -1, 3, 7, 0.5, -0.0, 2.5, 1e-3, np.inf, np.nan, True, 1 + 2j)
NAMES = "add power less maximum".split()


@pytest.mark.parametrize("char", DTYPES)
def test_scalars(char: str, deep: bool, compiler: Compiler, folder: Path) -> None:
    """Numbers known when the kernel is made; NumPy's scalars and Python's at each launch."""
    spare(char, deep, "iLeF")
    names = [row.op.name for row in rows(2)] if deep else NAMES
    sizes = lengths(deep)[:: 9 if deep else 4]
    own = np.dtype(char).type(2)
    numbers = (*(NUMBERS if deep else (2, 0.5, True)), own, np.float32(1.5), np.int8(3))
    made: list[tuple[Case, Any]] = []
    (array,) = first(char, ("C",))
    for name, number, swapped in product(names, numbers, (False, True)):
        places = (Place(1), Place(0)) if swapped else (Place(0), Place(1))
        constant = tuple(number if place == Place(1) else place for place in places)
        for args, given in ((places, [array, number]), (constant, [array])):
            with np.errstate(all="ignore"):
                case = case_or_none(Call(OPS[name], args), given)
            if case is not None:
                made.append((case, given[1:]))
    scalars = {id(case): more for case, more in made}
    results = 0
    for case, code in compiled_cases((case for case, _ in made), compiler, folder):
        more = scalars[id(case)]
        count = Count(may_refuse=more == [-1])  # no unsigned integer
        for (values,) in windows(char, ("C",), sizes):
            check(case, resized(case.group, len(values)), code, [values, *more], count)
        results += count.results
    assert results > 100


def case_or_none(call: Call, operands: list[Any]) -> Case | None:
    try:
        return case_of(call, operands)
    except OverflowError:  # a number that does not fit
        return None


# ---- more than one axis, odd places -------------------------------------------------------------

SHAPES = ((5, 7), (3, 64), (33, 9), (2, 130), (1, 9), (9, 1), (4, 3, 5))
VIEWS: dict[str, Callable[[Array], Array]] = {
    "C": lambda a: a.copy(),
    "F": lambda a: a.copy(order="F"),
    "turned": lambda a: np.ascontiguousarray(a.T).T,
    "swapped": lambda a: np.ascontiguousarray(a.swapaxes(0, -1)).swapaxes(0, -1),
    "every third row": lambda a: a.repeat(3, axis=0)[::3],
    "every third": lambda a: a.repeat(3, axis=-1)[..., ::3],
    "upside down": lambda a: a[::-1].copy()[::-1],
    "one row": lambda a: a[:1],
    "one column": lambda a: a[..., :1],
    "row repeated": lambda a: np.broadcast_to(a[:1], a.shape),
    "column repeated": lambda a: np.broadcast_to(a[..., :1], a.shape),
}
AXES = "add less exp negative sqrt isnan logical_not maximum floor_divide multiply".split()


@pytest.mark.parametrize("char", "?lefdD")
def test_axes(char: str, deep: bool, compiler: Compiler, folder: Path) -> None:
    """Bits, and the layout that NumPy gives to the result."""
    calls = [c for nin in (1, 2) for c in rows(nin) if deep or c.op.name in AXES]
    names = list(product(VIEWS, VIEWS)) if deep else [*zip(VIEWS, VIEWS, strict=True), *CROSSED]
    tried: list[tuple[Case, list[Array]]] = []
    for shape, pair in product(SHAPES if deep else SHAPES[:5:2], names):
        size = int(np.prod(shape))
        for make in (wild, tame):
            flat = [np.resize(make(char, k), size).reshape(shape) for k in range(2)]
            arrays = [VIEWS[name](a) for name, a in zip(pair, flat, strict=True)]
            for call in calls:
                case = case_of(call, arrays)
                if case is not None:
                    tried.append((case, arrays))
    given = {id(case): arrays for case, arrays in tried}
    count = Count()
    for case, code in compiled_cases((case for case, _ in tried), compiler, folder):
        check(case, case.group, code, given[id(case)], count)
    assert count.results > len(tried) // 2


CROSSED = (
    ("C", "F"),
    ("one row", "one column"),
    ("C", "one column"),
    ("turned", "every third row"),
)


@pytest.mark.parametrize("char", DTYPES)
def test_what_is_not_as_compiled_is_refused(
    char: str, deep: bool, compiler: Compiler, folder: Path
) -> None:
    """Another length, stride, byte order, type or class, or not aligned."""
    spare(char, deep)
    (x,) = first(char, ("C",), 40)
    cases = [case_of(Call(OPS[name], (Place(0),)), [x]) for name in ("logical_not", "square")]
    dtype = np.dtype(char)
    bytes_of = np.zeros(x.nbytes + 1, np.uint8)
    odd = bytes_of[1:].view(dtype)
    strange = [x[:39], x.repeat(2)[::2], x[::-1], np.zeros(40, "f8" if char != "d" else "f4")]
    strange += [x.view(type("Sub", (np.ndarray,), {})), x.reshape(1, 40), x[:1], list(x)]
    strange += [x.astype(dtype.newbyteorder()), odd] if dtype.itemsize > 1 else []
    for case, code in compiled_cases(cases, compiler, folder):
        run = kernel_of(case.group, code, 0)
        with np.errstate(all="ignore"):
            assert run(x) is not None
        assert [run(one) for one in strange] == [None] * len(strange)
        for one in strange[-2:] if dtype.itemsize > 1 else ():
            assert case_of(case.call, [one]) is None


@pytest.mark.parametrize("char", "ld")
def test_the_lengths_of_a_case_are_those_of_the_schedule(char: str) -> None:
    """What `resized` makes is what the schedule makes for that length."""
    for name, layout, size in product(("add", "exp", "less"), LAYOUTS, (2, 64, 299)):
        call = Call(OPS[name], (Place(0), Place(1))[: OPS[name].ufunc.nin])
        some = [first(char * len(call.args), (layout,) * len(call.args), n) for n in (LONG, size)]
        long, short = (case_of(call, arrays) for arrays in some)
        if long is None or short is None:
            assert long is short
            continue
        made = resized(long.group, size)
        assert source_of(made) == short.source
        assert operands(made.program) == operands(short.group.program)


def test_no_kernel_of_nothing() -> None:
    for call in (*rows(1), *rows(2)):
        assert case_of(call, [np.empty(0)] * len(call.args)) is None
