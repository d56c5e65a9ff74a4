"""Every example of the documentation runs, and prints what stands under it."""

from __future__ import annotations

from pathlib import Path

import doc_examples
import pytest
from support.compiler import REAL

pytestmark = pytest.mark.skipif(not REAL, reason="the pages are about jitcore.compile")
PAGES = [pytest.param(page, id=page.stem) for page in doc_examples.pages_with_examples()]


@pytest.mark.by_turns
@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page(page: Path) -> None:
    assert not doc_examples.differences(page)


def test_what_is_printed_is_compared() -> None:
    assert doc_examples.same("took 1.2 ms, b", "took 33.25 ms, b")
    assert not doc_examples.same("took 1.2 ms, b", "took 1.2 ms, c")
    assert doc_examples.same("a\n...\nz", "a\nb\nc\nz")
    assert not doc_examples.same("a\n...\nz", "a\nb\nc")


def test_an_example_that_raises_is_told_of(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("A\n\n```python\nx = 1\n```\n\n```python\nprint(x + y)\n```\n")
    with pytest.raises(RuntimeError, match=r"(?s)name 'y'.*page\.md:8"):
        doc_examples.printed_by(page)
