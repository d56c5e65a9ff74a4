"""The smallest programs of what fuzzing found: the same, eager and compiled, call by call."""

from __future__ import annotations

import functools

import pytest
from fuzzing.compare import compare

import jitcore

PROGRAMS = {
    "a name in a loop is deleted twice": """
def f(x):
    for _ in range(30):
        del x
CALLS = [lambda: (1,)]
""",
    "a name that nobody looks at is missing": """
def f(x, n):
    for i in range(n):
        x
        if i == 2:
            del x
CALLS = [lambda: (1, 30), lambda: (1, 2)]
""",
    "a cell that nobody looks at is empty": """
def f(x, n):
    def g():
        return x
    for i in range(n):
        x
        if i == 2:
            del x
    return g
CALLS = [lambda: (1, 30), lambda: (1, 2)]
""",
    "a cell in a loop is deleted twice": """
def f(x):
    def g():
        return x
    for _ in range(30):
        del x
    return g
CALLS = [lambda: (1,)]
""",
    "a number's attribute is not a method": """
def f(k):
    if k.real:
        print('real')
    return 0 .real or 0.0.imag, k.imag and 1
CALLS = [lambda: (0,), lambda: (0.0,)]
""",
    "a global that nobody looks at is missing": """
G = 1
def f(n):
    global G
    for i in range(n):
        G
        if i == 2:
            del G
    G = 1
CALLS = [lambda: (30,), lambda: (2,)]
""",
    "a number without the attribute": """
def f(k):
    for q in (k,):
        assert q.size, 'size'
CALLS = [lambda: (2,), lambda: (2.5,)]
""",
    "a scalar's method is not the array's": """
import numpy as np
def f(x):
    for p in x:
        p.sort()
CALLS = [lambda: (np.arange(3),)]
""",
    "in-place operator with an operand that does not fit": """
import numpy as np
def f(x):
    v = 2 < x
    v += 'text'
CALLS = [lambda: (np.arange(3.0),)]
""",
    "operators of numbers that do not fit": """
def f(k):
    try:
        k |= k > 1
    except TypeError as e:
        print(e)
    return k << 2
CALLS = [lambda: (1.5,), lambda: (3,)]
""",
    "in-place shift of floats": """
import numpy as np
def f(x):
    v = x * 2
    v <<= x
CALLS = [lambda: (np.arange(3.0),)]
""",
    "a dead operation whose Python int does not fit": """
import numpy as np
def f(x, k):
    dead = x - k
    return x
CALLS = [lambda: (np.arange(3, dtype='u1'), 2), lambda: (np.arange(3, dtype='u1'), -3)]
""",
    "a complex comparison warns": """
import numpy as np
def f(x):
    dead = np.less_equal(x, x)
    print('said')
    return x >= 1j
CALLS = [lambda: (np.array([1, np.nan, 2j]),)]
""",
    "a Python float that overflows the dtype": """
import numpy as np
def f(x, k):
    dead = np.copysign(x, k)
    return x < 2 * k
CALLS = [lambda: (np.ones(3, 'f4'), 1.0), lambda: (np.ones(3, 'f4'), 1e300)]
""",
    "a method of a list, with other stack layouts": """
import numpy as np
def f(told, n):
    for i in range(n):
        told.append((type(told).__name__, str(np.pi), i))
    return told
CALLS = [lambda: ([], 30), lambda: ([1], 3)]
""",
}


@pytest.mark.parametrize("backend", ["numpy", "c"])
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_program(text: str, backend: str) -> None:
    verdict = compare(text, functools.partial(jitcore.compile, backend=backend))
    assert verdict.difference is None, str(verdict.difference)
