"""jitcore.config(...), and disable(fn, recursive=False)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import jitcore
from jitcore.config import environment
from jitcore.runtime.adopt import twin
from jitcore.runtime.records import records
from jitcore.user.config_scope import current

X = np.linspace(0.5, 2.0, 11)


def wave(x):
    return np.sqrt(x * x + 1) * np.exp(-x)


def config_of(fn):
    return records.find(fn.__code__).config


def test_functions_that_are_decorated_in_the_block():
    with jitcore.config(dynamic=True, cache_limit=3, backend="numpy"):
        fn = jitcore.compile(twin(wave))
        with jitcore.config(cache_limit=5):
            inner = jitcore.compile(twin(wave), dynamic=False, backend="c")
    after = jitcore.compile(twin(wave))
    found = [(c.dynamic, c.cache_limit, c.backend) for c in map(config_of, (fn, inner, after))]
    assert found == [(True, 3, "numpy"), (False, 5, "c"), (None, 8, "c")]
    for one in (fn, inner, after):
        assert one(X).tobytes() == wave(X).tobytes()
    assert current() == environment()


def helper(x):
    y = np.sqrt(x) * 2
    jitcore.graph_break()
    return y + 1


def test_functions_that_are_met_in_the_block():
    own = twin(helper)

    def f(x):
        return own(x) * 2

    compiled = jitcore.compile(f)
    with jitcore.config(cache_limit=2):
        compiled(X)
    assert config_of(own).cache_limit == 2 and config_of(compiled).cache_limit == 8


def test_fullgraph():
    with jitcore.config(fullgraph=True):
        fn = jitcore.compile(twin(helper))
    with pytest.raises(jitcore.GraphBreakError):
        fn(X)


def test_the_limit_is_kept_to():
    with jitcore.config(cache_limit=2, dynamic=False):
        fn = jitcore.compile(twin(wave))
    for n in range(2, 9):
        assert fn(np.ones(n)).tobytes() == wave(np.ones(n)).tobytes()
    assert fn.cache_info().entries == 2


def test_other_threads_and_blocks_that_are_entered_again():
    block, seen = jitcore.config(cache_limit=3), []
    with block, block:
        thread = threading.Thread(target=lambda: seen.append(current().cache_limit))
        thread.start()
        thread.join()
        assert current().cache_limit == 3
    assert seen == [8] and current().cache_limit == 8
    with pytest.raises(ZeroDivisionError), block:
        _ = 1 / 0
    assert current().cache_limit == 8


@pytest.mark.parametrize(
    ("settings", "error", "text"),
    [
        ({"speed": 3}, TypeError, "'speed' is none of backend, fullgraph"),
        ({"cache_limit": 0}, ValueError, "a number from 1 on"),
        ({"dynamic": "yes"}, ValueError, "True, False or None"),
        ({"compiling": "later"}, ValueError, "eager or background"),
    ],
)
def test_wrong_settings(settings, error, text):
    with pytest.raises(error, match=text):
        jitcore.config(**settings)


def test_it_is_there_before_anything_else_was_asked_for():
    text = "import jitcore.config, jitcore\nwith jitcore.config(cache_limit=3): print('in')"
    path = os.pathsep.join(p for p in sys.path if p)
    env = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", text], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout == "in\n"


def test_disable_of_one_function_leaves_what_it_calls():
    inner = twin(wave)

    @jitcore.disable(recursive=False)
    def middle(x):
        return inner(x) + 1

    @jitcore.compile(dynamic=False)
    def outer(x):
        return middle(x * 2) * 3

    for _ in range(3):
        assert outer(X).tobytes() == ((wave(X * 2) + 1) * 3).tobytes()
    assert records.find(middle.__code__) is None
    assert any(one.entry is not None for one in records.find(inner.__code__).regions)
    assert any("middle()" in stop.detail for stop in records.find(outer.__code__).breaks)


def test_disable_of_all_leaves_all():
    inner = twin(wave)

    @jitcore.disable
    def middle(x):
        return inner(x) + 1

    outer = jitcore.compile(lambda x: middle(x * 2) * 3)
    for _ in range(3):
        outer(X)
    assert records.find(inner.__code__) is None


def test_compiling_what_is_left_compiles_what_it_calls():
    inner = twin(wave)

    def middle(x):
        return inner(x) + 1

    fn = jitcore.compile(jitcore.disable(middle, recursive=False))
    for _ in range(3):
        assert fn(X).tobytes() == (wave(X) + 1).tobytes()
    assert records.find(middle.__code__).regions == []
    assert records.find(inner.__code__).regions


@pytest.mark.parametrize("wrong", [len, 3, object()])
def test_recursive_false_is_for_python_code(wrong):
    with pytest.raises(TypeError):
        jitcore.disable(wrong, recursive=False)
