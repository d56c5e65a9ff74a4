"""with blocks: errstate, own context managers, contextlib, errors inside."""

import contextlib
import io
import sys
import threading
import warnings

import numpy as np
from support.arrays import f8
from support.program import program


class Manager:
    def __init__(self, log, swallow=False):
        self.log = log
        self.swallow = swallow

    def __enter__(self):
        self.log.append("enter")
        return len(self.log)

    def __exit__(self, kind, value, tb):
        self.log.append(("exit", kind.__name__ if kind else None))
        return self.swallow


class BrokenExit(Manager):
    def __exit__(self, kind, value, tb):
        raise RuntimeError("exit failed")


@contextlib.contextmanager
def section(log, name):
    log.append("begin " + name)
    try:
        yield name
    finally:
        log.append("end " + name)


@program(lambda: (f8(3), []))
def own_manager(x, log):
    with Manager(log) as n:
        y = x * n
        log.append("body")
    return y + 1


@program(lambda: (f8(3), []))
def error_leaves_the_block(x, log):
    with Manager(log):
        y = x * 2
        y[9] = 1
    return y


@program(lambda: (f8(3), []))
def error_is_swallowed(x, log):
    y = x
    with Manager(log, swallow=True):
        y = x * 2
        y = y + f8(8)
        log.append("never")
    return y


@program(lambda: (f8(3), []))
def exit_that_fails(x, log):
    with BrokenExit(log):
        x += 1
    return x


@program(lambda: (f8(3), []))
def generator_manager(x, log):
    with section(log, "a") as name, section(log, "b"):
        x = x + len(name)
        print("inside", log)
    return x, log


@program(lambda: (f8(3), []))
def generator_manager_with_error(x, log):
    try:
        with section(log, "a"):
            x[9] = 1
    except IndexError:
        log.append("handled")
    return log


@program(lambda: (f8(3), []))
def return_and_break_out_of_with(x, log):
    for i in range(3):
        with Manager(log):
            if i == 1:
                continue
            if i == 2:
                return x + i
            x = x * 2
    return x


@program(lambda: (f8(3), []), lambda: (f8(3), [1]))
def break_inside_with(x, log):
    with Manager(log) as n:
        y = x + n
        print("in the block", n)
        y = y * 2
    return y - 1


@program(lambda: (f8(3),))
def null_and_suppress(x):
    with contextlib.nullcontext(5) as k:
        y = x * k
    with contextlib.suppress(IndexError):
        y = y + 1
        y[99] = 0
        y = y + 1000
    return y


@program(lambda: (f8(3), []))
def exit_stack(x, log):
    with contextlib.ExitStack() as stack:
        for _ in range(2):
            x = x + stack.enter_context(Manager(log))
        stack.callback(log.append, "callback")
    return x, log


@program(lambda: (f8(3),), lambda: (f8(3) * 0,))
def errstate_ignore(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = x / (x * 0)
    return y


@program(lambda: (f8(3),))
def errstate_only_inside(x):
    zero = x * 0
    with np.errstate(divide="ignore"):
        a = 1 / zero
    b = 1 / zero
    return a, b


@program(lambda: (f8(3),))
def errstate_raise_is_caught(x):
    try:
        with np.errstate(divide="raise"):
            y = x * 2
            return y / (x * 0)
    except FloatingPointError as e:
        return str(e)


@program(lambda: (f8(3),), errstate={"all": "raise"})
def errstate_raise_outside(x):
    y = x + 1
    return y / (x * 0)


@program(lambda: (np.array([1e200, 2.0]),), errstate={"all": "ignore"})
def errstate_ignore_outside(x):
    return x * x, np.log(-x), x / 0


@program(lambda: (f8(3),))
def errstate_call(x):
    seen = []
    with np.errstate(divide="call", call=lambda kind, flag: seen.append((kind, flag))):
        y = x / (x * 0)
    return y, seen


@program(lambda: (f8(3),))
def errstate_print(x):
    with np.errstate(all="ignore", over="warn"):
        y = (x * 1e308) * 10
        with np.errstate(over="ignore"):
            z = (x * 1e308) * 10
    return y, z, np.geterr()["over"]


@program(lambda: (f8(3),))
def errstate_as_decorator(x):
    @np.errstate(invalid="ignore")
    def f(v):
        return np.sqrt(v)

    return f(-abs(x)), np.sqrt(-abs(x))


@program(lambda: (f8(3),))
def seterr_is_a_setting(x):
    old = np.seterr(divide="ignore")
    y = x / (x * 0)
    np.seterr(**old)
    return y, old


@program(lambda: (f8(3),))
def warnings_caught_by_the_program(x):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y = x / (x * 0)
        warnings.warn("own", UserWarning, stacklevel=1)
    return y, [(w.category.__name__, str(w.message), w.lineno) for w in caught]


@program(lambda: (f8(3),))
def warnings_as_errors(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            y = x / (x * 0)
        except RuntimeWarning as w:
            return "caught", str(w)
    return y


@program(lambda: (f8(3),))
def warnings_come_once_per_line(x):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            x / (x * 0)
        x / (x * 0)
    return [w.lineno for w in caught]


@program(lambda: (f8(3),))
def own_warning_with_stacklevel(x):
    def inner(v):
        warnings.warn("deep", DeprecationWarning, stacklevel=2)
        return v * 2

    return inner(x) + inner(x + 1)


@program(lambda: (np.array([-1.0, 4.0]), np.array([0.0, 1e308])))
def lines_of_warnings(x, y):
    a = np.sqrt(x)
    b = np.log(y)
    c = y * 10
    d = x / (y * 0)
    return a + b, c, d


@program(lambda: (np.array([1.0, 0.0]),))
def several_warnings_on_one_line(x):
    return 1 / x + np.log(x) + np.log(x - 1) * (x * 1e308 * 1e10)


@program(lambda: (f8(3),))
def lock_and_file(x):
    lock = threading.Lock()
    with lock:
        y = x + 1
    with io.StringIO() as f:
        f.write("text")
        text = f.getvalue()
    return y, text, lock.locked()


@program(lambda: (f8(3),))
def redirected_output(x):
    buffer = io.StringIO()
    with contextlib.redirect_stdout(buffer):
        y = x + 1
        print("captured", y.shape)
    return buffer.getvalue(), y


@program(lambda: (f8(3), 0), lambda: (f8(3), 1), lambda: (f8(3), 5))
def with_in_try_in_loop(x, bad):
    log = []
    for i in range(3):
        try:
            with Manager(log):
                x = x + i
                if i == bad:
                    raise ValueError(i)
                x = x * 2
        except ValueError as e:
            log.append(e.args)
        finally:
            log.append("f")
    return x, log


@program(lambda: (None, f8(3)))
def with_on_what_is_no_manager(m, x):
    y = x * 2
    with m:
        y = y + 1
    return y


class Looking:
    """Its __exit__ looks at what was raised."""

    def __init__(self):
        self.seen = []

    def __enter__(self):
        return self

    def __exit__(self, kind, value, tb):
        self.seen.append((kind, str(value), tb is None, sys.exc_info()[0]))
        return True


class BrokenEntry(Manager):
    def __enter__(self):
        self.log.append("try")
        raise KeyError("entry failed")


class Count:
    def __init__(self):
        self.inside = self.total = 0

    def __enter__(self):
        self.inside += 1
        self.total += 1
        return self

    def __exit__(self, *error):
        self.inside -= 1


@program(lambda: (f8(3),))
def null_context(x):
    with contextlib.nullcontext():
        y = x + 1
        with contextlib.nullcontext(y) as z, contextlib.nullcontext((1, 2)) as (a, b):
            y = z * a + b
    return y - 1


@program(lambda: (f8(3), True), lambda: (f8(3), False))
def null_context_left_early(x, early):
    for i in range(3):
        with contextlib.nullcontext(i) as k:
            x = x + k
            if early and k == 1:
                return x * 2
            if k == 0:
                continue
        x = x - 1
    return x


@program(lambda: (f8(3),))
def break_inside_null_context(x):
    with contextlib.nullcontext(3) as k:
        y = x + k
        print("inside", y.shape)
        y = y * 2
        with contextlib.nullcontext():
            y[0] = 7
            print("deeper", y[0])
    return y - 1


@program(lambda: (f8(3),))
def error_inside_null_context(x):
    y = x + 1
    with contextlib.nullcontext():
        y = y * 2
        return y + f8(8)


@program(lambda: (f8(3),))
def warning_inside_null_context(x):
    with contextlib.nullcontext():
        y = 1 / (x * 0)
    return y + 1


@program(lambda: (f8(3), contextlib.nullcontext(4)))
def null_context_from_outside(x, context):
    with context as k:
        y = x * k
    return y - 1, context.enter_result


@program(lambda: (f8(3), []))
def known_error_suppressed(x, log):
    with contextlib.suppress(KeyError, IndexError):
        x = x + 1
        log.append("before")
        {}["no"]
        log.append("never")
    with contextlib.suppress(KeyError):
        with contextlib.suppress(IndexError):
            raise KeyError("outer")
        x = x + 1000
    return x * 2, log


@program(lambda: (f8(3), []))
def known_error_swallowed(x, log):
    with Manager(log, swallow=True):
        x = x + 1
        raise ValueError("gone")
    return x * 2, log


@program(lambda: (f8(3), Looking()))
def exit_that_looks(x, looking):
    with looking as same:
        x = x + 1
        raise ValueError("seen")
    with looking:
        x = x * 2
    return x, looking.seen, same is looking


@program(lambda: (f8(3), []))
def entry_that_fails(x, log):
    try:
        with BrokenEntry(log):
            x = x + 1000
    except KeyError:
        x = x * 2
    return x, log


@program(lambda: (f8(3), Count()))
def counted_inside(x, count):
    with count as c:
        y = x + c.inside
        with count:
            y = y * c.inside
            print("deep", c.inside, c.total)
        y = y - c.inside
    return y + count.inside, count.total


@program(lambda: (f8(3), Count()))
def counted_when_it_fails(x, count):
    try:
        with count:
            with count:
                y = x + count.inside
                y = y + f8(9)
    except ValueError:
        y = x - 1
    return y, count.inside, count.total


@program(lambda: (f8(3), Count()))
def counted_in_a_generator(x, count):
    def steps(v):
        with count:
            yield v + count.inside
            yield v - count.inside

    return list(steps(x)), count.inside


@program(lambda: (f8(3), Count()))
def method_of_the_manager_changes(x, count):
    out = []
    enter = Count.__enter__
    for i in range(4):
        with count as c:
            x = x + 1
        out.append(c)
        if i == 2:
            Count.__enter__ = lambda self: "other"
    Count.__enter__ = enter
    return x, out[-1], count.inside
