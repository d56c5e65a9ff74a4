"""Tests of many cases × three Pythons → a third of the cases on each.

What a kernel computes does not depend on the Python that runs it, so a module that says
`pytestmark = pytest.mark.by_turns` has its cases dealt out: 3.11 takes the first, 3.12 the second.
A test without cases that says so runs on one of them, by its name. All run with `--all-cases`, and
where a single case is asked for by name.
"""

from __future__ import annotations

import sys
from collections import Counter
from zlib import crc32

import pytest

PYTHONS = 3


def dealt(items: list[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Those whose turn it is, and the others."""
    seen: Counter[tuple[str, str]] = Counter()
    mine: list[pytest.Item] = []
    others: list[pytest.Item] = []
    for item in items:
        if item.get_closest_marker("by_turns") is None:
            mine.append(item)
            continue
        name = getattr(item, "originalname", item.name)
        turn = seen[str(item.path), name] if hasattr(item, "callspec") else crc32(name.encode())
        (mine if (turn - sys.version_info.minor) % PYTHONS == 0 else others).append(item)
        seen[str(item.path), name] += 1
    return mine, others
