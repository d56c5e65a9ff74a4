"""Floating-point flags × error states × warning filters: compiled as eager, call by call."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from flags_calls import Sample, function, samples
from flags_observed import FILTERS, STATES, Event, heard, listening, seen

import jitcore

pytestmark = pytest.mark.by_turns

COUNT = 40
SAMPLES = samples()
FLAGS = ("divide", "over", "under", "invalid")

Run = Callable[[Callable[..., Any], list[Event]], None]


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    yield
    jitcore.reset()


def both(
    fn: Callable[..., Any], run: Run, capfd: pytest.CaptureFixture[str] | None = None
) -> list[Event]:
    """What run shows of the function itself and of it compiled; they must agree. NumPy prints
    to the C library's standard error, so that is read from outside."""
    eager: list[Event] = []
    compiled: list[Event] = []
    for one, events in ((fn, eager), (jitcore.compile(fn), compiled)):
        run(one, events)
        if capfd is not None:
            events.append(tuple(capfd.readouterr()))
    for number, (want, got) in enumerate(zip(eager, compiled, strict=False)):
        assert got == want, f"event {number} of {len(eager)}"
    assert len(compiled) == len(eager)
    return eager


def calls(
    fn: Callable[..., Any],
    some: Sequence[tuple[Any, ...]],
    events: list[Event],
    rule: str = "always",
) -> None:
    namespace = getattr(fn, "__globals__", None) or fn.__wrapped__.__globals__
    with listening(rule, namespace, events):
        for args in some:
            seen(fn, args, events)


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_states(sample: Sample, capfd: pytest.CaptureFixture[str]) -> None:
    """One function under one state after the other, and again; clean values between."""
    wild, tame = sample.operands(COUNT), sample.tame(COUNT)

    def run(fn: Callable[..., Any], events: list[Event]) -> None:
        for state in (*STATES, *STATES[:3]):
            with heard(state, events), np.errstate(all=state):
                calls(fn, (wild, tame, wild), events)

    shown = both(sample.fn, run, capfd)
    assert len({event[0] for event in shown} & {"raised", "warning", "call", "log"}) == (
        0 if sample.flag == "none" else 4
    )


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_one_flag_of_four(sample: Sample) -> None:
    """Each flag alone is not ignored: only the sample's own makes a difference."""
    wild = sample.operands(COUNT)

    def run(fn: Callable[..., Any], events: list[Event]) -> None:
        for flag in FLAGS:
            settings: Any = {flag: "raise"}
            with np.errstate(**dict.fromkeys(FLAGS, "ignore")), np.errstate(**settings):
                calls(fn, (wild, wild), events)

    shown = both(sample.fn, run)
    raised = sum(event[0] == "raised" for event in shown)
    assert raised in ((0,) if sample.flag == "none" else (2, 4))  # "over" often comes with "under"


FEW = [s for s in SAMPLES if s.name.endswith((" x / y d", "exp(x) d", "sqrt(x) d", "x // y l"))]


@pytest.mark.parametrize("rule", FILTERS)
@pytest.mark.parametrize("sample", FEW, ids=str)
def test_filters(sample: Sample, rule: str) -> None:
    wild, tame = sample.operands(COUNT), sample.tame(COUNT)

    def run(fn: Callable[..., Any], events: list[Event]) -> None:
        with np.errstate(all="warn"):
            calls(fn, (wild, wild, tame, wild), events, rule)

    shown = both(sample.fn, run)
    assert any(event[0] in ("warning", "raised") for event in shown) == (rule != "ignore")


# ---- forms of programs --------------------------------------------------------------------------

ONE_AFTER_THE_OTHER = """
def f(x, y):
    a = x / y
    b = np.log(x - 1) * 2
    c = np.sqrt(y - 2) + a

    d = np.exp(c * 1e3)
    return a, b, c, d + b
"""

LOOP = """
def f(x, y):
    total = x * 0
    for k in range(4):
        part = x / (y - k)
        total = total + part * 2
    return total
"""

REDUCTIONS = """
def f(x, y):
    a = (x / y).sum()
    b = np.exp(x * 300).mean()
    c = np.sqrt(y - 3).max()
    d = np.add.reduce(np.log(y) * x)
    e = (x / y).std()
    return a, b, c, d, e
"""

ALONG_AXES = """
def f(x, y):
    m = (x / y).reshape(8, 5)
    e = np.exp(m - m.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True), m.mean(axis=0), m.min(axis=0), m.argmax(axis=1)
"""

SUMS = """
def f(x, y):
    big = x * 1e308
    return big.sum(), np.prod(big), big.mean() + np.sum(big * 2), np.cumsum(big)
"""

CAUGHT = """
def f(x, y):
    seen = []
    for k in range(3):
        try:
            seen.append(x / (y - k) + k)
        except FloatingPointError as error:
            seen.append(str(error))
        except RuntimeWarning as error:
            seen.append(repr(error))
    return seen
"""

CALLED = """
def ratio(x, y):
    z = x / y
    return z + 1

def f(x, y):
    return ratio(x, y) * 2, [ratio(x, y - k) for k in range(3)]
"""

GENERATED = """
def parts(x, y):
    for k in range(3):
        yield x / (y - k) * 2

def f(x, y):
    return list(parts(x, y)) + [np.log(y) + 1]
"""

WRITTEN = """
def f(x, y):
    z = x.copy()
    z /= y
    z[1:] += np.log(y[1:]) * z[:-1]
    np.divide(x, y - 1, out=z)
    return z * 2 - x
"""

INSIDE = """
def f(x, y):
    a = x / y + 1
    with np.errstate(divide="ignore", invalid="ignore"):
        b = x / y + a
        c = np.log(y) * b
    d = x / y + 2
    return a, b, c, d
"""

NESTED = """
def f(x, y):
    with np.errstate(all="ignore"):
        a = x / y + 1
        with np.errstate(divide="raise"):
            b = np.sqrt(-y) * 2
            try:
                c = x / y + b
            except FloatingPointError as error:
                c = str(error)
        d = x / y + a
    return a, b, c, d
"""

OF_A_LOOP = """
def f(x, y):
    total = x * 0
    for k in range(4):
        with np.errstate(divide="ignore" if k % 2 else "warn"):
            total = total + np.where(y == k, x, x / (y - k))
    return total / y
"""

DECORATED = """
@np.errstate(divide="ignore", over="raise")
def ratio(x, y):
    z = x / y
    return z * 2 - x

def f(x, y):
    return ratio(x, y) + 1, x / y * 2
"""

SET = """
def f(x, y):
    old = np.seterr(divide="ignore")
    a = x / y + 1
    np.seterr(**old)
    b = x / y + 2
    return a, b, np.geterr()
"""

RETURNED_FROM = """
def f(x, y):
    a = x / y + 1
    with np.errstate(all="ignore"):
        return x / y * a, np.log(y) + a
"""

FORMS = {
    name.lower(): text
    for name, text in list(globals().items())
    if name.isupper() and type(text) is str and "def f(" in text
}


def numbers(dtype: str) -> tuple[Any, Any]:
    return np.arange(40).astype(dtype) % 7, np.arange(40).astype(dtype) % 5


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("how", ["warn", "raise", "mixed", "ignore"])
def test_forms(form: str, how: str, capfd: pytest.CaptureFixture[str]) -> None:
    clean = np.full(40, 7.5), np.full(40, 9.5)
    some = [numbers("d"), numbers("d"), clean, numbers("f"), numbers("l"), numbers("d")]
    mixed: Any = {"divide": "warn", "over": "raise", "under": "ignore", "invalid": "print"}

    def run(fn: Callable[..., Any], events: list[Event]) -> None:
        with np.errstate(**(mixed if how == "mixed" else dict.fromkeys(FLAGS, how))):
            calls(fn, some, events)

    both(function(FORMS[form]), run, capfd)


@pytest.mark.parametrize("form", ["one_after_the_other", "inside", "caught", "reductions"])
@pytest.mark.parametrize("rule", ["default", "once", "error"])
def test_forms_under_filters(form: str, rule: str) -> None:
    def run(fn: Callable[..., Any], events: list[Event]) -> None:
        with np.errstate(all="warn"):
            calls(fn, [numbers("d")] * 3, events, rule)

    both(function(FORMS[form]), run)


# ---- who changes the state ----------------------------------------------------------------------


@contextmanager
def set_to(state: str) -> Iterator[None]:
    old = np.seterr(all=state)  # type: ignore[call-overload]
    try:
        yield
    finally:
        np.seterr(**old)


def test_a_showwarning_that_raises() -> None:
    def run(fn: Callable[..., Any], events: list[Event]) -> None:
        def show(message: Any, *rest: Any) -> None:
            events.append(("shown", str(message), rest[2]))
            raise LookupError(str(message))

        with np.errstate(all="warn"), warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = show
            for args in [numbers("d")] * 3:
                seen(fn, args, events)

    shown = both(function(FORMS["caught"]), run)
    assert any(event[:2] == ("raised", "LookupError") for event in shown)


def test_seterr_between_calls() -> None:
    def run(fn: Callable[..., Any], events: list[Event]) -> None:
        for state in ("warn", "ignore", "raise", "ignore", "warn", "raise"):
            with set_to(state):
                calls(fn, [numbers("d")], events)

    both(function(FORMS["one_after_the_other"]), run)


def test_a_decorator_on_the_compiled_function() -> None:
    def run(fn: Callable[..., Any], events: list[Event]) -> None:
        settings: Any
        for settings in ({"divide": "ignore"}, {"all": "raise"}, {"invalid": "ignore"}):
            inner = np.errstate(**settings)(fn)
            calls(inner, [numbers("d")] * 2, events)

    both(function(FORMS["one_after_the_other"]), run)


def test_a_showwarning_that_changes_the_state() -> None:
    """What the user's own function does while a warning is shown counts for what comes after."""

    def run(fn: Callable[..., Any], events: list[Event]) -> None:
        def show(message: Any, *rest: Any) -> None:
            events.append(("shown", str(message), rest[2]))
            np.seterr(invalid="ignore")

        with np.errstate(all="warn"), warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = show
            for _ in range(3):
                seen(fn, numbers("d"), events)

    both(function(FORMS["one_after_the_other"]), run)


def test_a_handler_that_raises() -> None:
    def run(fn: Callable[..., Any], events: list[Event]) -> None:
        def refuse(kind: str, flag: int) -> None:
            events.append(("handler", kind, flag))
            raise LookupError(kind)

        old = np.seterrcall(refuse)
        try:
            with np.errstate(all="call"):
                calls(fn, [numbers("d")] * 3, events)
        finally:
            np.seterrcall(old)

    shown = both(function(FORMS["one_after_the_other"]), run)
    assert any(event[:2] == ("raised", "LookupError") for event in shown)


@pytest.mark.parametrize("place", [0, 150_000, 299_999])
@pytest.mark.parametrize("sample", FEW, ids=str)
def test_one_element_of_many(sample: Sample, place: int) -> None:
    """Wherever the loop is cut, into chunks or for threads."""
    x, y = sample.tame(300_000)
    for whole, few in ((x, sample.x), (y, sample.y)):
        whole[place] = few[0 if sample.flag != "divide" else 1]

    def run(fn: Callable[..., Any], events: list[Event]) -> None:
        with np.errstate(all="warn"):
            calls(fn, (sample.tame(300_000), (x, y), (x, y)), events)

    shown = both(sample.fn, run)
    assert sum(event[0] == "warning" for event in shown) >= 2


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_a_kernel_was_made(sample: Sample) -> None:
    """And it gave results: else the matrix would compare NumPy with NumPy."""
    compiled: Any = jitcore.compile(sample.fn)
    with np.errstate(all="warn"):
        for _ in range(4):
            compiled(*sample.tame(COUNT))
    assert compiled.cache_info().size and compiled.cache_info().hits >= 2
