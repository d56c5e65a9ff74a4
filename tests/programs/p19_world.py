"""The outside world: threads, signals, tracing, introspection, imports, time."""

import contextvars
import gc
import inspect
import json
import os
import random
import re
import signal
import statistics
import string
import sys
import tempfile
import threading
import time
import types
from concurrent import futures

import numpy as np
from support.arrays import f8
from support.program import program, scenario


def work(x, n):
    for i in range(n):
        x = x * 0.5 + i
        x = np.sqrt(abs(x)) + 1
    return x


@scenario
def threads(jit):
    f = jit(work)
    results = [None] * 6

    def run(k):
        results[k] = [f(f8(5, seed=k), 3 + k % 2) for _ in range(5)]

    workers = [threading.Thread(target=run, args=(k,)) for k in range(6)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    return results


@scenario
def threads_with_breaks(jit):
    lock = threading.Lock()
    total = []

    def body(x):
        y = x * 2
        with lock:
            total.append(float(y.sum()))
        return y + 1

    f = jit(body)
    workers = [threading.Thread(target=lambda: [f(f8(4)) for _ in range(10)]) for _ in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    return len(total), set(total)


@scenario
def thread_pool(jit):
    f = jit(lambda x, k: np.exp(-x * x) * k + x)
    with futures.ThreadPoolExecutor(3) as pool:
        return list(pool.map(f, [f8(50, seed=i) for i in range(12)], range(12)))


@scenario
def signal_in_a_loop(jit):
    log = []

    def handler(number, frame):
        log.append(number)

    def f(x):
        for i in range(20):
            x = x + 1
            if i == 10:
                signal.raise_signal(signal.SIGUSR1)
                x = x * 2
        return x

    old = signal.signal(signal.SIGUSR1, handler)
    try:
        g = jit(f)
        return g(f8(2)), g(f8(2)), log
    finally:
        signal.signal(signal.SIGUSR1, old)


@scenario
def signal_handler_calls_compiled_code(jit):
    seen = []
    f = jit(lambda x: x * 3 + 1)

    def body(x):
        y = x + 1
        signal.raise_signal(signal.SIGUSR1)
        return f(y) - 1

    old = signal.signal(signal.SIGUSR1, lambda n, frame: seen.append(f(f8(2))))
    try:
        g = jit(body)
        return g(f8(2)), g(f8(2)), seen
    finally:
        signal.signal(signal.SIGUSR1, old)


@scenario
def signal_handler_raises(jit):
    class Stop(Exception):
        pass

    def handler(number, frame):
        raise Stop("by signal")

    def f(x):
        x += 1
        try:
            signal.raise_signal(signal.SIGUSR1)
            x += 100
        except Stop as e:
            return x, str(e)
        return x

    old = signal.signal(signal.SIGUSR1, handler)
    try:
        g = jit(f)
        return g(f8(2)), g(f8(2))
    finally:
        signal.signal(signal.SIGUSR1, old)


@scenario
def settrace_sees_every_line(jit):
    def f(x):
        y = x * 2
        z = y + 1
        return z

    g = jit(f)
    g(f8(2))
    lines = []

    def tracer(frame, event, arg):
        if frame.f_code.co_name == "f":
            lines.append((event, frame.f_lineno - f.__code__.co_firstlineno))
        return tracer

    old = sys.gettrace()
    sys.settrace(tracer)
    try:
        result = g(f8(2))
    finally:
        sys.settrace(old)
    return result, lines, g(f8(2))


@scenario
def setprofile_sees_calls(jit):
    def callee(x):
        return x + 1

    def f(x):
        return callee(x) * 2

    g = jit(f)
    g(f8(2))
    events = []

    def profile(frame, event, arg):
        if frame.f_code.co_name in ("f", "callee") and event in ("call", "return"):
            events.append((event, frame.f_code.co_name))

    sys.setprofile(profile)
    try:
        g(f8(2))
    finally:
        sys.setprofile(None)
    return events, g(f8(2))


@scenario
def tracing_switched_on_inside(jit):
    lines = []

    def tracer(frame, event, arg):
        if frame.f_code.co_name == "f":
            lines.append((event, frame.f_lineno - f.__code__.co_firstlineno))
        return tracer

    def f(x):
        y = x * 2
        sys.settrace(tracer)
        sys._getframe().f_trace = tracer
        z = y + 1
        z = z * 2
        sys.settrace(None)
        return z

    g = jit(f)
    old = sys.gettrace()
    try:
        return g(f8(2)), g(f8(2)), lines
    finally:
        sys.settrace(old)


@program(lambda: (f8(2), 3))
def locals_sees_all(x, k):
    y = x * k
    z = y + 1
    found = locals()
    return sorted(found), found["z"], z


@program(lambda: (f8(2),))
def frames_and_lines(x):
    y = x * 2
    frame = sys._getframe()
    names = sorted(frame.f_locals)
    return frame.f_code.co_name, frame.f_lineno - frame.f_code.co_firstlineno, names, y


@program(lambda: (f8(2),))
def stack_of_callers(x):
    def callee(v):
        w = v * 2
        names = [f.function for f in inspect.stack()[:2]]
        lines = sys._getframe(1).f_lineno
        return names, lines, w

    y = x + 1
    return callee(y), sorted(inspect.currentframe().f_locals)


@program(lambda: (f8(2),))
def locals_of_the_caller_are_read(x):
    def peek():
        return sorted(sys._getframe(1).f_locals), sys._getframe(1).f_locals["hidden"]

    hidden = x * 7
    result = peek()
    hidden = hidden + 1
    return result, hidden


@program(lambda: (f8(2),))
def eval_and_exec(x):
    y = x * 2
    z = eval("y + x")
    scope = {"v": z}
    exec("v = v * 3\nw = v - 1", scope)
    return z, scope["w"], eval("len(q)", {"q": [1]})


@program(lambda: (f8(2),))
def import_inside(x):
    import math as m
    from collections import OrderedDict

    return x * m.pi, OrderedDict(a=1)


@program(lambda: (f8(2),))
def import_that_fails(x):
    y = x + 1
    try:
        import no_such_module_anywhere  # noqa: F401
    except ImportError as e:
        return y, e.name


@program(lambda: (f8(2),))
def time_goes_on(x):
    start = time.perf_counter()
    y = x * 2
    return time.perf_counter() >= start, y


@program(lambda: (f8(2),))
def identity_of_objects(x):
    y = x
    z = x + 0
    return id(x) == id(y), id(x) == id(z), x is y, z is x


@program(lambda: (f8(2),))
def files(x):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.txt")
        with open(path, "w") as f:
            f.write(str(x.shape))
        y = x * 2
        with open(path) as f:
            text = f.read()
        np.savetxt(path, y)
        z = np.loadtxt(path)
    return text, z, os.path.exists(path)


@program(lambda: (f8(2), 5), lambda: (f8(2), 6))
def python_random(x, seed):
    rng = random.Random(seed)
    values = [rng.random() for _ in range(3)]
    y = x * values[0]
    return y, rng.randint(0, 100), rng


@program(lambda: (f8(2),))
def standard_library(x):
    text = json.dumps({"a": x.tolist()})
    return json.loads(text), re.findall(r"\d", "a1b2"), string.digits, statistics.mean([1, 2, 3])


@program(lambda: (f8(2),))
def print_options(x):
    print("a", "b", sep="-", end="!\n")
    print(*[1, 2], x.shape)
    print(f"{x.sum() > 0!r}")
    sys.stdout.write("direct\n")
    y = x + 1
    print(y.dtype)
    return y


@scenario
def garbage_collection(jit):
    def f(x):
        a = [x * i for i in range(5)]
        a.append(a)
        gc.collect()
        return a[2] + a[3]

    g = jit(f)
    return [g(f8(3)) for _ in range(3)]


class Noisy:
    log = []

    def __init__(self, name):
        self.name = name

    def __del__(self):
        Noisy.log.append(self.name)


@scenario
def finalizers_run_where_they_do(jit):
    def f(x):
        a = Noisy("a")
        y = x * 2
        Noisy.log.append("before del")
        del a
        Noisy.log.append("after del")
        b = Noisy("b")
        b = None
        Noisy.log.append("end")
        return y, b

    g = jit(f)
    for _ in range(3):
        Noisy.log.append("call")
        g(f8(2))
    return Noisy.log


@scenario
def monitoring_or_nothing(jit):
    f = jit(work)
    monitoring = getattr(sys, "monitoring", None)
    before = f(f8(2), 2)
    if monitoring is None:
        return before
    seen = []
    monitoring.use_tool_id(3, "test")
    try:
        monitoring.register_callback(
            3, monitoring.events.LINE, lambda code, line: seen.append(code.co_name)
        )
        monitoring.set_events(3, monitoring.events.LINE)
        after = f(f8(2), 2)
        monitoring.set_events(3, 0)
    finally:
        monitoring.free_tool_id(3)
    return before, after, seen.count("work")


@scenario
def context_variables(jit):
    variable = contextvars.ContextVar("v", default=1)

    def f(x):
        return x * variable.get()

    g = jit(f)
    yield g(f8(2))
    variable.set(5)
    yield g(f8(2))
    yield contextvars.copy_context().run(g, f8(2))


@scenario
def module_that_answers_for_itself(jit):
    """Nobody but the program asks a module with a __getattr__, or a proxy for its __class__."""
    asked = []
    lazy = types.ModuleType("lazy")
    lazy.factor = 2.0
    lazy.__getattr__ = lambda name: asked.append(name)

    class Proxy:
        def __getattribute__(self, name):
            asked.append(name)
            return 3.0

    def f(x, thing):
        return x * lazy.factor + 1, thing.value

    g = jit(f)
    thing = Proxy()
    for _ in range(3):
        yield g(f8(3), thing)
    yield asked
