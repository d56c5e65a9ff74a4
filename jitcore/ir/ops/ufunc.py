"""Rows: every ufunc of NumPy, called.

A C expression stands only where plain C gives NumPy's bits and flags. Its key is a dtype kind and
holds where all inputs have one dtype in the inner loop: "f" is float32 and float64 only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from jitcore.ir.c_expression import CExpression, CKind
from jitcore.ir.infer.by_sample import asked
from jitcore.ir.infer.elementwise import infer_map
from jitcore.ir.op import Args, Effect, Kind, Kwargs, Op, leaf_type, writes_out
from jitcore.ir.types import ArrayType, ScalarType, Type
from jitcore.ir.value import Value


def effect_of_call(op: Op, args: Args, kwargs: Kwargs) -> Effect:
    if writes_out(op, args, kwargs):
        return Effect.STORE
    # Releases of NumPy warn of `where` without `out`; unsafe casts of complex numbers warn.
    if not kwargs.keys() <= {"dtype", "out"}:
        return Effect.LOUD
    if "dtype" in kwargs or may_not_fit(args):
        return Effect.FLAGS
    if op.name in _ORDERED and any(map(_complex, args)):
        return Effect.FLAGS
    if op.name in _SILENT_ON_INTS and all(map(_whole, args)):
        return Effect.SILENT
    return op.effect


def may_not_fit(args: Args) -> bool:
    """A Python number that NumPy converts to a narrower dtype: OverflowError, or a warning.

    The ints among the constants were tried by the type rule.
    """
    types = [leaf_type(arg) for arg in args]
    for arg, t in zip(args, types, strict=True):
        if isinstance(t, ScalarType) and t.python:
            number = t.dtype.kind
            if (number in "fc" and any(map(_narrow, types))) or (
                number == "i" and type(arg) is Value
            ):
                return True
    return False


def _narrow(t: Type) -> bool:
    """float16, float32, complex64."""
    return isinstance(t, ArrayType | ScalarType) and t.dtype.char in "efF"


def _complex(arg: Any) -> bool:
    t = leaf_type(arg)
    return not isinstance(t, ArrayType | ScalarType) or t.dtype.kind == "c"


def _whole(arg: Any) -> bool:
    """An array or a number of bools or ints."""
    t = leaf_type(arg)
    return isinstance(t, ArrayType | ScalarType) and t.dtype.kind in "biu"


def _function(name: str, operands: str = "{0}", slow: bool = False) -> CExpression:
    """One that is an instruction."""
    return CExpression(f"{{B}}{name}{{S}}({operands})", calls=f"{name}{{S}}", slow=slow)


def _test(name: str) -> CExpression:
    return CExpression(f"(__builtin_{name}({{0}}) != 0)", CKind.QUIET)


def _compare(sign: str, quiet: str | None = None) -> dict[str, CExpression]:
    plain = CExpression(f"({{0}} {sign} {{1}})")
    floats = plain if quiet is None else CExpression(f"{quiet}({{0}}, {{1}})", CKind.QUIET)
    truth = CExpression(f"(!!{{0}} {sign} !!{{1}})")
    return {"f": floats, "i": plain, "u": plain, "b": truth}


def _wrapping(sign: str) -> dict[str, CExpression]:
    """Integers wrap around: the sum is made of unsigned numbers, where C defines it."""
    whole = CExpression(f"({{T}})(({{U}}){{0}} {sign} ({{U}}){{1}})")
    return {"f": CExpression(f"({{0}} {sign} {{1}})"), "i": whole, "u": whole}


def _bits(sign: str) -> dict[str, CExpression]:
    whole = CExpression(f"({{T}})({{0}} {sign} {{1}})")
    return {"i": whole, "u": whole, "b": CExpression(f"(!!{{0}} {sign} !!{{1}})")}


def _all(kinds: str, template: str) -> dict[str, CExpression]:
    return dict.fromkeys(kinds, CExpression(template))


def _least(sign: str) -> dict[str, CExpression]:
    """Integers only: C and NumPy differ in the zeros and NaNs of floats."""
    return _all("iu", f"({{0}} {sign} {{1}} ? {{0}} : {{1}})")


_IDENTITY = "({0})"
_IN_RANGE = "({U}){1} < ({U})(8 * sizeof({T}))"
_MINUS = "({T})(0 - ({U}){0})"

C: Mapping[str, Mapping[str, CExpression]] = {
    "add": _wrapping("+") | _all("b", "({0} || {1})"),
    "subtract": _wrapping("-"),
    "multiply": _wrapping("*") | _all("b", "({0} && {1})"),
    "divide": {"f": CExpression("({0} / {1})", slow=True)},
    "negative": _all("f", "(-{0})") | _all("iu", _MINUS),
    "positive": _all("fiu", _IDENTITY),
    "conjugate": _all("fiu", _IDENTITY),
    "absolute": {
        "f": _function("fabs"),
        "i": CExpression(f"({{0}} < 0 ? {_MINUS} : {{0}})"),
        **_all("u", _IDENTITY),
        **_all("b", "(!!{0})"),
    },
    "fabs": {"f": _function("fabs")},
    "sqrt": {"f": _function("sqrt", slow=True)},
    "square": _all("f", "({0} * {0})") | _all("iu", "({T})(({U}){0} * ({U}){0})"),
    "reciprocal": {"f": CExpression("(1 / {0})", slow=True)},
    "floor": {"f": _function("floor"), **_all("iub", _IDENTITY)},
    "ceil": {"f": _function("ceil"), **_all("iub", _IDENTITY)},
    "trunc": {"f": _function("trunc"), **_all("iub", _IDENTITY)},
    "rint": {"f": _function("rint")},
    "copysign": {"f": _function("copysign", "{0}, {1}")},
    "signbit": _all("f", "(__builtin_signbit({0}) != 0)"),
    "isnan": {"f": _test("isnan"), **_all("iub", "0")},
    "isinf": {"f": _test("isinf"), **_all("iub", "0")},
    "isfinite": {"f": _test("isfinite"), **_all("iub", "1")},
    "equal": _compare("=="),
    "not_equal": _compare("!="),
    "less": _compare("<", "__builtin_isless"),
    "less_equal": _compare("<=", "__builtin_islessequal"),
    "greater": _compare(">", "__builtin_isgreater"),
    "greater_equal": _compare(">=", "__builtin_isgreaterequal"),
    "logical_and": _all("fiub", "({0} != 0 && {1} != 0)"),
    "logical_or": _all("fiub", "({0} != 0 || {1} != 0)"),
    "logical_xor": _all("fiub", "(({0} != 0) != ({1} != 0))"),
    "logical_not": _all("fiub", "({0} == 0)"),
    "bitwise_and": _bits("&"),
    "bitwise_or": _bits("|"),
    "bitwise_xor": _bits("^"),
    "invert": _all("iu", "({T})(~{0})") | _all("b", "(!{0})"),
    "left_shift": _all("iu", f"({_IN_RANGE} ? ({{T}})(({{U}}){{0}} << {{1}}) : ({{T}})0)"),
    "right_shift": {
        **_all("i", f"({_IN_RANGE} ? ({{T}})({{0}} >> {{1}}) : ({{T}})({{0}} < 0 ? -1 : 0))"),
        **_all("u", f"({_IN_RANGE} ? ({{T}})({{0}} >> {{1}}) : ({{T}})0)"),
    },
    "maximum": _least(">"),
    "minimum": _least("<"),
    "fmax": _least(">"),
    "fmin": _least("<"),
}

# No float is computed, or none that NumPy would warn of.
_SILENT = frozenset(
    (
        *("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_count", "invert"),
        *("left_shift", "right_shift", "positive", "conjugate", "copysign", "fabs"),
        *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
        *("logical_and", "logical_or", "logical_xor", "logical_not"),
        *("isnan", "isinf", "isfinite", "isnat", "signbit"),
    )
)


# Of complex numbers, the C comparison raises "invalid" where there is a NaN.
_ORDERED = frozenset(("less", "less_equal", "greater", "greater_equal"))

# Integers wrap around in silence.
_SILENT_ON_INTS = frozenset(
    (
        *("add", "subtract", "multiply", "negative", "absolute", "square", "sign"),
        *("maximum", "minimum", "fmax", "fmin", "floor", "ceil", "trunc"),
    )
)


def _row(ufunc: np.ufunc) -> Op:
    name = ufunc.__name__
    return Op(
        name,
        ufunc,
        Kind.MAP,
        Effect.SILENT if name in _SILENT else Effect.FLAGS,
        rule=infer_map,
        effect_rule=effect_of_call,
        ufunc=ufunc,
        c=C.get(name),
        loop=True,
    )


def elementwise_ufuncs() -> list[np.ufunc]:
    """The ufuncs of NumPy's namespace, each once; those with a signature are linear algebra."""
    found = {
        id(value): value for value in vars(np).values() if isinstance(value, np.ufunc)
    }.values()
    return [ufunc for ufunc in found if ufunc.signature is None]


def generalised_ufuncs() -> list[np.ufunc]:
    found = [getattr(np, name, None) for name in ("matmul", "vecdot", "matvec", "vecmat")]
    return [ufunc for ufunc in found if isinstance(ufunc, np.ufunc)]


ROWS: tuple[Op, ...] = (
    *map(_row, elementwise_ufuncs()),
    *(
        Op(ufunc.__name__, ufunc, Kind.LINALG, Effect.FLAGS, asked, operands=2, ufunc=ufunc)
        for ufunc in generalised_ufuncs()
    ),
)
UFUNC: Mapping[str, Op] = {row.name: row for row in ROWS}
