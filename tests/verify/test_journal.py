"""What a rehearsal wrote is undone to its end, whatever fails meanwhile."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jitcore.verify import journal


def written() -> tuple[Any, list[int], journal.Journal]:
    """As an entry leaves them."""
    x, items = np.arange(4.0), [1, 2]
    kept = journal.kept((x, items), writes=True)
    x[1] = 7.0
    items[0] = 9
    return x, items, kept


def test_memory_that_is_out_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    """It went on for ever."""
    x, items, kept = written()

    def bits(_: Any) -> Any:
        raise MemoryError("none left")

    monkeypatch.setattr(journal, "bits", bits)
    with pytest.raises(MemoryError, match="none left"):
        kept.undone()
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0] and items == [1, 2]


def test_handlers_that_raise_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    x, items, kept = written()
    raising = [KeyboardInterrupt("second"), KeyboardInterrupt("first")]
    right = journal.bits

    def bits(value: Any) -> Any:
        if raising:
            raise raising.pop()
        return right(value)

    monkeypatch.setattr(journal, "bits", bits)
    with pytest.raises(KeyboardInterrupt, match="second"):
        kept.undone()
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0] and items == [1, 2]
    assert kept.changed
