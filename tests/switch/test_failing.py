"""jitcore.stance("fail_on_break") and fullgraph: a break is raised by its own line, and also where
it was met before, when it was no error."""

from __future__ import annotations

import threading
import traceback
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore import _C

X = np.linspace(-1.0, 1.0, 20)


def prints(x):
    y = x * 2 + 1
    print("of an array", y[:0])  # break
    return np.sqrt(y * y + 1)


def selects(x):
    y = x * 2 + 1
    if y is not None:
        k = y[y > 0]  # break
    return k * k + 1


def no_arrays(x):
    open("/dev/null").close()  # break
    return x


def in_a_loop(x):
    for _ in range(3):
        x = x * 2 + 1
        print("of an array", x[:0])  # break
    return x


def at_the_end(x):
    x = np.sqrt(x * x + 1) * 3
    for name in ("one", "two"):
        x = x + len(name)
    return str(x)  # break


def in_a_generator(x):
    yield np.sqrt(x * x + 1) * 3
    print("of an array", x[:0])  # break


BREAKING = [prints, selects, no_arrays, in_a_loop, at_the_end]


def fresh(fn: Any) -> FunctionType:
    code = fn.__code__.replace()
    return FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)


def lines_of(error: BaseException) -> list[tuple[str, str]]:
    frames = traceback.extract_tb(error.__traceback__)
    return [(frame.filename, frame.line or "") for frame in frames]


def assert_raised_at_the_break(error: BaseException) -> None:
    lines = lines_of(error)
    assert {name for name, _ in lines} == {__file__}, lines
    assert lines[-1][1].endswith("# break"), lines


def assert_fails(fn: Any, *args: Any) -> None:
    with pytest.raises(jitcore.GraphBreakError) as caught, jitcore.stance("fail_on_break"):
        fn(*args)
    assert_raised_at_the_break(caught.value)


@pytest.mark.parametrize("times", [1, 3, 100])
@pytest.mark.parametrize("fn", BREAKING)
def test_a_break_that_was_met_before(fn: Any, times: int) -> None:
    compiled = jitcore.compile(fresh(fn))
    for _ in range(times):
        compiled(X)
    for _ in range(2):
        assert_fails(compiled, X)
        assert_fails(compiled, X)
        for _ in range(times):
            assert str(compiled(X)) == str(fn(X))


@pytest.mark.parametrize("fn", BREAKING)
def test_a_whole_graph_that_breaks(fn: Any) -> None:
    strict = jitcore.compile(fresh(fn), fullgraph=True)
    for _ in range(3):
        with pytest.raises(jitcore.GraphBreakError) as caught:
            strict(X)
        assert_raised_at_the_break(caught.value)


def test_a_generator() -> None:
    compiled = jitcore.compile(fresh(in_a_generator))
    assert len(list(compiled(X))) == 1
    before = compiled(X)
    with pytest.raises(jitcore.GraphBreakError), jitcore.stance("fail_on_break"):
        list(compiled(X))
    with jitcore.stance("fail_on_break"):
        found = list(before)  # it had begun
    assert found[0].tobytes() == (np.sqrt(X * X + 1) * 3).tobytes()


def test_a_break_in_a_function_that_is_called() -> None:
    inner = fresh(prints)

    def outer(x):
        return inner(x * 3) + 1  # break

    compiled = jitcore.compile(outer)
    compiled(X), compiled(X)
    assert_fails(compiled, X)


def test_a_function_without_a_decorator() -> None:
    plain = fresh(prints)
    with jitcore.stance("compile"):
        plain(X), plain(X)
    assert_fails(plain, X)
    assert str(plain(X)) == str(prints(X))


def test_where_it_could_be_handled() -> None:
    """The state that a handler wants is not there at the break: it is raised where the graph
    begins."""

    def f(x):
        y = x * 2 + 1
        try:
            print("of an array", y[:0])
        except jitcore.GraphBreakError:
            return None
        return y

    strict = jitcore.compile(f, fullgraph=True)
    with pytest.raises(jitcore.GraphBreakError) as caught:
        strict(X)
    assert {name for name, _ in lines_of(caught.value)} == {__file__}
    assert 'print("of an array", y[:0])\n' in str(caught.value)


@pytest.mark.parametrize("fn", [prints, selects])
def test_branches_that_are_not_taken(fn: Any) -> None:
    def f(x, breaks):
        y = np.sqrt(x * x + 1) * 3
        if breaks:
            return fn(y)  # break
        return y + 1

    compiled = jitcore.compile(f)
    for breaks in (True, False) * 3:
        compiled(X, breaks)
    for _ in range(3):
        with jitcore.stance("fail_on_break"):
            found = compiled(X, False), compiled(X, False), compiled(X, False)
        assert all(one.tobytes() == f(X, False).tobytes() for one in found)
        assert_fails(compiled, X, True)


def test_what_has_no_break_keeps_what_was_compiled() -> None:
    compiled = jitcore.compile(fresh(lambda x: np.sqrt(x * x + 1) * 3))
    for _ in range(3):
        compiled(X)
    before = compiled.cache_info()
    with jitcore.stance("fail_on_break"):
        compiled(X)
    after = compiled.cache_info()
    assert after.compiles == before.compiles and after.hits == before.hits + 1


def test_another_thread_meets_the_break_meanwhile() -> None:
    compiled = jitcore.compile(fresh(prints))
    begin, ended = threading.Event(), threading.Event()

    def elsewhere():
        begin.wait(20)
        compiled(X)
        ended.set()

    other = threading.Thread(target=elsewhere)
    other.start()
    failures = 0
    with jitcore.stance("fail_on_break"):
        for _ in range(2):
            try:
                compiled(X)
            except jitcore.GraphBreakError:
                failures += 1
            with jitcore.disable():
                begin.set()
                ended.wait(20)
    other.join()
    assert failures == 2 and not _C.is_failing()


def test_a_block_in_a_function_that_is_compiled() -> None:
    inner = fresh(prints)

    def f(x):
        y = np.sqrt(x * x + 1) * 3
        try:
            with jitcore.stance("fail_on_break"):
                inner(y)
        except jitcore.GraphBreakError as error:
            return error.break_.code, y
        return None

    compiled = jitcore.compile(f)
    inner(X)
    for _ in range(4):
        code, y = compiled(X)
        assert code == "J204" and y.tobytes() == (np.sqrt(X * X + 1) * 3).tobytes()
    with jitcore.stance("compile"):
        inner(X)
    assert not _C.is_failing() and _C.hook_depth()[0] == 0


def test_code_that_was_found_to_be_hot(run: Any) -> None:
    done = run(
        """
        import numpy as np, jitcore

        def work(x):
            y = np.sqrt(x * x + 1) * 3
            print("of an array", y[:0])
            return y + 1

        for _ in range(50):
            work(np.ones(10))
        with jitcore.stance("fail_on_break"):
            try:
                work(np.ones(10))
            except jitcore.GraphBreakError as error:
                print(error.break_.code)
        """,
        JITCORE="1",
        JITCORE_STRESS="1",
    )
    assert done.stdout.splitlines()[50:] == ["J204"], done.stderr
