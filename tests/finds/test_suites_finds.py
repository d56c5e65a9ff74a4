"""The smallest programs of what other people's test suites found (tools/corpus.py)."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from finds.scenario import agree, outcomes


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
