"""Programs that once ran differently when compiled. Each is the smallest that showed it."""

from __future__ import annotations

import sys
import warnings
import weakref
from typing import Any

import numpy as np
import pytest
from finds.scenario import agree, outcomes


def test_a_local_that_nothing_reads_again_keeps_its_object_alive() -> None:
    class Resource:
        pass

    def scenario(jit: Any) -> Any:
        def function(x: Any) -> Any:
            resource = Resource()
            seen = weakref.ref(resource)
            array = x * 2
            address = weakref.ref(array)
            print("effect")
            return x + 1, seen() is None, address() is None

        return outcomes(jit(function), np.arange(4.0))

    agree(scenario)


def test_a_deleted_or_replaced_local_releases_its_object() -> None:
    def scenario(jit: Any) -> Any:
        def function(x: Any) -> Any:
            first, second = x * 2, x * 3
            seen = weakref.ref(first), weakref.ref(second)
            result = first + second
            del first
            second = x
            return [ref() is None for ref in seen], result, second

        return outcomes(jit(function), np.arange(4.0))

    agree(scenario)


@pytest.mark.parametrize("value", [1j, 2.5, "text", None, [1.0]])
def test_operators_that_raise_are_the_interpreter_s(value: Any) -> None:
    def scenario(jit: Any) -> Any:
        def shift(x: Any) -> Any:
            return (x << 1) | 3, x // x

        def divide(x: Any) -> Any:
            y = x / 3
            return y // y

        return outcomes(jit(shift), value), outcomes(jit(divide), value)

    agree(scenario)


def test_an_in_place_operation_that_does_not_fit_is_the_interpreter_s() -> None:
    def scenario(jit: Any) -> Any:
        def function(x: Any) -> Any:
            y = x * 2
            y += np.ones(3)
            return y

        return outcomes(jit(function), np.arange(4.0))

    agree(scenario)


def test_compiling_issues_no_warning_of_its_own() -> None:
    def scenario(jit: Any) -> Any:
        def store(x: Any) -> Any:
            x[1:] = x[:-1] * 2
            x[0] = 7
            return x

        def invert(flag: Any, x: Any) -> Any:
            return ~flag, x + 1

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            results = outcomes(jit(store), np.arange(12).astype("m8[s]"))
            results += outcomes(jit(invert), True, np.arange(3.0))
        return results, [(str(w.message), w.filename == __file__) for w in caught]

    agree(scenario)


def test_compiling_leaves_the_filters_as_they_are() -> None:
    def scenario(jit: Any) -> Any:
        def function(x: Any) -> Any:
            return np.log(x) * 2

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            before = list(warnings.filters)
            results = outcomes(jit(function), np.zeros(3))
            return results, len(caught), before == warnings.filters

    agree(scenario)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="no sys.monitoring")
def test_a_function_that_is_monitored_alone_runs_in_the_interpreter() -> None:
    def scenario(jit: Any) -> Any:
        def function(x: Any) -> Any:
            y = x * 2 + 1
            return y * y

        compiled = jit(function)
        results = outcomes(compiled, np.arange(4.0))
        lines: list[int] = []
        monitoring = sys.monitoring
        monitoring.use_tool_id(3, "test")
        monitoring.register_callback(
            3, monitoring.events.LINE, lambda code, line: lines.append(line)
        )
        monitoring.set_local_events(3, function.__code__, monitoring.events.LINE)
        results += outcomes(compiled, np.arange(4.0))
        monitoring.set_local_events(3, function.__code__, 0)
        monitoring.free_tool_id(3)
        return results, lines

    agree(scenario)


def test_an_iterator_at_its_end_stays_there() -> None:
    def scenario(jit: Any) -> Any:
        def function(x: Any) -> Any:
            items = [x]
            it = iter(items)
            seen = [next(it, None), next(it, None)]
            items.append(x * 2)
            return seen, list(it), x + 1

        return outcomes(jit(function), np.arange(4.0))

    agree(scenario)


def test_an_exception_handled_in_a_callback_leaves_what_is_half_done() -> None:
    def scenario(jit: Any) -> Any:
        def function(x: Any) -> Any:
            found = [0]
            try:
                found.extend(map(int, ["1", "2", "x", "4"]))
            except ValueError:
                x = x + len(found)
            return x * 2, found

        return outcomes(jit(function), np.arange(4.0))

    agree(scenario)


def test_an_exception_that_is_kept_has_its_traceback() -> None:
    def scenario(jit: Any) -> Any:
        def function(x: Any) -> Any:
            try:
                raise ValueError("kept")
            except ValueError as error:
                last = error
            frame = last.__traceback__.tb_frame
            return x * 2 + 1, frame.f_code.co_name, sys.exc_info()

        return outcomes(jit(function), np.arange(4.0))

    agree(scenario)


def test_a_loop_in_a_call_in_a_loop_that_makes_another_array_in_each_round() -> None:
    def divides(x: Any, y: Any) -> Any:
        for _ in range(100):
            z = x / y
        return z

    def scenario(jit: Any) -> Any:
        def function(x: Any) -> Any:
            one, two, three, four = 1, 2, 3, 4
            r = x * (one + two + three + four)
            for _ in range(30):
                r = divides(x, x + 1.0)
            return r

        return outcomes(jit(function), np.linspace(0.0, 1.0, 200))

    agree(scenario)
