"""Classes: attributes that hold arrays, methods, properties, inheritance, special methods."""

import abc
import dataclasses
import enum

import numpy as np
from support.arrays import f4, f8
from support.program import program


class Layer:
    """A dense layer that counts its calls."""

    created = 0

    def __init__(self, w, b):
        self.w = w
        self.b = b
        self.calls = 0
        self.last = None
        Layer.created += 1

    def __call__(self, x):
        self.calls += 1
        self.last = x
        return np.tanh(x @ self.w + self.b)

    @property
    def size(self):
        return self.w.size + self.b.size

    @size.setter
    def size(self, value):
        self.w = np.zeros((value, value))

    @staticmethod
    def relu(x):
        return np.maximum(x, 0)

    @classmethod
    def make(cls, n):
        return cls(np.eye(n), np.zeros(n))


class Scaled(Layer):
    def __init__(self, w, b, k):
        super().__init__(w, b)
        self.k = k

    def __call__(self, x):
        return super().__call__(x) * self.k


class Slotted:
    __slots__ = ("total", "x")

    def __init__(self, x):
        self.x = x
        self.total = 0.0

    def add(self, y):
        self.total = self.total + float(y.sum())
        return self.x + y


@dataclasses.dataclass
class State:
    position: np.ndarray
    velocity: np.ndarray
    steps: int = 0
    history: list = dataclasses.field(default_factory=list)

    def step(self, dt):
        self.position = self.position + self.velocity * dt
        self.steps += 1
        self.history.append(self.steps)
        return self


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: float
    b: float = 2.0


class Color(enum.Enum):
    RED = 1
    GREEN = 2


class Abstract(abc.ABC):
    @abc.abstractmethod
    def run(self, x): ...


class Concrete(Abstract):
    def run(self, x):
        return x * 2


class Meta(type):
    def __call__(cls, *args):
        obj = super().__call__(*args)
        obj.made_by_meta = True
        return obj


class WithMeta(metaclass=Meta):
    def __init__(self, x):
        self.x = x


class A:
    def who(self):
        return ["A"]


class B(A):
    def who(self):
        return ["B", *super().who()]


class C(A):
    def who(self):
        return ["C", *super().who()]


class D(B, C):
    def who(self):
        return ["D", *super().who()]


@program(lambda: (Layer(f8(3, 2), f8(2)), f8(4, 3)), lambda: (Layer(f4(3, 2), f4(2)), f4(4, 3)))
def call_an_object(layer, x):
    return layer(x) + layer(x * 2)


@program(
    lambda: (Scaled(f8(3, 2), f8(2), 2.0), f8(4, 3)), lambda: (Layer(f8(3, 2), f8(2)), f8(4, 3))
)
def super_calls(layer, x):
    return layer(x), layer.calls


@program(lambda: (Layer(f8(3, 3), f8(3)), f8(3)))
def attributes_are_written_in_order(layer, x):
    layer.w = layer.w * 0.9
    layer.b += x
    layer.extra = layer.w.sum()
    print(layer.calls)
    layer.calls = 5
    return layer.w @ x


@program(lambda: (Layer(f8(3, 3), f8(3)),))
def properties(layer):
    before = layer.size
    layer.size = 2
    return before, layer.size, layer.w


@program(lambda: (f8(3),))
def static_and_class_methods(x):
    layer = Layer.make(3)
    return Layer.relu(x), layer.relu(-x), layer(x), Layer.created > 0


@program(lambda: (f8(3), 3), lambda: (f4(2), 2))
def objects_made_inside(x, n):
    layer = Scaled(np.eye(n), x, 2)
    y = layer(x)
    return layer, y


@program(lambda: (Slotted(f8(3)), f8(3)), lambda: (Slotted(f8(2)), f8(2)))
def slots(s, y):
    z = s.add(y)
    s.x = z * 2
    return z, s.total


@program(lambda: (Slotted(f8(3)),))
def slots_take_no_other_attribute(s):
    s.x = s.x + 1
    s.y = 3
    return s


@program(lambda: (State(f8(3), f8(3, seed=1)), 0.1), lambda: (State(f4(2), f4(2)), 1))
def dataclass_steps(state, dt):
    for _ in range(3):
        state.step(dt)
    other = dataclasses.replace(state, steps=0)
    return state.position, other.steps, State(1, 2) == State(1, 2), dataclasses.asdict(Frozen(1.0))


@program(lambda: (Frozen(1.0), f8(2)), lambda: (Frozen(2.0, 3.0), f8(2)))
def frozen_dataclass(p, x):
    y = x * p.a + p.b
    try:
        p.a = 3
    except dataclasses.FrozenInstanceError as error:
        return y, str(error), hash(p) == hash(Frozen(p.a, p.b))
    return y


@program(lambda: (Color.RED, f8(2)), lambda: (Color.GREEN, f8(2)), lambda: (None, f8(2)))
def enums(color, x):
    if color is Color.RED:
        return x + color.value
    return x - (color.value if color else 0), Color(2), Color["RED"].name, list(Color)


@program(lambda: (Concrete(), f8(2)))
def abstract_classes(c, x):
    try:
        Abstract()
    except TypeError as error:
        print(type(error).__name__)
    return c.run(x), isinstance(c, Abstract), issubclass(Concrete, Abstract)


@program(lambda: (f8(2),))
def metaclasses(x):
    m = WithMeta(x * 2)
    return m, m.made_by_meta, type(WithMeta)


@program(lambda: (D(),), lambda: (B(),), lambda: (A(),))
def method_resolution_order(o):
    return o.who(), type(o).__name__, isinstance(o, C)


@program(lambda: (f8(3),))
def class_made_inside(x):
    class Local:
        factor = 3

        def run(self):
            return x * self.factor

    return Local().run(), Local.factor, Local.__name__


@program(lambda: (Layer(f8(2, 2), f8(2)),))
def missing_attribute(layer):
    y = layer.w * 2
    return y + layer.nothing


@program(lambda: (None, 1), lambda: (Layer(f8(2, 2), f8(2)), 1))
def attribute_of_none(layer, k):
    return layer.w * k


@program(lambda: (Layer(f8(2, 2), f8(2)), f8(2)))
def bound_methods_are_values(layer, x):
    call = layer.__call__
    relu = Layer.relu
    f = Layer.__call__
    return call(x), relu(x), f(layer, x), x.sum, [m() for m in (x.sum, x.max)]


@program(lambda: (Layer(f8(2, 2), f8(2)), f8(2)))
def getattr_setattr_delattr(layer, x):
    setattr(layer, "b", getattr(layer, "b") * 2)
    layer.temp = 1
    delattr(layer, "temp")
    return (
        hasattr(layer, "temp"),
        getattr(layer, "none", x),
        vars(layer)["calls"],
        layer.__dict__["b"],
    )


@program(
    lambda: (Layer(f8(2, 2), f8(2)), 5),
    lambda: (Scaled(f8(2, 2), f8(2), 1), 5),
    lambda: (f8(2), 5),
    lambda: (3, 5),
)
def type_questions(obj, k):
    return (
        isinstance(obj, Layer),
        isinstance(obj, np.ndarray | int),
        type(obj) is Layer,
        callable(obj),
        issubclass(type(obj), Layer),
        isinstance(k, (int, float)),
    )


@program(lambda: ([Layer(f8(2, 2), f8(2)), Scaled(f8(2, 2), f8(2), 3.0), Layer.relu], f8(2)))
def polymorphic_calls(layers, x):
    for layer in layers:
        x = layer(x)
    return x


@program(lambda: (Layer(f8(2, 2), f8(2)), f8(2)))
def method_replaced_on_the_instance(layer, x):
    layer.relu = lambda v: v * 100
    layer.last = layer.relu(x)
    return layer.last
