"""Builtins called with arguments that they do not take: CPython's own TypeError."""

import functools
import operator

from support.arrays import f8
from support.program import scenario

CALLS = """
any([True], [False])
all([True], [False])
sum([1], 2, 3)
sum([1], foo=1)
sum([1], 1, start=2)
sum(['a'], '')
next(iter([1]), 2, 3)
isinstance(1, int, 2)
isinstance(1)
callable(len, 1)
bool(1, 2)
bool(x=1)
list(zip([1], [2], foo=True))
list(enumerate([1], 1, 2))
hasattr(x, 'shape', 1)
type(x, foo=1)
abs(-1, 2)
list(filter(None, [1], [2]))
sorted([2, 1], [3])
list(reversed([1], [2]))
tuple([1], [2])
set([1], [2])
dict([('a', 1)], [('b', 2)])
getattr(x, 'shape', 1, 2)
len([1], [2])
operator.add(1)
functools.reduce(operator.add, [1], 2, 3)
[1].append()
[1].insert(1.5, 2)
{}.get()
[1].pop(0, 0)
""".split("\n")[1:-1]


@scenario
def bad_arguments(jit):
    for text in CALLS:
        space = {"functools": functools, "operator": operator}
        exec(f"def f(x):\n    y = x + 1\n    return y, {text}", space)
        g = jit(space["f"])
        for _ in range(2):
            try:
                yield g(f8(3))
            except TypeError as error:
                yield error
