"""Each step does what CPython's own instruction does."""

from __future__ import annotations

import gc
import operator
import sys
import types

import numpy as np
import pytest
from plans import NULL, Plan, result, run

import jitcore
from jitcore import _C
from jitcore.ir.value import Value
from jitcore.runtime.notify import collect


def test_call():
    plan = Plan(2)
    assert result(plan, plan.call_operands(plan.const(operator.sub), 0, 1), 7, 5) == 2
    plan = Plan()
    assert result(plan, plan.call_operands(plan.const(list))) == []


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 100])
def test_call_with_many_arguments(count):
    plan = Plan(count)
    got = result(plan, plan.call_operands(plan.const(lambda *a: a), *range(count)), *range(count))
    assert got == tuple(range(count))


def test_call_with_keywords():
    plan = Plan(2)
    x, y = Value(None), Value(None)
    plan.bind(x, 0)
    plan.bind(y, 1)
    got = result(plan, plan.call(None, lambda *a, **k: (a, k), (x, 3), {"key": y, "c": None}), 1, 2)
    assert got == ((1, 3), {"key": 2, "c": None})


def test_argument_trees():
    plan = Plan(1)
    x = Value(None)
    plan.bind(x, 0)
    tree = (x, [1, x, (x, "a")], {"k": x, "l": [x]}, slice(x, None, 2), slice(1, 2), ((), (3,)))
    got = result(plan, plan.operand(tree), 9)
    assert got == (
        9, [1, 9, (9, "a")], {"k": 9, "l": [9]}, slice(9, None, 2), slice(1, 2), ((), (3,)),
    )  # fmt: skip
    assert list(got[2]) == ["k", "l"]


def test_what_a_call_may_change_is_made_anew():
    plan = Plan()
    entry_value = plan.operand(([1, 2], {"a": []}, ({},), slice([], None)))
    plan.leave(plan.returns(entry_value))
    entry = plan.entry()
    first = run(entry).value
    first[0].append(3)
    first[1]["a"].append(3)
    first[2][0]["new"] = 3
    first[3].start.append(3)
    assert run(entry).value == ([1, 2], {"a": []}, ({},), slice([], None))


def test_constants_are_one_object():
    plan = Plan()
    constant = (1, "a", (2.5,))
    assert result(plan, plan.operand(constant)) is constant


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("BUILD_TUPLE", (1, 2, 1)), ("BUILD_LIST", [1, 2, 1]), ("BUILD_SET", {1, 2})],
)
def test_build(name, wanted):
    plan = Plan(2)
    got = result(plan, plan.build(name, (0, 1, 0)), 1, 2)
    assert got == wanted
    assert type(got) is type(wanted)


def test_build_map_keeps_order():
    plan = Plan(2)
    got = result(plan, plan.build("BUILD_MAP", (plan.const("b"), 0, plan.const("a"), 1)), 1, 2)
    assert list(got.items()) == [("b", 1), ("a", 2)]


def test_method():
    plan = Plan(2)
    method = result(plan, plan.fixed("METHOD", 0, 1), len, "abc")
    assert type(method) is types.MethodType
    assert method() == 3


def test_function():
    def example(a, b=2, *, c=3):
        return a, b, c, names, other

    other = "cell"
    code = example.__code__
    names = {"here": 1}
    plan = Plan(3)
    closure = plan.build("BUILD_TUPLE", [2] * len(code.co_freevars))
    made = plan.fixed("FUNCTION", plan.const(code), 0, 1, closure)
    got = result(plan, made, (2,), {"c": 3}, types.CellType(8), globals=names)
    assert got.__globals__ is names
    assert got.__code__ is code
    assert got.__qualname__ == example.__qualname__
    assert got(1) == (1, 2, 3, 8, 8)
    plan = Plan()
    bare = result(plan, plan.fixed("FUNCTION", plan.const((lambda: 5).__code__), NULL, NULL, NULL))
    assert (bare(), bare.__defaults__, bare.__kwdefaults__, bare.__closure__) == (5, *[None] * 3)


def test_advance():
    plan = Plan(1)
    it = iter("abcd")
    got = result(plan, plan.fixed("ADVANCE", 0, plan.const(2)), it)
    assert got is it
    assert list(got) == ["c", "d"]


def test_cells():
    plan = Plan(1)
    assert result(plan, plan.fixed("CELL_NEW", 0), 5).cell_contents == 5
    plan = Plan()
    with pytest.raises(ValueError, match="empty"):
        _ = result(plan, plan.fixed("CELL_NEW", NULL)).cell_contents
    cell = types.CellType(1)
    plan = Plan(2)
    plan.do("CELL_SET", 0, 1)
    result(plan, 0, cell, 2)
    assert cell.cell_contents == 2
    plan = Plan(1)
    plan.do("CELL_SET", 0, NULL)
    result(plan, 0, cell)
    assert cell == types.CellType()


def test_stores():
    names = {"g": 1, "h": 2}
    plan = Plan()
    plan.do("GLOBAL_SET", plan.const("i"), plan.const(4))
    plan.do("GLOBAL_DEL", plan.const("g"))
    result(plan, plan.const(None), globals=names)
    assert names == {"h": 2, "i": 4}


def test_what_may_be_the_user_s_is_not_kept():
    cls = type("Made", (), {})
    function = eval("lambda: 1")
    for obj in (cls, function, function.__code__):
        before = sys.getrefcount(obj)
        plan = Plan()
        assert plan.known(obj) == plan.known(obj)
        plan.leave(plan.returns(plan.known(obj)))
        entry = plan.entry()
        del plan
        assert run(entry).value is obj
        assert sys.getrefcount(obj) == before
    plan = Plan()
    plan.leave(plan.returns(plan.known(type("Gone", (), {}))))
    entry = plan.entry()
    del plan
    gc.collect()
    assert run(entry).kind == "stay"
    assert (entry.hits, entry.failures) == (0, 1)


def test_immutable_constants_are_kept():
    plan = Plan()
    for obj in (int, len, "a", None):
        assert plan.known(obj) == plan.const(obj)


def test_words_that_are_no_plan_are_refused():
    words, consts, exits, registers = leaving()
    for at in range(len(words)):
        for wrong in (-1_000, 1_000):
            ruined = words[:]
            ruined[at] = wrong
            with pytest.raises(ValueError, match="not a plan"):
                make(ruined, consts, exits, registers)
    with pytest.raises(ValueError, match="not a plan"):
        make(words[:-1], consts, exits, registers)
    with pytest.raises(ValueError, match="not a plan"):
        make(words, consts, (), registers)
    with pytest.raises(ValueError, match="not a plan"):
        make(words, consts, exits, 0)


def step(plan, name, *words):
    plan.add(name, *words)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda plan: step(plan, "KERNEL", plan.const(len), 0, 1, plan.new()),
        lambda plan: step(plan, "KERNEL", plan.new(), 0, 1, plan.new()),
        lambda plan: step(plan, "KERNEL", NULL, 0, 0),
        lambda plan: step(plan, "CALL_KW", plan.new(), plan.const(dict), plan.const("a"), 0),
        lambda plan: step(plan, "CALL_KW", plan.new(), plan.const(dict), plan.const(("a",)), 0),
        lambda plan: step(plan, "BUILD_MAP", plan.new(), 1, plan.const(1)),
        lambda plan: step(plan, "LOUD", 0, NULL, 0),
    ],
)
def test_steps_whose_numbers_do_not_agree_are_refused(wrong):
    """What would write past the outputs of a kernel, say."""
    plan = Plan()
    wrong(plan)
    plan.leave(plan.returns(plan.const(None)))
    words, consts, exits, registers = plan.finish()
    with pytest.raises(ValueError, match="not a plan"):
        make(words, consts, exits, registers)


def test_a_kernel_has_as_many_operands_as_the_step():
    compiled = jitcore.compile(lambda x, y: (x * y + 1, x))
    with collect() as found:
        compiled(np.arange(4.0), np.arange(4.0))
    kernel = next(k for region in found for k in getattr(region, "kernels", ()))
    for nin, nout, refused in [
        (2, 1, False),
        (1, 1, True),
        (3, 1, True),
        (2, 0, True),
        (2, 2, True),
    ]:
        plan = Plan(3)
        outs = [plan.new() for _ in range(nout)]
        plan.add("KERNEL", plan.const(kernel), nin, nout, *range(nin), *outs)
        plan.leave(plan.returns(plan.const(None)))
        words, consts, exits, registers = plan.finish()
        if refused:
            with pytest.raises(ValueError, match="not a plan"):
                make(words, consts, exits, registers)
        else:
            make(words, consts, exits, registers)


def test_exits_whose_parts_do_not_agree_are_refused():
    words, consts, exits, registers = leaving()
    kind, offset, point, start, stack, _, _, value = exits[1]
    for wrong in (
        (kind, offset, point, start, stack, (0,), (), value),
        (kind, offset, point, start, stack, (), (~0,), value),
        (3, offset, point, start, stack, (), (), value),
        (-1, offset, point, start, stack, (), (), value),
    ):
        with pytest.raises(ValueError, match="not the exits"):
            make(words, consts, (exits[0], wrong), registers)


def leaving():
    plan = Plan()
    plan.leave(plan.returns(plan.call_operands(plan.const(list), plan.const("ab"))))
    return plan.finish()


def make(words, consts, exits, registers):
    return _C.Entry("test", registers, words[:0], (), (), words, consts, exits)


def test_numpy_results_are_numpy_s():
    plan = Plan(2)
    x = np.arange(6.0).reshape(2, 3)
    got = result(plan, plan.call_operands(plan.const(np.add), 0, 1), x, 2)
    np.testing.assert_array_equal(got, x + 2)
