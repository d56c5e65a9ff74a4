"""Graphs: built, printed, parsed, verified, interpreted."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

import graphs

from jitcore.ir import (
    BY_OPERATOR,
    OPS,
    UNKNOWN,
    Builder,
    ParseError,
    Unsupported,
    VerifyError,
    interpret,
    parse,
    type_of,
    uses,
    verify,
    walk,
)

A = np.array([1.0, -2.0, 3.5, -0.5, 2.0])


@pytest.mark.parametrize("make", graphs.ALL)
def test_text_parses_back(make):
    graph = make()
    verify(graph)
    again = parse(str(graph))
    verify(again)
    without = "\n".join(line.split("    # ")[0] for line in str(graph).splitlines())
    assert str(again) == without


def test_text_is_readable():
    lines = str(graphs.straight()).splitlines()
    assert lines[0] == "graph straight(%0: f8[3,4], %1: f8[4]) {"
    assert lines[1] == "  %2: f8[3,4] = multiply(%0, %0)"
    assert lines[3] == "  %4: f8[3,4] = add(%2, %3)    # model.py:3"
    assert lines[-2] == "  return %4, %5"


@pytest.mark.parametrize(
    "arguments",
    [
        "%0, (1, 2)",
        "%0, slice(None, -1, 2)",
        "%0, (..., None, slice(None, None, None))",
        "%0, [1, 2, 3]",
    ],
)
def test_constants_round_trip(arguments):
    source = f"graph g(%0: f8[4,5]) {{\n  %1: object = getitem({arguments})\n  return %1\n}}"
    assert str(parse(source)) == source


@pytest.mark.parametrize(
    "constant",
    [
        "1",
        "-1.5",
        "(1+2j)",
        "True",
        "float('nan')",
        "float('-inf')",
        "np.float32(0.5)",
        "np.bool(True)",
    ],
)
def test_numbers_round_trip(constant):
    source = f"graph g(%0: f8) {{\n  return {constant}\n}}"
    assert str(parse(source)) == source


@pytest.mark.parametrize("constant", ["np.dtype('<f4')", "np.int64", "float", "'K'", "None"])
def test_keywords_round_trip(constant):
    source = f"graph g(%0: f8[3]) {{\n  %1: object = sum(%0, dtype={constant})\n  return %1\n}}"
    assert str(parse(source)) == source


def test_interpret():
    x, y = np.arange(12.0).reshape(3, 4), np.arange(4.0)
    total, rows = interpret(graphs.straight(), x, y)
    assert np.array_equal(total, x * x + np.sin(y)) and np.array_equal(
        rows, (x * x + np.sin(y)).sum(0)
    )
    assert interpret(graphs.sum_positive(), A, 5) == (6.5,)
    assert interpret(graphs.sum_positive(), A, 0) == (0.0,)
    assert interpret(graphs.halve(), np.float64(10.0), np.float64(1.0)) == (0.625, 4)
    assert interpret(graphs.halve(), np.float64(0.5), np.float64(1.0)) == (0.5, 0)


def test_interpret_stores():
    a, c = np.zeros(4), np.zeros(4)
    added, same = interpret(graphs.stores(), a, c)
    assert added is c and same is a
    assert a.tolist() == [0, 1, 1, 1] and c.tolist() == [1, 2, 2, 2]


def test_stores_give_back_their_argument():
    b = Builder()
    a = b.input(type_of(np.zeros(3)))
    assert b.emit(BY_OPERATOR["+="], (a, 1)) is a
    assert b.emit(OPS["exp"], (a,), {"out": a}) is a
    assert b.emit(OPS["asarray"], (a,)) is a
    assert [node.op.name for node in b.nodes] == ["op.iadd", "exp"]


def test_operators_become_ufuncs_where_an_array_takes_part():
    b = Builder()
    a, f = b.input(type_of(np.zeros(3))), b.input(graphs.F8)
    for args in ((a, 2), (f, a), (f, 2.0), (a, np.float64(2)), (a, 3), (a, 2.0), (a, a)):
        b.emit(BY_OPERATOR["**"], args)
    found = [node.op.name for node in b.nodes]
    assert found == ["square", "power", "op.pow", "op.pow", "power", "square", "power"]


@pytest.mark.parametrize("exponent", [2, -1, 0.5, 2.0, -1.0, 3, 1.0, np.float64(2), np.float32(3)])
@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i8", "i4", "c16", "u1"])
def test_power_keeps_the_bits(dtype, exponent):
    if dtype in ("i8", "i4", "u1") and exponent == -1 and type(exponent) is int:
        pytest.skip("NumPy refuses negative powers of integers")
    x = np.random.default_rng(0).standard_normal(1000).astype("c16") * (3 + 2j)
    x = x.astype(dtype) if dtype == "c16" else x.real.astype(dtype)
    b = Builder()
    graph = b.graph("g", (b.emit(BY_OPERATOR["**"], (b.input(type_of(x)), exponent)),))
    with np.errstate(all="ignore"):
        (got,), wanted = interpret(graph, x), x**exponent
    assert type_of(got) == type_of(wanted) == graph.body.results[0].type
    assert got.tobytes() == wanted.tobytes()


def test_unknown_and_unsupported():
    b = Builder()
    a, o = b.input(type_of(np.zeros(3))), b.input(type_of(object()))
    assert b.emit(OPS["nonzero"], (a,)).type == UNKNOWN
    for args in ((a, o), (a, np.zeros(4)), (a, "text")):
        with pytest.raises(Unsupported):
            b.emit(OPS["add"], args)
    assert len(b.nodes) == 1


def test_elided_temporaries():
    """NumPy would write into a large temporary: the result then has its layout."""
    b = Builder()
    c, f = b.input(type_of(np.zeros((300, 300)))), b.input(type_of(np.zeros((300, 300), order="F")))
    temporary = b.emit(BY_OPERATOR["*"], (f, 2.0))
    with pytest.raises(Unsupported):
        b.emit(BY_OPERATOR["+"], (temporary, c))
    assert b.emit(BY_OPERATOR["+"], (f, c)).type == type_of(np.zeros((300, 300)))
    assert b.emit(OPS["add"], (temporary, c)).type == type_of(np.zeros((300, 300)))


def test_uses_sees_into_bodies():
    graph = graphs.sum_positive()
    loop = graph.body.nodes[-1]
    assert uses(loop) == set(graph.inputs)
    assert [node.op.name for node in walk(graph.body)][:3] == ["for", "getitem", "op.gt"]


def test_tabular(capsys):
    graphs.sum_positive().print_tabular()
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].split() == ["name", "op", "kind", "args", "kwargs", "type"]
    assert len(shown) == 2 + 2 + len(list(walk(graphs.sum_positive().body)))


BROKEN = {
    "type": "%1: f4[3] = exp(%0)\n return %1",
    "call": "%1: f8[3] = add(%0, 'text')\n return %1",
    "outputs": "%1: f8[3] = op.iadd(%0, 1)\n return %1",
    "cond": "%1: f8[3] = cond(True) {\n yield %0\n } else {\n yield 1.5\n }\n return %1",
    "one body": "%1: f8[3] = cond(True) {\n yield %0\n }\n return %1",
    "count": "%1: f8[3] = for(1.5, %0) {\n (%2: pyi8, %3: f8[3]):\n yield %3\n }\n return %1",
    "carried": "%1: f8[3] = loop(%0) {\n (%2: f4[3]):\n yield True, %0\n }\n return %1",
}


@pytest.mark.parametrize("name", BROKEN)
def test_verify(name):
    graph = parse(f"graph g(%0: f8[3]) {{\n{BROKEN[name]}\n}}")
    with pytest.raises(VerifyError):
        verify(graph)


def test_verify_scopes():
    inner = "%1: f8[3] = cond(True) {\n %2: f8[3] = exp(%0)\n yield %2\n } else {\n yield %0\n }"
    source = f"graph g(%0: f8[3]) {{\n{inner}\n return %2\n}}"
    with pytest.raises(VerifyError, match="before"):
        verify(parse(source))


@pytest.mark.parametrize(
    "source",
    [
        "",
        "graph g() {",
        "graph g() {\n return %0\n}",
        "graph g(%0: f8) {\n %1: f8 = nothing(%0)\n return %1\n}",
        "graph g(%0: f8, %0: f8) {\n return %0\n}",
        "graph g(%0: f8) {\n return open('x')\n}",
        "graph g(%0: f8) {\n return %0\n}\n}",
    ],
)
def test_not_a_graph(source):
    with pytest.raises((ParseError, ValueError)):
        parse(source)
