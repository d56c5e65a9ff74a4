"""The smallest programs of what other people's test suites found (tools/corpus.py)."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import types
import weakref
from typing import Any

import numpy as np
import pytest
from finds.scenario import agree, outcomes

import jitcore
from jitcore.runtime.adopt import adopted, reset
from jitcore.runtime.pending_points import arrivals
from jitcore.runtime.records import records


@pytest.mark.parametrize("x", [5, np.float64(3), np.array(3.0), np.arange(3.0)], ids=repr)
def test_out_that_is_an_ellipsis_asks_for_an_array(x: Any) -> None:
    def scenario(jit: Any) -> Any:
        def by_keyword(x: Any) -> Any:
            return np.true_divide(x, 100, out=...)

        def in_a_tuple(x: Any) -> Any:
            return np.add(x, 1, out=(...,))

        def of_a_reduction(x: Any) -> Any:
            return np.add.reduce(np.atleast_1d(x) * 3, out=...)

        return [outcomes(jit(fn), x) for fn in (by_keyword, in_a_tuple, of_a_reduction)]

    agree(scenario)


def test_a_dot_product_into_an_array_without_axes_gives_a_number() -> None:
    def scenario(jit: Any) -> Any:
        def function(x: Any, out: Any) -> Any:
            return np.dot(x, x, out), np.dot(x, x, out=out), x.dot(x, out), out

        def rows(x: Any, out: Any) -> Any:
            return np.dot(x, np.ones((3, 2)), out) is out, out

        first = outcomes(jit(function), np.arange(3.0), np.zeros(()))
        return first, outcomes(jit(rows), np.arange(3.0), np.zeros(2))

    agree(scenario)


def test_the_method_choose_has_choices_only() -> None:
    def scenario(jit: Any) -> Any:
        def numbers(x: Any) -> Any:
            return x.choose(0, 1, 2, 3, 4)

        def arrays(x: Any) -> Any:
            return x.choose(x, x, x, x) is x, x.choose(x, x, x, x)

        return outcomes(jit(numbers), np.array([1, 3, 2])), outcomes(
            jit(arrays), np.array([1, 3, 2])
        )

    agree(scenario)


@pytest.mark.parametrize("spec", ["03d", "1,d", "03,", "e"])
def test_what_a_format_says_is_no_dtype(spec: str) -> None:
    """NumPy reads `np.dtype("03d")` as Python's number 03, a SyntaxError."""

    def scenario(jit: Any) -> Any:
        places: dict[str, Any] = {}
        exec(f"def text(x, k): return f'{{k + 7:{spec}}}', x * k", places)
        return [outcomes(jit(places["text"]), np.arange(3.0), k) for k in (1, 2, 3)]

    agree(scenario)


def test_a_list_that_numpy_gives_back_is_the_same_object() -> None:
    def scenario(jit: Any) -> Any:
        def function() -> Any:
            x = [1, 2, 3]
            y = np.diff(x, n=0)
            return x is y, y

        return outcomes(jit(function))

    agree(scenario)


def test_an_array_whose_fields_overlap_has_a_guard() -> None:
    fields = {"names": ["a", "b"], "formats": ["<i4", "<i2"], "offsets": [0, 2]}

    def scenario(jit: Any) -> Any:
        def function(x: Any, y: Any) -> Any:
            return x["a"] + y, x.shape

        return outcomes(jit(function), np.zeros(3, np.dtype(fields)), np.arange(3))

    agree(scenario)


def test_indices_of_more_elements_than_there_can_be() -> None:
    def scenario(jit: Any) -> Any:
        def function(x: Any, i: Any, j: Any) -> Any:
            return x[i, j] + 1

        zero = np.zeros((), np.intp)
        wide = np.broadcast_to(zero, (2**40, 1))
        return outcomes(jit(function), np.zeros((2, 2)), wide, np.broadcast_to(zero, (1, 2**40)))

    agree(scenario)


def test_the_shape_of_a_number_is_a_node_without_results() -> None:
    def scenario(jit: Any) -> Any:
        def function(x: Any, number: float) -> Any:
            mask = np.zeros(np.shape(number), dtype=bool)
            return np.logical_or(x > 0, mask)

        return outcomes(jit(function), np.arange(12.0), 2.5)

    agree(scenario)


@pytest.mark.parametrize(
    ("vector", "matrix"), [(3, (3, 3)), (3, (3, 40)), (40, (40, 40)), (5, (5, 2, 2)), (3, (4, 3))]
)
def test_a_vector_as_long_as_a_matrix_has_rows_is_summed_up_whole(
    vector: int, matrix: tuple[int, ...]
) -> None:
    def scenario(jit: Any) -> Any:
        def norm(x: Any, m: Any) -> Any:
            return m / (x**2).sum()

        def twice_summed(x: Any, m: Any) -> Any:
            rows = np.exp(m).sum(axis=-1)
            return m / rows.sum(), m - (rows * 2).max()

        x, m = np.arange(1.0, vector + 1), np.linspace(0.5, 2, int(np.prod(matrix)))
        m = m.reshape(matrix)
        return outcomes(jit(norm), x, m), outcomes(jit(twice_summed), x, m)

    agree(scenario)


def test_astype_whose_values_decide_whether_it_may() -> None:
    def scenario(jit: Any) -> Any:
        def function(x: Any) -> Any:
            return x.astype(np.int8, casting="same_value")

        return outcomes(jit(function), np.arange(3)), outcomes(jit(function), np.arange(300))

    agree(scenario)


def test_code_objects_may_outlive_the_names_of_our_modules() -> None:
    """As where Python ends, which prints what a weak reference's callback raises."""
    program = (
        "from jitcore.opcodes import decode\n"
        "code = compile('1', 'x', 'exec')\n"
        "decode.decode(code)\n"
        "decode.recent = None\n"
        "del code\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_threadpoolctl_may_be_half_imported() -> None:
    """Code that is compiled while its module is executed."""
    program = (
        "import logging, sys, types\n"
        "from importlib.machinery import ModuleSpec\n"
        "import numpy as np, jitcore\n"
        "half = types.ModuleType('threadpoolctl')\n"
        "half.__spec__ = ModuleSpec('threadpoolctl', None)\n"
        "half.__spec__._initializing = True\n"
        "half.register = lambda controller: missing\n"
        "half.LibController = object\n"
        "sys.modules['threadpoolctl'] = half\n"
        "@jitcore.compile\n"
        "def f(x): return x * 2 + 1\n"
        "f(np.arange(4.0))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_compiling_starts_no_garbage_collection() -> None:
    """Finalizers and callbacks of weak references run when they would without jitcore."""
    begun: list[str] = []

    def notice(phase: str, info: dict[str, int]) -> None:
        begun.append(phase)

    def function(x: Any, n: int) -> Any:
        total = 0.0
        for i in range(n):
            total += (x * i + 1).sum()
        return total, [x, x + n]

    before, compiled = gc.get_threshold(), jitcore.compile(function)
    gc.collect()
    gc.callbacks.append(notice)
    gc.set_threshold(300, 10, 10)
    try:
        for n in (3, 4, 5):
            compiled(np.arange(float(n)), n)
    finally:
        gc.callbacks.remove(notice)
        gc.set_threshold(*before)
    record = records.find(function.__code__)
    assert record is not None and record.regions and not begun


def test_what_holds_itself_is_the_garbage_collector_s_once() -> None:
    """Not a second time, as what the compiler knew of it: that held the user's objects, too."""

    def of_a_list(x: Any) -> Any:
        own: list[Any] = []
        own.append(own)
        return (x * 2 + 1).sum(), id(own) > 0

    def of_a_dict(x: Any) -> Any:
        named: dict[str, Any] = {}
        named["me"] = named

        def again(k: int) -> Any:
            return again(k - 1) if k else named

        return (x * 2 + 1).sum(), again(3) is named

    for function, count in ((of_a_list, 1), (of_a_dict, 5)):
        for _ in range(2):  # the first time modules are loaded, too
            compiled = jitcore.compile(function)
            gc.collect()
            assert compiled(np.arange(3.0)) == (9.0, True)
            found = gc.collect()
            reset()
        assert found == count, function.__name__


def test_a_proxy_of_what_is_gone_is_asked_for_nothing() -> None:
    class Thing:
        pass

    def scenario(jit: Any) -> Any:
        def function(x: Any, thing: Any) -> Any:
            proxy = weakref.proxy(thing)
            y = x * 2
            del thing
            proxy = weakref.proxy(things.pop() if things else y)
            return (y + 1).sum(), weakref.getweakrefcount(y), type(proxy).__name__

        things: list[Any] = []
        return [outcomes(jit(function), np.arange(3.0), Thing()) for _ in range(3)]

    agree(scenario)


def test_what_claims_to_be_of_another_class_is_not() -> None:
    """`isinstance` asks `__class__`, which may be code of the user's."""
    asked: list[str] = []

    class Claims:
        @property
        def __class__(self) -> Any:  # type: ignore[override]
            asked.append("class")
            return types.FunctionType

    def scenario(jit: Any) -> Any:
        class Owner:
            helper = Claims()

        def function(x: Any, owner: Any, value: Any) -> Any:
            other = owner.helper
            value = x + 1
            return value.sum(), other is Owner.helper

        asked.clear()
        found = [outcomes(jit(function), np.arange(3.0), Owner(), Claims()) for _ in range(3)]
        return found, asked[:]

    agree(scenario)


def test_a_code_object_s_table_of_lines_may_be_too_short() -> None:
    def scenario(jit: Any) -> Any:
        def function(x: Any) -> Any:
            number = id(x)  # a break
            return (x * 2 + 1).sum(), number == id(x)

        cut = function.__code__.co_linetable[:4]
        function.__code__ = function.__code__.replace(co_linetable=cut)
        return outcomes(jit(function), np.arange(3.0))

    agree(scenario)


def test_an_object_gets_no_dict_because_it_is_looked_at() -> None:
    """Its attributes stay in the object itself, where CPython finds them sooner."""

    class Thing:
        def __init__(self, scale: float) -> None:
            self.scale = scale
            self.calls = 0

    def has_dict(thing: Thing) -> bool:
        return any(type(one) is dict for one in gc.get_referents(thing))

    def scenario(jit: Any) -> Any:
        def function(x: Any, thing: Thing) -> Any:
            thing.calls += 1
            return (x * thing.scale + 1).sum(), hasattr(thing, "other")

        thing = Thing(2.0)
        found = outcomes(jit(function), np.arange(3.0), thing)
        return found, has_dict(thing), thing.calls

    agree(scenario)


WAITING = """
import mmap, os, time
import numpy as np
import jitcore

@jitcore.compile
def wait(array, count):
    for i in range(count):
        while not array[i]:
            pass
    return i

@jitcore.compile
def wait_for_sum(array, count):
    total = 0.0
    while total < count:
        total = 0.0
        for i in range(count):
            total += array[i]
    return total

count = 50
shared = mmap.mmap(-1, 9 * 8 * count)
flags, numbers = np.ndarray(count, bool, shared), np.ndarray(count, float, shared, offset=8 * count)
print(wait(~flags, count), wait_for_sum(numbers + 1, count))
if os.fork() == 0:
    for array in (flags, numbers):
        for i in range(count):
            time.sleep(0.002)
            array[i] = 1
    os._exit(0)
print(wait(flags, count), wait_for_sum(numbers, count))
"""


def test_a_loop_waits_for_what_another_process_writes() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", WAITING], capture_output=True, text=True, timeout=60
    )
    assert (ran.stdout, ran.stderr) == ("49 50.0\n" * 2, "")


def test_what_is_viewed_may_be_given_by_name() -> None:
    def scenario(jit: Any) -> Any:
        def function(x: Any) -> Any:
            return np.ascontiguousarray(a=3), np.asarray(dtype=float, a=x) * 2, np.array(object=3)

        return outcomes(jit(function), np.arange(3.0))

    agree(scenario)


@pytest.mark.parametrize("copy", [True, False, None, 1])
def test_reshape_may_be_told_whether_it_copies(copy: Any) -> None:
    """And whether it did is seen by who writes."""

    def scenario(jit: Any) -> Any:
        def function(x: Any) -> Any:
            y, z = np.reshape(x, (3, -1), copy=copy), x.reshape(-1, order="A", copy=copy)
            y[0], z[-1] = 7, 8
            return x.sum() + y.sum(), x, y, z, y.strides, np.reshape(x.T, -1, "F", copy=copy)

        x = np.arange(24.0).reshape(4, 6)
        return [outcomes(jit(function), each.copy("K")) for each in (x, x.T, x[:, ::2])]

    agree(scenario)


def test_rounded_integers_may_be_the_array_itself() -> None:
    """In NumPy 2.3 they are, from 2.4 on they are a copy."""

    def scenario(jit: Any) -> Any:
        def function(x: Any) -> Any:
            y, z = np.round(x), (x + 1).round()
            y += 3
            z[0] = 7
            return y is x, np.around(x) is x, x, y * 2, z

        return outcomes(jit(function), np.arange(4)), outcomes(jit(function), np.arange(4.0))

    agree(scenario)


def texts(mark: Any) -> Any:
    return np.dtypes.StringDType(na_object=mark)


def titled(mark: Any) -> Any:
    return np.dtype([("a", [((mark, "b"), "f8")], (2,))])


@pytest.mark.parametrize("make", [texts, titled])
def test_objects_in_dtypes_are_asked_as_often_as_without_jitcore(make: Any) -> None:
    """What stands for missing texts, titles of fields."""

    def scenario(jit: Any) -> Any:
        class Mark:
            asked = 0

            def __eq__(self, other: object) -> bool:
                Mark.asked += 1
                return self is other

            def __hash__(self) -> int:
                return 7

        def function(dtype: Any, other: Any) -> Any:
            x = np.zeros(1, dtype)
            return len(x), x.dtype == dtype, other == dtype, np.ones(1) + 1

        one, two, seen = make(Mark()), make(Mark()), []
        compiled = jit(function)
        for _ in range(3):
            Mark.asked = 0
            seen.append((compiled(one, two), Mark.asked))
        return seen

    agree(scenario)


def test_a_ufunc_may_have_loops_of_another_library(caplog: pytest.LogCaptureFixture) -> None:
    """As mkl_umath does. It is said once, and what was restored is compiled."""
    tests = pytest.importorskip("numpy._core._umath_tests")
    if not hasattr(tests, "replace_loop"):
        pytest.skip("NumPy 2.4 has no function that replaces a loop")

    def function(x: Any) -> Any:
        return np.negative(x) * 2, -x

    def replaced(fn: Any) -> Any:
        saved = tests.replace_loop(np.negative)
        try:
            return [fn(x) for _ in range(3)]
        finally:
            tests.restore_loop(np.negative, saved)

    x, compiled = np.arange(1.0, 4.0), jitcore.compile(function)
    wanted = repr(replaced(function))
    assert repr(replaced(compiled)) == wanted and not compiled.cache_info().entries
    assert [each.message for each in caplog.records] == [
        "np.negative has loops that are not NumPy's: while it has, nothing more is compiled"
    ]
    assert repr(compiled(x)) == repr(function(x)) and compiled.cache_info().entries


@pytest.mark.parametrize("char", "lq")
def test_equal_dtypes_of_two_numbers_share_no_memory(char: str) -> None:
    """`l` and `q` are both int64."""

    def scenario(jit: Any) -> Any:
        def function() -> Any:
            x = np.arange(10).astype(char)
            return x.dtype.char, x.argpartition(3).tolist(), (x * 2).astype("l").dtype.char

        return outcomes(jit(function))

    agree(scenario)


def test_threads_may_come_at_once_to_code_that_has_arrived() -> None:
    """Each finds the points, or the record that the first one has made."""

    def function(x: Any) -> Any:
        return x + 1

    code, points = function.__code__, {2: object()}
    arrivals.add(code, points)
    both, meet = [], threading.Barrier(2)

    class Slow(dict):  # type: ignore[type-arg]
        """Both threads have found no record before one adds its own."""

        def setdefault(self, key: int, row: Any) -> Any:
            meet.wait(10)
            return super().setdefault(key, row)

    before, records._by_id = records._by_id, Slow(records._by_id)
    try:
        threads = [threading.Thread(target=lambda: both.append(adopted(code))) for _ in range(2)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    finally:
        records._by_id = before
    assert len(both) == 2 and both[0] is both[1] is not None
    assert both[0].points is points and both[0].begun and arrivals.find(code) is None
