"""Nobody searches in emitted C; who does is found, and so is a permission that nobody needs."""

from pathlib import Path

import check_c_text
import pytest


def test_the_tree_searches_nowhere() -> None:
    package = check_c_text.PACKAGE
    assert [*check_c_text.complaints(package), *check_c_text.unused(package)] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import re\n", ["re"]),
        ("from re import compile\n", ["re"]),
        ("head, _, rest = line.partition('@')\n", ["partition"]),
        ("n = source.count('RT_INDEPENDENT')\n", ["count"]),
        ("n = writes.count(None)\n", []),
        ("selects = 'rt_select' in code\n", ["'rt_select' in"]),
        ("plain = 'goto bad' not in line\n", ["'goto bad' in"]),
        ("half = 'e' in (one.char, other.char)\n", []),
        ("text = text.replace('T', kind)\n", []),
    ],
)
def test_what_is_a_search(text: str, found: list[str], tmp_path: Path) -> None:
    path = tmp_path / "kernels" / "some.py"
    path.parent.mkdir()
    path.write_text(text)
    assert [what for _, what in check_c_text.searches(path)] == found
    assert len([*check_c_text.complaints(tmp_path)]) == len(found)
