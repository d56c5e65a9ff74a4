"""Programs of one idea each: the language inside a graph, and what breaks in it."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import math
import operator
from functools import partial

import numpy as np

X = lambda: np.linspace(-1, 2, 12)
M = lambda: np.arange(12.0).reshape(3, 4)
PROGRAMS = []


def program(*makers):
    def register(fn):
        PROGRAMS.append((fn, makers))
        return fn

    return register


@program(X, X)
def arith(x, y):
    return x * 2 + y / 3 - x**2, -x, abs(y), x % 2, x // 0.5


@program(X)
def unpack(x):
    a, b = x + 1, x * 2
    a, b = b, a
    c, *d = [a, b, a + b]
    return a, b, c, d


@program(X)
def kw(x, *, k=2, **w):
    return helper(x, k=k, z=3, **{"w": 4})


def helper(x, *a, k=1, z=0, **w):
    return x * k + z + w.get("w", 0)


@program(X)
def closure(x):
    k = 3

    def inner(y):
        return y * k + 1

    k = 4
    return inner(x) + inner(x * 2)


@program(X)
def nonloc(x):
    t = 0

    def add(v):
        nonlocal t
        t = t + v
        return t

    add(x)
    add(x * 2)
    return t


G = 1.5


@program(X)
def glob(x):
    global G2
    G2 = x * G
    return G2 + 1


@program(X)
def comp(x):
    return [x * i for i in range(4)], {i: x + i for i in range(2)}, sum(x * i for i in range(3))


@program(X)
def loopy(x):
    for i in range(5):
        if i == 2:
            continue
        if i == 4:
            break
        x = x * 1.5 + i
    else:
        x = x * 0
    return x


@program(X)
def long(x):
    for i in range(100):
        x = x * 0.5 + i * 0.25
    return x


@program(X)
def whil(x):
    n = 0
    while np.abs(x).max() > 0.01 and n < 50:
        x = x * 0.5
        n += 1
    return x, n


@program(X)
def branch(x):
    if x.sum() > 0:
        y = x * 2 + 1
    else:
        y = x - 1
    return y * y


@program(X)
def tryexc(x):
    try:
        y = x * 2 + 1
        raise ValueError("a")
    except ValueError as e:
        y = y * 3
        s = str(e)
    finally:
        z = y + 1
    return z, s


@program(X)
def withs(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = x / 0.0 + np.log(x)
    with contextlib.nullcontext(3) as k:
        y = y * k + 1
    return y


@program(X)
def warns(x):
    return np.log(x) * 2 + np.sqrt(x)


@program(X)
def inplace(x):
    y = x * 2
    y += 1
    y *= y
    x -= 0.5
    return y, x


@program(M)
def stores(u):
    u[1:-1, 1:-1] = u[:-2, 1:-1] * 0.5 + u[2:, 1:-1] * 0.25
    u[0] = 3
    u[:, 0] += 1
    v = u.copy()
    v[1, 2] = 7
    return v + u


@program(M)
def views(a):
    b = a.T
    c = a[::-1, ::2]
    d = a.reshape(4, 3)
    e = a.ravel()
    return (
        b * 2 + 1,
        c * 2 + 1,
        d * 2 + 1,
        e * 2,
        a[1] + a[:, 1][:3].sum(),
        a.shape,
        a.dtype,
        a.ndim,
    )


@program(M)
def red(a):
    return (
        a.sum(),
        a.sum(axis=0) * 2 + 1,
        a.mean(1),
        a.max(),
        np.add.reduce(a, 1),
        a.std(),
        a.argmax(),
        (a > 3).any(),
        np.prod(a[1:]),
    )


class Net:
    def __init__(s):
        s.w = np.ones((4, 4))
        s.b = np.arange(4.0)
        s.n = 0

    def forward(s, x):
        s.n += 1
        return np.tanh(x @ s.w + s.b)

    @property
    def scale(s):
        return s.b * 2 + 1


@program(M, Net)
def net(x, m):
    h = m.forward(x)
    h = m.forward(h)
    m.b = m.b * 0.9 + 0.1
    m.extra = h
    return h * m.scale


class Base:
    k = 2

    def f(self, x):
        return x * self.k


class Derived(Base):
    def f(self, x):
        return super().f(x) + 1

    @staticmethod
    def g(x):
        return x * 3

    @classmethod
    def h(cls, x):
        return x * cls.k


@program(X, Derived)
def classes(x, d):
    return d.f(x) + d.g(x) + d.h(x) + Derived.g(x)


@dataclasses.dataclass
class DC:
    a: object
    b: float = 2.0


NT = collections.namedtuple("NT", "a b")


@program(X)
def dc(x):
    d = DC(x * 2, 3.0)
    n = NT(x + 1, b=2)
    return d.a * d.b + 1, n.a * n.b, n._replace(b=3).b, n


@program(X)
def fs(x):
    n = x.shape[0]
    return f"{n} {x.ndim:03d} {'a'!r}", x * 2 + 1


@program(X, lambda: [1, 2, 3])
def lists(x, l):
    l.append(x * 2 + 1)
    l[0] = 5
    l.extend([7])
    y = l.pop()
    return l[-1] * 2, y, len(l)


@program(X, lambda: {"a": np.ones(12)})
def dicts(x, d):
    d["b"] = x * 2 + 1
    d["a"] = d["a"] + x
    del d["b"]
    d.update(c=1)
    return sorted(d), d.get("z", x * 3)


@program(X)
def fn(x):
    f = partial(helper, k=3)
    g = lambda v: v * 2 + 1
    return (
        f(x) + g(x) + functools.reduce(operator.add, [x, x * 2, x * 3]),
        list(map(g, [x, x * 2])),
        [a * b for a, b in zip([x, x], [1, 2])],
        [(i, v + 1) for i, v in enumerate([x, x])],
    )


@program(X)
def matchs(x):
    match (x.ndim, "k"):
        case (1, "k"):
            y = x * 2 + 1
        case _:
            y = x
    match {"a": x}:
        case {"a": v}:
            y = y + v
    return y


@program(X)
def gener(x):
    def gen():
        for i in range(3):
            y = x * i + 1
            yield y * 2

    return list(gen()), sum(gen())


@program(X)
def prints(x):
    y = x * 2 + 1
    print("hi", y[0])
    z = y * 2 + 1
    print("there")
    return z * z + 1


@program(X, X)
def recur(x, y):
    def fac(n, v):
        return v if n == 0 else fac(n - 1, v * n)

    return fac(5, x) + y


@program(lambda: 3, lambda: 2.5)
def scalars(i, f):
    a = i * 2 + f
    b = i // 2
    c = f**2
    d = i < f
    return (
        a,
        b,
        c,
        d,
        i & 1,
        -i,
        abs(-f),
        math.sqrt(f),
        int(f),
        float(i),
        divmod(i, 2),
        min(i, f),
        max(1, i),
        round(f),
    )


@program(X, lambda: np.float64(2.5))
def npsc(x, s):
    return s * 2 + 1, x * s + s, s**2, np.sqrt(s), float(s), int(s), s > 1, s.dtype, x[3] * 2


@program(lambda: np.arange(6), lambda: np.arange(6, dtype=np.int8))
def ints(a, b):
    return (
        a * 2 + b,
        b * 100 + 1,
        a / 2,
        a // 2,
        b << 1,
        a ^ b,
        (a > 2) & (b < 4),
        ~a,
        a % 3,
        np.minimum(a, b),
        np.where(a > 2, a, b) * 2,
    )


@program(lambda: np.ones(4, np.float32))
def f32(a):
    return a * 2 + 1, a * np.float64(2) + 1, a + np.ones(4), np.exp(a) * a, a.astype(float) * 2 + 1


@program(lambda: np.array(3.0))
def zerod(a):
    return a * 2 + 1, np.sin(a) * 2, a[()]


@program(X)
def asserts(x):
    assert x.ndim == 1, "m"
    y = x * 2 + 1
    return None if y is None else y


@program(X)
def err(x):
    y = x * 2 + 1
    return y + np.ones(5)


@program(X)
def idx(x):
    y = x * 2 + 1
    return y[100]


@program(X)
def fancy(x):
    return x[[0, 2, 3]] * 2 + 1, x[x > 0] * 2 + 1, x[np.array([1, 2])] + 1, np.take(x, [1, 2]) * 2


@program(X)
def aug(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * 2
    return s


@program(X)
def dead_division_warns(x):
    y = x / 0
    z = np.log(x) * 2
    del y, z
    return x * 2 + 1


class Particle:
    def __init__(self, x, v=1.0):
        self.x = x
        self.v = v
        self.energy = v * v * 0.5

    def step(self, dt):
        self.x = self.x + self.v * dt
        return self


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: object
    b: float = 2.0

    def doubled(self):
        return Frozen(self.a * 2, self.b)


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a
        self.b = [a]


@program(X)
def instances(x):
    p = Particle(x * 2, v=3.0)
    p.step(0.5).step(0.25)
    q = Particle(x)
    q.friend = p
    f = Frozen(x).doubled()
    s = Slotted(x * 3)
    s.b.append(s.a + 1)
    del q.energy
    print("made")
    return p, q, q.friend is p, p.x + q.x * f.a, f, f.b, s.b, s.a, hasattr(q, "energy")
