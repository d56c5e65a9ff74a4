"""What NumPy makes of many elements is foretold by asking it about fewer."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from arrays import check

from jitcore.ir import OPS
from jitcore.ir.types import fresh
from jitcore.ir.value import Value


def zeros(*shape):
    return np.zeros(shape, np.uint8)


MANY = {
    "joined": ("concatenate", ([zeros(300, 200), zeros(500, 200)],), {}),
    "joined along another axis": ("concatenate", ([zeros(300, 200), zeros(300, 7)],), {"axis": 1}),
    "joined as one row": ("concatenate", ([zeros(300, 200), zeros(17, 3)],), {"axis": None}),
    "of one length, and of one more": ("concatenate", ([zeros(300, 200), zeros(301, 200)],), {}),
    "stacked": ("stack", ([zeros(300, 200), zeros(300, 200)],), {"axis": -1}),
    "columns": ("column_stack", ([zeros(70_000), zeros(70_000, 20)],), {}),
    "in depth": ("dstack", ([zeros(40_000), zeros(40_000)],), {}),
    "side by side": ("hstack", ([zeros(50_000), zeros(19), zeros(18), zeros(20)],), {}),
    "moved": ("roll", (zeros(300, 200), 5), {}),
    "moved along an axis": ("roll", (zeros(17, 18, 300), -1), {"axis": 1}),
    "several times": ("tile", (zeros(300, 200), (2, 1, 3)), {}),
    "each some times": ("repeat", (zeros(300, 200), 2), {"axis": 0}),
    "that do not fit": ("concatenate", ([zeros(300, 200), zeros(300, 201)],), {}),
    "that have another rank": ("concatenate", ([zeros(300, 200), zeros(60_000)],), {}),
}


@pytest.mark.parametrize(("name", "args", "words"), MANY.values(), ids=MANY.keys())
def test_of_many_elements(name, args, words):
    assert check(OPS[name], args, **words)


def test_of_more_than_there_is_time_for():
    """Even of no size it would take NumPy days to move them one by one."""
    n = 1 << 44
    a, b = Value(fresh(np.dtype("f8"), (n, 3))), Value(fresh(np.dtype("f8"), (n + 5, 3)))
    assert OPS["concatenate"].infer(([a, b],), {}).shape == (2 * n + 5, 3)
    assert OPS["roll"].infer((a, 1), {}).shape == (n, 3)
    assert OPS["stack"].infer(([a, a],), {"axis": 1}).shape == (n, 2, 3)
