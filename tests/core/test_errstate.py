"""np.errstate is inside the graph: one entry, no break, the kernels heeding the block's state only,
and where CPython goes on in a block, its state is NumPy's."""

from __future__ import annotations

import contextvars
import dataclasses
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from compare import KEEP_ALL

import jitcore
from jitcore import _C
from jitcore.attach import attach
from jitcore.ir.errstate import combined, modes, only_warns
from jitcore.ir.interp import interpret
from jitcore.runtime.notify import collect
from jitcore.runtime.records import Region, records
from jitcore.toolchain.abi import ASK_ERRSTATE

IGNORED = {"divide": "ignore", "over": "ignore", "under": "ignore", "invalid": "ignore"}


def silent(x: Any, y: Any) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        return x / y * 2


def around(x: Any, y: Any) -> Any:
    a = x * 2 + 1
    with np.errstate(all="ignore"):
        b = a / y + x
    return b * a + 1


def nested(x: Any, y: Any) -> Any:
    with np.errstate(all="ignore"):
        a = x / y + 1
        with np.errstate(over="warn"):
            b = a * 0.5 + x
        return a / y + b


@np.errstate(all="ignore")
def ratio(x: Any, y: Any) -> Any:
    return x / y * 3


def decorated(x: Any, y: Any) -> Any:
    return ratio(x, y)


def kept(x: Any, y: Any) -> Any:
    state = np.errstate(all="ignore")
    with state:
        return x / y + 1


def caught(x: Any, y: Any) -> Any:
    try:
        with np.errstate(all="ignore"):
            a = x / y + 1
            raise KeyError
    except KeyError:
        return a + y


PROGRAMS = [silent, around, nested, decorated, kept, caught]


def inputs() -> tuple[Any, Any]:
    y = np.linspace(-1.0, 1.0, 21)
    y[10] = 0
    return np.linspace(1.0, 2.0, 21), y


def compiled(fn: Any, fullgraph: bool = True) -> Any:
    return attach(fn, dataclasses.replace(KEEP_ALL, fullgraph=fullgraph))


def entries(fn: Any) -> list[Any]:
    record = records.find(fn.__code__)
    assert record is not None
    return [region.entry for region in record.regions if region.entry]


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_nothing_breaks_and_nothing_fails(fn: Callable[..., Any]) -> None:
    """Each has divisions by zero in its block."""
    x, y = inputs()
    jit = compiled(fn)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            assert jit(x, y).tobytes() == fn(x, y).tobytes()
    (entry,) = entries(fn)
    assert (entry.hits, entry.failures) == (3, 0)
    assert np.geterr() != IGNORED


def masks(fn: Any) -> list[int]:
    jitcore.reset()
    with collect() as found:
        compiled(fn)(*inputs())
    made = [region for region in found if isinstance(region, Region)]
    return [mask for region in made for kernel in region.kernels for mask in [kernel.flag_mask]]


def test_kernels_in_a_block_heed_its_state() -> None:
    everything = _C.flags_heeded(0b001_001_001_001)
    over = _C.flags_heeded(combined(0, {"over": "warn"}))
    assert masks(silent)[0] not in (ASK_ERRSTATE, everything, 0)
    assert masks(decorated) == [0]
    assert set(masks(around)) == {ASK_ERRSTATE, 0}
    assert set(masks(nested)) == {0, over}


def test_a_block_needs_no_frame() -> None:
    jit = compiled(silent)
    for _ in range(3):
        jit(*inputs())
    assert jit._hits == 2


def reports(x: Any, y: Any, told: list[Any]) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        a = x / y + 1
        told.append(eval("np.geterr()"))
        with np.errstate(over="ignore", divide="warn"):
            told.append(eval("np.geterr()"))
            b = a + 1
            told.append(eval("np.geterr()"))
        told.append(eval("np.geterr()"))
    told.append(eval("np.geterr()"))
    return b


def test_cpython_finds_the_state_of_the_block_wherever_it_goes_on() -> None:
    x, y = inputs()
    wanted: list[Any] = []
    reports(x, y, wanted)
    jit = compiled(reports, fullgraph=False)
    for _ in range(3):
        told: list[Any] = []
        jit(x, y, told)
        assert told == wanted


def stores(x: Any, y: Any, out: Any) -> Any:
    with np.errstate(divide="warn", invalid="ignore", over="ignore"):
        out[1:-1] = x[1:-1] * 2
        a = x / y + 1
    return a, out.max()


def test_a_window_that_begins_in_a_block_and_fails() -> None:
    """CPython repeats what comes after the store, in the block's state, and warns once."""
    x, y = inputs()
    jit = compiled(stores)
    before = np.geterr()
    for _ in range(3):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            jit(x, y, np.zeros(21))
        assert [str(one.message) for one in told] == ["divide by zero encountered in divide"]
        assert told[0].lineno == stores.__code__.co_firstlineno + 3
        assert np.geterr() == before
    (entry,) = [one for one in entries(stores) if one.failures]
    assert entry.failures == 3


def looks(x: Any, told: Any) -> Any:
    with np.errstate(all="ignore"):
        y = x / 0 + 1
        told.append(y)
        return eval("np.geterr()"), eval("np.geterrcall()")


def test_the_call_that_was_set_stays_set_in_the_block() -> None:
    def call(kind: str, flag: int) -> None:
        raise AssertionError

    jit = compiled(looks, fullgraph=False)
    x = np.ones(4)
    for errcall in (None, call, None):
        old = np.seterrcall(errcall)
        try:
            assert jit(x, []) == (IGNORED, errcall)
        finally:
            np.seterrcall(old)


def test_in_a_context_of_its_own_nothing_leaks() -> None:
    jit = compiled(looks, fullgraph=False)
    for _ in range(3):
        found = contextvars.copy_context().run(jit, np.ones(4), [])
        assert found[0] == IGNORED
        assert np.geterr() != IGNORED


def both_sides(x: Any, y: Any) -> Any:
    with np.errstate(divide="ignore"):
        a = x / y
    return a, x / y, np.add(x, y)


def test_a_back_end_of_the_users_computes_under_the_state_of_the_block() -> None:
    def backend(graph: Any, inputs: Any) -> Any:
        return lambda *args: interpret(graph, *args)

    jitcore.register_backend("interpreted", backend)
    jit = attach(both_sides, dataclasses.replace(KEEP_ALL, backend="interpreted"))
    told: list[Any] = []
    for fn in (both_sides, jit, jit, jit):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fn(*inputs())
        told.append([str(one.message) for one in caught])
    assert told == [["divide by zero encountered in divide"]] * 4
    (entry,) = entries(both_sides)
    assert (entry.hits, entry.failures) == (3, 0)


def test_kernels_that_are_compiled_later_heed_the_same_state() -> None:
    jitcore.reset()
    jit = attach(silent, dataclasses.replace(KEEP_ALL, compiling="background"))
    x, y = inputs()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(12):
            assert jit(x, y).tobytes() == silent(x, y).tobytes()
        assert jitcore.wait(60)
        for _ in range(12):
            assert jit(x, y).tobytes() == silent(x, y).tobytes()
    (entry,) = entries(silent)
    assert entry.failures == 0


@pytest.mark.parametrize("mode", ["raise", "call", "print", "log"])
def test_other_states_are_left_to_cpython(mode: str) -> None:
    def fn(x: Any) -> Any:
        with np.errstate(divide=mode):
            return x + 1

    found = jitcore.explain(jitcore.compile(fn))(np.ones(3))
    assert "J110" in {stop.code for stop in found.breaks}


def silent_within(x: Any, y: Any) -> Any:
    a = x * 2 + 1
    with np.errstate(all="ignore"):
        b = a / y + 1
        c = b * 3 - 1
    return c + a * 2, a


def strict_within(x: Any, y: Any) -> Any:
    a = x * 2 + 1
    with np.errstate(all="raise"):
        b = a * 3 + 1
        if b is x:
            return b
    return b - x * 2, a


@pytest.mark.parametrize(
    ("fn", "outer", "pieces"),
    [(silent_within, "raise", 1), (strict_within, "warn", 2), (silent_within, "warn", 1)],
)
def test_where_errors_are_raised_only_that_piece_is_cpythons(
    fn: Callable[..., Any], outer: Any, pieces: int
) -> None:
    """Inside of a block that ignores them, and after one that raises, all is compiled."""
    jitcore.reset()
    x, y = inputs()
    jit = compiled(fn, fullgraph=False)
    with np.errstate(all=outer):
        for _ in range(6):
            for got, want in zip(jit(x, y), fn(x, y), strict=True):
                assert got.tobytes() == want.tobytes()
        record = records.find(fn.__code__)
        assert record is not None
        ran = [r for r in record.regions if r.kernels and r.entry and r.entry.hits > 2]
        assert len(ran) == pieces
        if outer == "raise":
            with pytest.raises(FloatingPointError):
                jit(x * 1e308, y)


@pytest.mark.parametrize("code", [0, 0o1111, 0o1011, 0o0100])
def test_codes_are_numpys(code: int) -> None:
    with np.errstate(**modes(code)):
        assert _C.errstate_code() == code
        with np.errstate(over="ignore", invalid="warn"):
            assert _C.errstate_code() == combined(code, {"over": "ignore", "invalid": "warn"})
    assert only_warns(code)
    assert not only_warns(code | 0o20)
