"""Tuples, lists, dicts, sets: made, read, changed, unpacked, iterated."""

import collections
import copy
import itertools

import numpy as np
from support.arrays import f4, f8
from support.program import program

Point = collections.namedtuple("Point", "x y")


@program(lambda: (f8(3), 2), lambda: (f8(4), 2.0))
def tuples(x, k):
    t = (x, k, x * k)
    a, b, c = t
    return t[0] + c, t[-1], t[1:], len(t), t + (1,), (k,) * 3, b


@program(lambda: ((f8(3), 2.0),), lambda: ((f4(3), 2.0),), lambda: ((f8(3), 2.0, 1),))
def tuple_argument(t):
    a, b, *rest = t
    return a * b, rest


@program(lambda: ([1, 2, 3],), lambda: ([1],), lambda: ([],))
def starred_assignment(items):
    first, *middle, last = items
    return first, middle, last


@program(lambda: (f8(3),))
def nested_unpacking(x):
    (a, (b, c)), *d = (x, (1, 2)), 3, 4
    return a + b, c, d


@program(lambda: (f8(3),))
def swap(x):
    a, b, c = x, x * 2, 3
    a, b, c = b, c, a
    return a, b, c


@program(lambda: (f8(3),))
def lists(x):
    items = [x, 1]
    items.append(x * 2)
    items.extend([4, 5])
    items.insert(0, "first")
    items[1] = 0
    last = items.pop()
    items += [6]
    items.reverse()
    return items, last, items.index(4), len(items), items.count(6)


@program(lambda: ([f8(2), f8(2)],), lambda: ([1],))
def list_argument_is_changed(items):
    items.append(items[0] * 2)
    items[0] = None
    items.insert(1, len(items))
    return items


@program(lambda: ([3, 1, 2], [0]), lambda: ([5], [1, 2]))
def list_methods_on_arguments(a, b):
    a.sort()
    b.extend(a)
    del a[0]
    a[:] = b[1:]
    b *= 2
    return a + b


@program(lambda: ([1, 2, 3], 5), lambda: ([1, 2, 3], 2), lambda: ([], 0))
def list_index_error(items, i):
    return items[i]


@program(lambda: ([],), lambda: ([1],))
def pop_from_empty(items):
    return items.pop()


@program(lambda: (f8(3),))
def list_aliasing(x):
    a = [x]
    b = a
    c = a[:]
    b.append(1)
    return a, c, a is b, [a, a]


@program(lambda: (f8(3),))
def list_multiplied_holds_the_same(x):
    rows = [[0] * 2] * 2
    rows[0][0] = 5
    arrays = [x] * 2
    arrays[0] += 1
    return rows, arrays


@program(lambda: (f8(3),))
def dicts(x):
    d = {"a": x, "b": 2}
    d["c"] = d["a"] * d["b"]
    d.update(e=5)
    d.setdefault("b", 9)
    gone = d.pop("b")
    del d["e"]
    return d, gone, list(d), "a" in d, d.get("zz"), d.get("zz", 1), len(d)


@program(
    lambda: ({"w": f8(3), "b": 1.0},),
    lambda: ({"b": 1.0, "w": f8(3)},),
    lambda: ({"w": f4(2), "b": 2},),
)
def dict_argument(params):
    params["w"] = params["w"] - 0.1
    params["n"] = params.get("n", 0) + 1
    return params["w"] * params["b"]


@program(lambda: ({"w": f8(3)},), lambda: ({},))
def key_error(params):
    return params["w"] + params["b"] if len(params) > 5 else params["missing"]


@program(lambda: ({"b": 1, "a": 2},), lambda: ({},), lambda: ({1: 1.5, 2: 2},))
def dict_iteration(d):
    total = 0
    for key in d:
        total += d[key]
    pairs = [(k, v) for k, v in d.items()]
    return total, pairs, list(d.values()), sorted(d, key=str), {**d, "z": 0}, d | {"y": 1}


@program(lambda: ({"a": 1},))
def dict_changed_while_iterated_raises(d):
    for key in d:
        d[key + "x"] = 1
    return d


@program(lambda: ([3, 1, 3],), lambda: ([],))
def sets(items):
    s = set(items)
    s.add(7)
    s.discard(3)
    s |= {1, 2}
    return s, s & {1}, s - {1}, 1 in s, frozenset(s), {1, 2} <= s, sorted(s)


@program(lambda: ({1, 2},), lambda: (set(),))
def set_argument_is_changed(s):
    s.add(5)
    s.update([6, 7])
    return len(s)


@program(lambda: (f8(3),))
def unhashable_raises(x):
    return {x: 1}


@program(lambda: ([1, [2]],), lambda: ((1, 2),))
def unhashable_list_in_a_set(items):
    return {*items}


@program(lambda: (f8(4), 3), lambda: (f8(4), 0))
def comprehensions(x, n):
    a = [x * i for i in range(n)]
    b = {i: i * i for i in range(n) if i % 2}
    c = {i // 2 for i in range(n)}
    d = [(i, j) for i in range(n) for j in range(i)]
    return a, b, c, d


@program(lambda: (f8(4),))
def comprehension_scope(x):
    i = 10
    a = [i for i in range(3)]
    b = [y + i for y in a]
    return i, b, [[i * j for j in range(2)] for i in range(2)], x * i


@program(lambda: (f8(4), 3))
def generator_expressions(x, n):
    return (
        sum(i * i for i in range(n)),
        list(x[i] for i in range(n)),
        max(v for v in x),
        any(v > 3 for v in x),
    )


@program(lambda: (f8(4),))
def lazy_generator_expression(x):
    k = 1
    g = (v * k for v in x)
    k = 2
    return list(g), tuple(g)


@program(lambda: (f8(3),))
def walrus(x):
    if (n := len(x)) > 2:
        y = (z := x * n) + z
    else:
        y = z = x
    return y, z, [w := 5, w + 1], [last := i for i in range(3)], last


@program(lambda: (f8(3), 2.5), lambda: (f8(4), 1 / 3), lambda: (f8(3), "txt"))
def f_strings(x, k):
    name = "k"
    return f"{name}={k!r:>10}|{len(x):04d}|{k}" + f"{{}}{x.shape} {k=}"


@program(lambda: ("hello world", 3), lambda: ("", 0))
def strings(s, n):
    return (
        s.upper(),
        s[:n],
        s * n,
        s.split(),
        " ".join([s, "x"]),
        s + str(n),
        "%s-%d" % (s, n),
        s.find("o"),
        n * "ab",
    )


@program(lambda: (b"abc", bytearray(b"xyz")))
def bytes_and_bytearrays(b, a):
    a[0] = 65
    a.extend(b)
    return b + b"d", b[0], b[1:], a, b.hex()


@program(lambda: (f8(3),))
def del_items_and_names(x):
    d = {"a": 1, "b": 2}
    items = [1, 2, 3]
    y = x * 2
    z = y
    del d["a"], items[0], y
    return d, items, z


@program(lambda: (f8(3), True), lambda: (f8(3), False))
def deleted_name_is_unbound(x, drop):
    y = x * 2
    if drop:
        del y
    return y


@program(lambda: (1, 2, 3), lambda: (3, 2, 1), lambda: (2, 2, 2))
def chained_comparison(a, b, c):
    return a < b < c, a == b == c, a <= b > c, 0 < a < 10


@program(lambda: (f8(3), None), lambda: (f8(3), 1), lambda: (None, None))
def identity_and_membership(x, y):
    return x is None, y is not None, y in (None, 1), 3 not in [1, 2], "a" in {"a": 1}, x is x


@program(lambda: (3,), lambda: (300,), lambda: (-1,))
def ranges(n):
    r = range(n)
    return len(r), list(r[::2])[:5], sum(r), 2 in r, list(range(5, 0, -2)), r == range(n)


@program(lambda: (f8(3), [1, 2, 3]), lambda: (f8(2), [4, 5]))
def builtins_over_iterables(x, items):
    return (
        list(zip(items, x)),
        list(enumerate(items, 1)),
        list(map(lambda a, b: a * b, items, x)),
        list(filter(None, [0, 1, 2])),
        list(reversed(items)),
        sorted(items, reverse=True),
        min(items),
        max(items, key=lambda v: -v),
        sum(items),
        any(items),
        all(items),
        [*items, *x],
    )


@program(lambda: ([1, 2], [1, 2, 3]), lambda: ([1], [2]))
def strict_zip(a, b):
    return list(zip(a, b, strict=True))


@program(lambda: (f8(3),))
def iterators_that_escape(x):
    return zip(x, [1, 2]), map(abs, x), enumerate(x), iter([1, 2]), (v for v in x), reversed([1, 2])


@program(lambda: (iter([1, 2, 3]),), lambda: (iter([]),))
def iterator_argument_is_advanced(it):
    first = next(it, None)
    return first, list(it)


@program(lambda: (iter([1]),))
def stop_iteration_leaves(it):
    next(it)
    return next(it)


@program(lambda: (Point(f8(3), 2),), lambda: (Point(f8(2), 3.0),))
def named_tuples(p):
    q = p._replace(y=p.y + 1)
    a, b = q
    return q, p.x * p.y, a * b, q._asdict(), Point(1, y=2), p == p


@program(lambda: (5,), lambda: (2,))
def itertools_functions(n):
    return (
        list(itertools.chain([1], range(n))),
        list(itertools.accumulate(range(n))),
        list(itertools.islice(itertools.count(3), n)),
        list(itertools.product([1, 2], repeat=2)),
        list(itertools.pairwise(range(n))),
        list(itertools.combinations(range(3), 2)),
    )


@program(lambda: ([1, 2, 2, 3],), lambda: ([],))
def collections_types(items):
    counts = collections.Counter(items)
    d = collections.defaultdict(list)
    for i in items:
        d[i % 2].append(i)
    q = collections.deque(items, maxlen=3)
    q.append(9)
    q.rotate(1)
    return counts, d, q, collections.OrderedDict(a=1)


@program(lambda: (f8(3),))
def deep_and_shallow_copies(x):
    a = {"x": x, "l": [x]}
    b = copy.copy(a)
    c = copy.deepcopy(a)
    x += 1
    return b, c


@program(lambda: (f8(4), 3))
def comprehension_hides_a_shared_variable(x, k):
    made = {k: np.piecewise(x, [x > 0], [1.0]) for k in (2,)}

    def change():
        nonlocal k
        k += 1

    change()
    return made, k
