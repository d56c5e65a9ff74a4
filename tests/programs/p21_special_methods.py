"""Special methods, descriptors, attributes by function: effects that look like expressions."""

from support.arrays import f8
from support.program import program


class Vector:
    """Operators by special methods."""

    def __init__(self, a):
        self.a = a

    def __add__(self, other):
        return Vector(self.a + getattr(other, "a", other))

    __radd__ = __add__

    def __mul__(self, k):
        return Vector(self.a * k) if isinstance(k, int | float) else NotImplemented

    def __neg__(self):
        return Vector(-self.a)

    def __eq__(self, other):
        return bool((self.a == other.a).all())

    def __hash__(self):
        return 7

    def __len__(self):
        return len(self.a)

    def __getitem__(self, i):
        return self.a[i]

    def __setitem__(self, i, v):
        self.a[i] = v

    def __contains__(self, v):
        return bool((self.a == v).any())

    def __iter__(self):
        return iter(self.a.tolist())

    def __bool__(self):
        return len(self.a) > 3

    def __matmul__(self, other):
        return float(self.a @ other.a)

    def __iadd__(self, other):
        self.a += other
        return self


class Dynamic:
    """Attributes by function."""

    def __init__(self):
        self.log = []

    def __getattr__(self, name):
        if name.startswith("x"):
            return len(name)
        raise AttributeError(name)

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        if name != "log":
            self.log.append(name)

    def __delattr__(self, name):
        self.log.append("del " + name)


class Descriptor:
    def __get__(self, obj, owner):
        return 42 if obj is None else obj.base * 2

    def __set__(self, obj, value):
        obj.base = value


class Owner:
    field = Descriptor()

    def __init__(self, base):
        self.base = base


@program(lambda: (Vector(f8(3)), Vector(f8(3, seed=1))), lambda: (Vector(f8(5)), Vector(f8(5))))
def operators_of_a_class(u, v):
    w = u + v * 2
    w += 1
    w[0] = 9
    return w, -u, 1 + u, len(w), w[1], 9 in w, list(w), bool(u), u == v, u @ v, {u: 1}[u]


@program(lambda: (Vector(f8(3)),))
def operator_that_is_not_supported(u):
    return u * "text"


@program(lambda: (f8(3), Vector(f8(3))), vary=False)
def array_with_an_object(x, v):
    return v + x


@program(lambda: (Dynamic(), f8(2)))
def dynamic_attributes(d, x):
    d.value = x
    d.other = d.xyz + x
    del d.value
    return d.log, hasattr(d, "zzz"), getattr(d, "zzz", 5), d.xx


@program(lambda: (Owner(3), f8(2)), lambda: (Owner(f8(2)), f8(2)))
def descriptors(o, x):
    a = o.field * x
    o.field = 10
    return a, o.field, Owner.field


class Recorder:
    """Effects in every special method."""

    def __init__(self):
        self.seen = []

    def __getitem__(self, key):
        self.seen.append(("get", key))
        return len(self.seen)

    def __setitem__(self, key, value):
        self.seen.append(("set", key, value))

    def __delitem__(self, key):
        self.seen.append(("del", key))

    def __call__(self, *args):
        self.seen.append(args)
        return self

    def __bool__(self):
        self.seen.append("bool")
        return True

    def __del__(self):
        pass


@program(lambda: (Recorder(), f8(2)))
def effects_of_special_methods_in_order(r, x):
    a = r[0] + r[1:2]
    r["k"] = a
    del r[x.shape]
    r[0] += 5
    if r:
        r(1)(2)
    return x * a, not r


class Running:
    def __init__(self, total):
        self.total = total

    def __add__(self, other):
        return Running(self.total + other)

    def __iadd__(self, other):
        self.total = self.total * 10 + other
        return self


class Fixed:
    def __init__(self, total):
        self.total = total

    def __mul__(self, other):
        return Fixed(self.total * other)


@program(lambda: (f8(3), Running(1), Fixed(2)))
def in_place_methods(x, running, fixed):
    same, other = running, fixed
    running += 1
    fixed *= 3
    return x + running.total + fixed.total, same is running, other is fixed, same.total
