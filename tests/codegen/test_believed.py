"""Good answers are kept; that there is none is believed for a while only."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from types import FunctionType

import numpy as np
import pytest

import jitcore
from jitcore.config import Config
from jitcore.runtime.notify import collect
from jitcore.runtime.records import Region
from jitcore.toolchain import cache, retry_cache, selftest
from jitcore.toolchain import compiler as toolchain
from jitcore.toolchain.abi import SYMBOL
from jitcore.toolchain.c_source import CSource
from jitcore.toolchain.retry_cache import FIRST, LAST, Believed


class Monotonic:
    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Monotonic:
    found = Monotonic()
    monkeypatch.setattr(retry_cache, "time", found)
    return found


class Source:
    """Gives `answer`, and counts."""

    def __init__(self, answer: str | None = None) -> None:
        self.answer, self.asked = answer, 0

    def __call__(self, key: str) -> str | None:
        self.asked += 1
        return self.answer


def test_an_answer_is_kept(clock: Monotonic) -> None:
    source = Source("yes")
    ask = Believed(source)
    assert [ask("a"), ask("a"), ask("b")] == ["yes"] * 3
    clock.now += 10 * LAST
    assert ask("a") == "yes"
    assert source.asked == 2


def test_none_is_asked_again_each_time_after_twice_as_long(clock: Monotonic) -> None:
    source = Source()
    ask = Believed(source)
    patience = FIRST
    for count in range(1, 12):
        assert ask("a") is None and ask("a") is None
        assert source.asked == count
        clock.now += patience - 1
        assert ask("a") is None and source.asked == count
        clock.now += 1
        patience = min(LAST, 2 * patience)
    source.answer = "yes"
    assert ask("a") == "yes"
    source.answer = None
    assert ask("a") == "yes"


def test_each_question_has_a_time_of_its_own(clock: Monotonic) -> None:
    source = Source()
    ask = Believed(source)
    ask("a")
    clock.now += FIRST / 2
    ask("b")
    clock.now += FIRST / 2
    source.answer = "yes"
    assert ask("a") == "yes"
    assert ask("b") is None


def test_errors_are_not_kept(clock: Monotonic) -> None:
    def fails(key: str) -> str | None:
        raise KeyError(key)

    ask = Believed(fails)
    for _ in range(2):
        with pytest.raises(KeyError):
            ask("a")


def test_no_more_answers_are_kept_than_asked_for(clock: Monotonic) -> None:
    source = Source("yes")
    ask = Believed(source, 2)
    for key in "abca":
        ask(key)
    assert source.asked == 4


def test_all_is_forgotten(clock: Monotonic) -> None:
    source = Source()
    ask = Believed(source)
    ask("a")
    ask.cache_clear()
    source.answer = "yes"
    assert ask("a") == "yes"


# ---- kernels and compilers ----------------------------------------------------------------------

SOURCE = CSource(f"""__attribute__((visibility("default")))
int {SYMBOL}(char *const *p, const long *dim, const long *step, const void *loop)
{{ return 7; }}""")


def full(*args: object, **kwargs: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.fixture
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with caplog.at_level(logging.CRITICAL, "jitcore"):
        yield


def test_a_kernel_is_tried_again(
    fresh: Config, compiler: object, clock: Monotonic, quiet: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cache.compiler_for("", "", fresh.cache_dir, "exact") is not None
    with monkeypatch.context() as patch:
        patch.setattr(cache, "build", full)
        assert cache.library(SOURCE, fresh) is None
    assert cache.library(SOURCE, fresh) is None
    clock.now += FIRST
    assert cache.library(SOURCE, fresh) is not None


def test_a_compiler_is_tried_again(
    fresh: Config, compiler: object, clock: Monotonic, quiet: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    selftest.tried.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(selftest, "build_all", full)
        assert selftest.chosen("", "", fresh.cache_dir) is None
    assert selftest.chosen("", "", fresh.cache_dir) is None
    clock.now += FIRST
    assert selftest.chosen("", "", fresh.cache_dir) is not None


def test_what_is_compiled_later_has_kernels_again(
    compiler: toolchain.Compiler, clock: Monotonic, quiet: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process does not stay with NumPy's calls for good."""

    def fn(x: np.ndarray) -> np.ndarray:
        return (x * 3.25 + 11.5) * x - 7.75

    def kernels() -> int:
        other = FunctionType(fn.__code__.replace(), fn.__globals__)  # not compiled so far
        with collect() as found:
            jitcore.compile(other)(np.ones(50))
        regions = [one for one in found if isinstance(one, Region)]
        return sum(len(region.kernels) for region in regions)

    cache.loaded.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(cache, "build", full)
        patch.setattr(cache, "from_disk", lambda *args: None)
        assert kernels() == 0
        assert kernels() == 0
    assert kernels() == 0
    clock.now += FIRST
    assert kernels() == 1


def test_after_a_reset_it_is_tried_at_once(
    fresh: Config, compiler: object, clock: Monotonic, quiet: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(cache, "build", full)
        assert cache.library(SOURCE, fresh) is None
    jitcore.reset()
    assert cache.library(SOURCE, fresh) is not None
