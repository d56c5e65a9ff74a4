"""The program's warnings.filters, while a row of ours comes and goes."""

from __future__ import annotations

import copy
import pickle
import re
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from jitcore import _C
from jitcore.host.warning_filter import filters, hushed
from jitcore.verify.warning_recorder import Heard


@pytest.fixture(autouse=True)
def shown(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What the program would see."""
    texts: list[str] = []
    with warnings.catch_warnings():
        warnings.resetwarnings()
        warnings.simplefilter("always")
        monkeypatch.setattr(warnings, "showwarning", lambda message, *_: texts.append(str(message)))
        yield texts


class Slow:
    """A program's own pattern, in Python: other threads run while it is asked."""

    def __init__(self) -> None:
        self.asked, self.go = threading.Event(), threading.Event()

    def match(self, text: str) -> bool:
        self.asked.set()
        assert self.go.wait(10)
        return False


class Never:
    def match(self, text: str) -> bool:
        return False


def put(*row: Any) -> None:
    rows: Any = warnings.filters
    rows.insert(0, row)


@pytest.mark.parametrize("listens", [False, True])
def test_another_thread_between_two_rows_passes_over_none(shown: list[str], listens: bool) -> None:
    slow = Slow()
    put("ignore", None, UserWarning, None, 0)
    put("ignore", slow, Warning, None, 0)
    thread = threading.Thread(target=warnings.warn, args=("ignored",))

    def meanwhile() -> None:
        thread.start()
        assert slow.asked.wait(10)

    if listens:
        heard = Heard(drops=True)
        heard.begin()
        meanwhile()
        heard.end()
    else:
        with hushed("ignore"):
            meanwhile()
    slow.go.set()
    thread.join()
    assert shown == []


def test_a_row_that_has_to_stay_is_deaf_and_used_again(shown: list[str]) -> None:
    put("ignore", Never(), Warning, None, 0)
    before = len(warnings.filters)
    for _ in range(20):
        with hushed("ignore"):
            warnings.warn("ours", stacklevel=1)
        warnings.warn("the program's", stacklevel=1)
        with hushed("ignore"), hushed("error"), pytest.raises(UserWarning, match="raised"):
            warnings.warn("raised", stacklevel=1)
        with hushed("ignore"), hushed("ignore"):
            warnings.warn("ours", stacklevel=1)
    assert shown == 20 * ["the program's"]
    assert len(warnings.filters) <= before + 4
    del warnings.filters[:]


def test_a_row_of_plain_filters_goes(shown: list[str]) -> None:
    warnings.filterwarnings("ignore", "a text", RuntimeWarning, "a module")
    before = [*warnings.filters]
    with hushed("ignore"), hushed("error"):
        assert len(warnings.filters) == len(before) + 2
    heard = Heard(drops=False)
    heard.begin()
    heard.end()
    heard.end()
    assert [*map(id, warnings.filters)] == [*map(id, before)]


def test_other_threads_are_not_hushed(shown: list[str]) -> None:
    thread = threading.Thread(target=warnings.warn, args=("theirs",))
    with hushed("ignore"):
        warnings.warn("ours", stacklevel=1)
        thread.start()
        thread.join()
    assert shown == ["theirs"]


def test_a_catch_warnings_that_begins_meanwhile_keeps_nothing_of_it(shown: list[str]) -> None:
    before = [*warnings.filters]
    inner = warnings.catch_warnings()
    with hushed("ignore"):
        inner.__enter__()
    warnings.warn("inside", stacklevel=1)
    inner.__exit__(None, None, None)
    assert shown == ["inside"]
    assert warnings.filters == before


def test_a_catch_warnings_that_ends_meanwhile_brings_nothing_back(shown: list[str]) -> None:
    before = [*warnings.filters]
    heard = Heard(drops=True)
    with warnings.catch_warnings():
        heard.begin()
        with warnings.catch_warnings():
            pass
    heard.end()
    warnings.warn("after", stacklevel=1)
    assert shown == ["after"]
    assert warnings.filters == before


def test_texts_have_the_line_that_warns(shown: list[str]) -> None:
    heard = Heard(drops=False)
    heard.begin()
    line = warnings_at()
    heard.end()
    assert heard.texts == [("first", line + 1), ("second", line + 2)]
    other = Heard(drops=True)
    other.begin()
    warnings.warn("third", stacklevel=1)
    other.end()
    assert heard.texts == [("first", line + 1), ("second", line + 2)]
    assert [text for text, _ in other.texts] == ["third"]
    assert shown == ["first", "second"]


def warnings_at() -> int:
    line = warnings_at.__code__.co_firstlineno + 1
    warnings.warn("first", stacklevel=1)
    warnings.warn("second", stacklevel=1)
    return line


def test_what_is_no_row_of_ours_is_refused() -> None:
    with pytest.raises(TypeError, match="ear_begin"):
        _C.ear_end([], ("ignore", None, Warning, None, 0), None)


def test_others_may_make_the_rows_anew_meanwhile() -> None:
    """As scikit-learn does for the threads and processes of its workers."""
    rows = filters()
    before = list(rows)
    with hushed("ignore"):
        action, ear, category, module, line = rows[0]
        copies = [pickle.loads(pickle.dumps(ear)), copy.deepcopy(ear)]
    assert rows == before
    for found in (ear, *copies, re.compile(ear.pattern, ear.flags)):
        assert found.pattern == "(?!)" and found.match("any text") in (None, False)
    assert all(type(each) is re.Pattern for each in copies)
    assert (action, category, module, line) == ("ignore", Warning, None, 0)
