"""Each thing that a compiled function takes for known changes between two calls, and within one:
from a callback where the graph breaks."""

import gc
import importlib
import sys
import tempfile
import types
import warnings
from pathlib import Path

import numpy as np
from support.arrays import f8
from support.program import scenario

PENDING = []


def tick():
    """A break, and what happens there."""
    print("tick", len(PENDING))
    while PENDING:
        PENDING.pop()()


def seen(f, *args):
    try:
        return f(*args)
    except Exception as error:
        return error


def both(f, change, undo, *args):
    """The change between calls, then within one; after each it is taken back."""
    yield seen(f, *args), seen(f, *args)
    change()
    yield "between", seen(f, *args), seen(f, *args)
    undo()
    yield "back", seen(f, *args)
    PENDING.append(change)
    yield "within", seen(f, *args), seen(f, *args)
    PENDING.append(undo)
    yield "back within", seen(f, *args), seen(f, *args)
    PENDING.clear()


@scenario
def numpy_function_patched(jit):
    def f(x):
        y = np.sin(x)
        tick()
        return y + np.sin(x) * 2.0

    real = np.sin
    for other in (np.cos, lambda v: v - 1.0, len):
        try:
            yield from both(jit(f), lambda o=other: setattr(np, "sin", o), put_sin(real), f8(3))
        finally:
            np.sin = real


def put_sin(value):
    return lambda: setattr(np, "sin", value)


@scenario
def numpy_function_gone(jit):
    def f(x):
        y = np.tanh(x)
        tick()
        return y + np.tanh(x) * 2.0

    real = np.tanh
    try:
        yield from both(
            jit(f), lambda: delattr(np, "tanh"), lambda: setattr(np, "tanh", real), f8(3)
        )
    finally:
        np.tanh = real


class Model:
    gain = 2.0

    def __init__(self):
        self.w = f8(3)

    def step(self, x):
        return x * self.gain + self.w


class Other(Model):
    def step(self, x):
        return super().step(x) - 5.0


class Late(Model):
    """Gets methods of its own later."""


def run(model, x):
    y = model.step(x)
    tick()
    return y - model.step(x) * 3.0


@scenario
def method_patched(jit):
    real = Model.step
    change = setting(Model, "step", lambda self, x: x - self.w)
    yield from both(jit(run), change, setting(Model, "step", real), Model(), f8(3))


def setting(owner, name, value):
    return lambda: setattr(owner, name, value)


@scenario
def method_added_to_a_subclass(jit):
    change = setting(Late, "step", lambda self, x: x * 7.0)
    yield from both(jit(run), change, lambda: delattr(Late, "step"), Late(), f8(3))


@scenario
def class_attribute_shadowed(jit):
    model = Model()
    yield from both(
        jit(run), setting(model, "gain", 9.0), lambda: delattr(model, "gain"), model, 2.0
    )


@scenario
def getattr_added(jit):
    def f(model, x):
        y = x * getattr(model, "extra", 1.0)
        tick()
        return y + x * getattr(model, "extra", 1.0)

    change = setting(Model, "__getattr__", lambda self, name: 4.0)
    yield from both(jit(f), change, lambda: delattr(Model, "__getattr__"), Late(), f8(3))


@scenario
def class_assigned(jit):
    model = Model()
    change, undo = setting(model, "__class__", Other), setting(model, "__class__", Model)
    yield from both(jit(run), change, undo, model, f8(3))


@scenario
def bases_assigned(jit):
    class Base:
        def step(self, x):
            return x + 100.0

    class Sub(Model):
        pass

    change, undo = setting(Sub, "__bases__", (Base,)), setting(Sub, "__bases__", (Model,))
    yield from both(jit(run), change, undo, Sub(), f8(3))


@scenario
def property_in_place_of_an_attribute(jit):
    class Thing(Model):
        pass

    change = setting(Thing, "w", property(lambda self: 2.5))
    yield from both(jit(run), change, lambda: delattr(Thing, "w"), Thing(), f8(3))


@scenario
def code_assigned(jit):
    def callee(x):
        return x + 1.0

    def f(x):
        y = callee(x)
        tick()
        return y * callee(x)

    old, new = callee.__code__, (lambda x: x * 50.0).__code__
    change, undo = setting(callee, "__code__", new), setting(callee, "__code__", old)
    yield from both(jit(f), change, undo, f8(3))


@scenario
def own_code_assigned(jit):
    def f(x):
        y = x + 1.0
        tick()
        return y * 2.0

    old, new = f.__code__, (lambda x: x * 50.0).__code__
    change, undo = setting(f, "__code__", new), setting(f, "__code__", old)
    yield from both(jit(f), change, undo, f8(3))


@scenario
def defaults_assigned(jit):
    def callee(x, k=2.0, *, j=1.0):
        return x * k + j

    def f(x):
        y = callee(x)
        tick()
        return y - callee(x)

    g = jit(f)
    for name, value in [("__defaults__", (5.0,)), ("__defaults__", (f8(3),)), ("__defaults__", None),
                        ("__kwdefaults__", {"j": 7.0}), ("__kwdefaults__", None)]:  # fmt: skip
        yield from both(
            g, setting(callee, name, value), setting(callee, name, getattr(callee, name)), f8(3)
        )
    yield from both(
        g,
        lambda: callee.__kwdefaults__.update(j=4.0),
        lambda: callee.__kwdefaults__.update(j=1.0),
        f8(3),
    )


@scenario
def own_defaults_assigned(jit):
    def f(x, k=2.0, *, j=1.0):
        y = x * k + j
        tick()
        return y - k * j

    g = jit(f)
    yield from both(
        g, setting(f, "__defaults__", (5.0,)), setting(f, "__defaults__", (2.0,)), f8(3)
    )
    yield from both(
        g,
        setting(f, "__kwdefaults__", {"j": f8(3)}),
        setting(f, "__kwdefaults__", {"j": 1.0}),
        f8(3),
    )


@scenario
def closure_rebound(jit):
    k, w = 2.0, f8(3)

    def f(x):
        y = x * k + w
        tick()
        return y - k * w

    def change():
        nonlocal k
        k = f8(3)

    def undo():
        nonlocal k, w
        k, w = 2.0, f8(3)

    def change_array():
        w[0] = 100.0

    def gone():
        nonlocal k
        del k

    g = jit(f)
    for each in (change, change_array, gone):
        yield from both(g, each, undo, f8(3))


SCALE = 2.0
WEIGHTS = f8(3)


def of_globals(x):
    y = x * SCALE + WEIGHTS
    tick()
    return y - SCALE * WEIGHTS


@scenario
def globals_mutated(jit):
    names = globals()
    g = jit(of_globals)

    def undo():
        names.update(SCALE=2.0, WEIGHTS=f8(3))

    for change in (
        lambda: names.update(SCALE=3),
        lambda: names.update(SCALE=f8(3)),
        lambda: names.pop("SCALE"),
        lambda: names.update(WEIGHTS=np.ones((2, 3), "f4")),
        lambda: WEIGHTS.__setitem__(0, 9.0),
        lambda: WEIGHTS.setflags(write=False),
    ):
        yield from both(g, change, undo, f8(3))


@scenario
def module_reloaded(jit):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "reloaded_settings.py")
        dont, sys.dont_write_bytecode = sys.dont_write_bytecode, True
        sys.path.insert(0, folder)

        def load(text):
            path.write_text(text)
            importlib.invalidate_caches()
            if "reloaded_settings" in sys.modules:
                importlib.reload(sys.modules["reloaded_settings"])

        first = "RATE = 2.0\n\n\ndef scale(x):\n    return x * RATE\n"
        try:
            load(first)
            import reloaded_settings as settings

            def f(x):
                y = settings.scale(x) + settings.RATE
                tick()
                return y - settings.scale(x) * settings.RATE

            for text in ("RATE = 5.0\n", first.replace("*", "-"), first.replace("2.0", "None")):
                yield from both(jit(f), lambda t=text: load(t), lambda: load(first), f8(3))
        finally:
            sys.path.remove(folder)
            sys.modules.pop("reloaded_settings", None)
            sys.dont_write_bytecode = dont


@scenario
def module_class_assigned(jit):
    class Answering(types.ModuleType):
        @property
        def rate(self):
            return 8.0

    module = types.ModuleType("settings")
    module.rate = 2.0

    def f(x):
        y = x * module.rate
        tick()
        return y + module.rate

    change, undo = (
        setting(module, "__class__", Answering),
        setting(module, "__class__", types.ModuleType),
    )
    yield from both(jit(f), change, undo, f8(3))


@scenario
def error_state_changed(jit):
    def f(x):
        y = 1.0 / x
        tick()
        return y + 2.0 / x

    g = jit(f)
    before = np.geterr()
    calls = []
    np.seterrcall(lambda kind, flag: calls.append(kind))
    try:
        for kind in ("ignore", "raise", "call", "print"):
            yield from both(
                g, lambda k=kind: np.seterr(divide=k), lambda: np.seterr(**before), np.zeros(2)
            )
    finally:
        np.seterr(**before)
        np.seterrcall(None)
    yield calls


@scenario
def error_handler_changed(jit):
    def f(x):
        y = 1.0 / x
        tick()
        return y + 2.0 / x

    g = jit(f)
    told = []
    with np.errstate(divide="call", call=lambda kind, flag: told.append("first")):
        change = lambda: np.seterrcall(lambda kind, flag: told.append("second"))  # noqa: E731
        undo = lambda: np.seterrcall(lambda kind, flag: told.append("third"))  # noqa: E731
        yield from both(g, change, undo, np.zeros(2))
    yield told


@scenario
def warning_filters_changed(jit):
    def f(x):
        y = 1.0 / x
        tick()
        return y + 2.0 / x

    g = jit(f)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        for action in ("error", "ignore", "once"):
            yield from both(
                g,
                lambda a=action: warnings.simplefilter(a),
                lambda: warnings.filters.pop(0),
                np.zeros(2),
            )


@scenario
def array_flags_changed(jit):
    def f(x):
        x[0] = 5.0
        tick()
        x[1] = x[0] + x[2]
        return x + 1.0

    x = f8(3)
    change, undo = (lambda w=w: x.setflags(write=w) for w in (False, True))
    yield from both(jit(f), change, undo, x)


@scenario
def array_shape_and_dtype_changed(jit):
    def f(x):
        y = x * 2.0
        tick()
        return y.sum() + (x + 1.0)

    x = f8(4)
    for name, new in (("shape", (2, 2)), ("dtype", np.dtype("i8")), ("strides", (0,))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            change, undo = setting(x, name, new), setting(x, name, getattr(x, name))
            yield from both(jit(f), change, undo, x)


@scenario
def ids_used_again(jit):
    """A class, a function and an array go, and others come in their places."""
    holder = types.SimpleNamespace()

    def renew(number):
        holder.thing = holder.function = holder.array = None
        gc.collect()
        holder.thing = type(
            "Thing", (), {"k": float(number), "get": lambda self: self.k + number}
        )()
        holder.function = eval(f"lambda x: x * {number}.0")
        holder.array = np.full(3, float(number)) if number % 2 else np.full(3, number)

    def f(x):
        y = holder.function(x) + holder.thing.k
        tick()
        return y + holder.array + holder.thing.get() + holder.function(x)

    g = jit(f)
    for number in range(3):
        renew(number)
        yield seen(g, f8(3))
        PENDING.append(lambda n=number: renew(n + 20))
        yield seen(g, f8(3)), seen(g, f8(3))


@scenario
def arguments_whose_ids_are_used_again(jit):
    g = jit(lambda thing, x: x * thing.k + len(thing.items))
    out = []
    for number in range(8):
        cls = type("Thing", (), {"k": float(number % 4)})
        thing = cls()
        thing.items = [0] * (number % 3)
        out.append(g(thing, f8(3)))
        del thing, cls
        if number % 4 == 3:
            gc.collect()
    return out


@scenario
def containers_mutated(jit):
    items, table = [1.0, f8(3)], {"a": 2.0, "b": f8(3)}

    def f(x):
        y = x * items[0] + table["b"]
        tick()
        for value in table.values():
            y = y + value
        return y * items[-1] + len(items) + len(table)

    def undo():
        items[:] = [1.0, f8(3)]
        table.clear()
        table.update(a=2.0, b=f8(3))

    for change in (
        lambda: items.append(3.0),
        lambda: items.reverse(),
        lambda: items.__setitem__(0, f8(3)),
        lambda: table.update(c=1.0),
        lambda: table.update(a=table.pop("a")),
        lambda: table.pop("b"),
        lambda: table.update({1: 2.0}),
    ):
        yield from both(jit(f), change, undo, f8(3))
