"""f.cache_info(), f.cache_clear(), f.graphs, f.warmup()."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import jitcore
from jitcore.runtime.adopt import twin
from jitcore.runtime.records import records

X = np.linspace(0.5, 2.0, 11)


def wave(x, k):
    return np.sqrt(x * x + k) * np.exp(-x)


def agree(fn, *args, **kwargs):
    assert fn(*args, **kwargs).tobytes() == fn.eager(*args, **kwargs).tobytes()


def test_details_of_entries():
    f = jitcore.compile(wave)
    for n in (10, 20, 30, 40):
        f(np.ones((n, 3)), 2.0)
    f(np.ones((5, 3), "f4"), 2.0)
    fixed, general, small = f.cache_info().details
    assert fixed.sizes == {"x": (10, 3)} and fixed.dynamic == {}
    least, most = general.dynamic["x.shape[0]"]
    assert general.sizes == {"x": ((least, most), 3)} and least <= 20 and most >= 40
    assert "type(k) is float" in small.guards
    assert [one.hits for one in (fixed, general, small)] == [1, 3, 1]
    assert {one.state for one in (fixed, general, small)} == {"in use"}
    assert all(one.kernels == 1 and one.seconds > 0 for one in (fixed, general, small))
    line = wave.__code__.co_firstlineno + 1
    assert (fixed.place.function, fixed.place.lineno) == ("wave", line)
    assert str(general).endswith(f"in wave: in use, hits: 3, sizes: x ({least} to {most}, 3)")
    why = [str(one.changes[0]) for one in f.cache_info().recompiles]
    assert why == ["x.shape[0]: 10 → 20", "x.dtype: float64 → float32"]
    assert f.graphs == tuple(records.find(wave.__code__).regions)
    assert f.graphs[0].kernels[0].source


def test_clear_forgets_one_function_and_keeps_how_it_is_compiled():
    f = jitcore.compile(wave, backend="numpy", fullgraph=True)
    other = jitcore.compile(lambda x: x * 2 + 1)
    for _ in range(3):
        agree(f, X, 1.0)
        other(X)
    before = other.cache_info()
    f.cache_clear()
    assert f.cache_info() == jitcore.CacheInfo(0, 0, 0, 0, 0) and f.graphs == ()
    assert other.cache_info() == before
    for _ in range(3):
        agree(f, X, 1.0)
    assert f.cache_info().entries == 1 and f.cache_info().hits == 3
    assert f._hits >= 2, "calls without a frame"
    (graph,) = f.graphs
    assert graph.kernels == (), "another backend than before"


def test_reset_keeps_how_functions_are_compiled():
    f = jitcore.compile(lambda x: print(end="") or x * 2 + 1, fullgraph=True)
    for _ in range(2):
        with pytest.raises(jitcore.GraphBreakError):
            f(X)
        jitcore.reset()


def test_clear_while_it_runs():
    def f(x):
        y = x * 2 + 1
        if len(x) == 7:
            compiled.cache_clear()
        return np.sqrt(y) - 1

    compiled = jitcore.compile(f)
    for n in (5, 6, 7, 8, 7, 9):
        agree(compiled, np.ones(n))


def test_a_function_whose_record_was_cleared_is_let_go():
    f = jitcore.compile(twin(wave))
    f(X, 1.0)
    f.cache_clear()
    f(X, 1.0)
    code = weakref.ref(f.__code__)
    del f
    gc.collect()
    assert code() is None


SEEN = []


def noisy(x):
    SEEN.append(len(x))
    x += 1
    return np.sqrt(x) * 2


def test_warmup_runs_nothing():
    f = jitcore.compile(noisy)
    x = X.copy()
    f.warmup(x)
    assert not SEEN and x.tobytes() == X.tobytes()
    assert f(x.copy()).tobytes() == noisy(x.copy()).tobytes() and len(SEEN) == 2


@pytest.mark.parametrize(
    ("args", "text"),
    [((), "missing a required argument: 'x'"), ((X, 2, 3, 4), "too many positional")],
)
def test_warmup_for_what_is_no_call(args, text):
    f = jitcore.compile(wave)
    with pytest.raises(TypeError, match=rf"^wave\.warmup\(\): {text}"):
        f.warmup(*args)


def test_warmup_is_a_compile():
    f = jitcore.compile(wave)
    assert f.warmup(X, 2.0) is True
    assert f.warmup(X, 2.0) is True
    info = f.cache_info()
    assert (info.compiles, info.entries, info.hits, info.misses) == (1, 1, 0, 0)
    agree(f, X, 2.0)
    info = f.cache_info()
    assert (info.compiles, info.hits, info.misses) == (1, 1, 0)


def test_warmup_for_many_types_in_a_row():
    f = jitcore.compile(wave)
    kinds = ("f4", "f8", "c8", "c16", "i4")
    assert [f.warmup(np.ones(9, kind), 2.0) for kind in kinds] == [True] * len(kinds)
    for kind in kinds:
        agree(f, np.ones(9, kind), 2.0)
    assert f.cache_info().compiles == len(kinds)


def test_warmup_says_whether_it_is_all():
    assert jitcore.compile(lambda x: print(x * 2 + 1)).warmup(X) is False
    f = jitcore.compile(lambda x: print(x * 2 + 1), fullgraph=True)
    with pytest.raises(jitcore.GraphBreakError):
        f.warmup(X)
    with jitcore.disable():
        assert jitcore.compile(wave).warmup(X, 1.0) is False


def test_warmup_binds_as_a_call_does():
    scale = 3.0

    def f(a, /, b, c=2.0, *rest, d=4.0, **more):
        inner = [a * scale for _ in range(2)]
        return (lambda: sum(inner) + b * c + d + len(rest) + len(more))()

    f = jitcore.compile(f)
    for args, kwargs in [((X, 1.0), {}), ((X, 1.0, 5.0, 6), {"d": 1.0, "e": 2}), ((X,), {"b": X})]:
        f.warmup(*args, **kwargs)
        before = f.cache_info()
        agree(f, *args, **kwargs)
        assert f.cache_info().compiles == before.compiles, (args, kwargs)
    for args, kwargs in [((), {}), ((X, 1.0), {"a": X, "b": 2}), ((X,), {"c": 1})]:
        with pytest.raises(TypeError):
            f.warmup(*args, **kwargs)


def test_warmup_of_methods_and_generators():
    class Model:
        def __init__(self):
            self.w = X * 2

        @jitcore.compile
        def run(self, x):
            return np.sqrt(x) * self.w + 1

    model = Model()
    assert Model.run.warmup(model, X) is True
    assert model.run(X).tobytes() == (np.sqrt(X) * model.w + 1).tobytes()
    assert Model.run.cache_info().compiles == 1

    @jitcore.compile
    def parts(x):
        y = np.sqrt(x) * 2 + 1
        yield y

    parts.warmup(X)
    before = parts.cache_info().compiles
    assert next(parts(X)).tobytes() == (np.sqrt(X) * 2 + 1).tobytes()
    assert parts.cache_info().compiles == before == 1


def test_warmup_without_arrays():
    f = jitcore.compile(wave)
    assert f.warmup(jitcore.ArraySpec((None, 3)), 2.0) is True
    (one,) = f.cache_info().details
    assert one.sizes["x"][1] == 3 and one.dynamic["x.shape[0]"][0] <= 5
    for n in (5, 50, 500):
        agree(f, np.full((n, 3), 0.3), 2.0)
    assert f.cache_info().compiles == 1


def test_where_jitcore_is_off(monkeypatch):
    f = jitcore.compile(wave)
    f._off = True
    assert f.warmup(X, 1.0) is False
    assert f.cache_info().entries == 0 and f.graphs == ()
    f.cache_clear()
