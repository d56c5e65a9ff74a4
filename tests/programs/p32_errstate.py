"""np.errstate inside of compiled code: which state each operation runs under, and which one CPython
finds wherever it goes on."""

import asyncio
import contextvars
import warnings

import numpy as np
from support.arrays import f4, f8
from support.program import program, scenario


def with_zeros():
    x = f8(100)
    x[::7] = 0
    return x


def two():
    return f8(100) + 1, with_zeros()


@program(two)
def all_ignored(x, y):
    with np.errstate(all="ignore"):
        return np.log(x / y) * 2 + np.sqrt(-x)


@program(two)
def only_one_kind_ignored(x, y):
    with np.errstate(divide="ignore"):
        a = x / y
    with np.errstate(invalid="ignore"):
        b = np.sqrt(-x * 2)
    with np.errstate(invalid="ignore"):
        c = x / y
    return a, b, c


@program(two)
def the_same_before_within_and_after(x, y):
    a = x / y
    with np.errstate(divide="ignore"):
        b = x / y
    c = x / y
    return a, b, c, np.geterr()


@program(two, errstate={"all": "ignore"})
def warned_of_within(x, y):
    a = x / y
    with np.errstate(divide="warn"):
        b = (x + 1) / y
    c = x / y + 1
    return a, b, c


@program(two, errstate={"divide": "raise"})
def ignored_where_it_would_be_raised(x, y):
    with np.errstate(divide="ignore"):
        a = x / y + 1
    try:
        return a, x / y
    except FloatingPointError as error:
        return a, str(error)


@program(two)
def blocks_in_blocks(x, y):
    with np.errstate(all="ignore"):
        a = x / y
        with np.errstate(divide="warn"):
            b = x / y
            with np.errstate(divide="ignore"):
                c = x / y
            d = x / y
        e = x / y
    return a, b, c, d, e


@program(two)
def nothing_but_quiet_work(x, y):
    with np.errstate(all="ignore"):
        m = (x > 0) & (y != 0)
    return np.where(m, x, y)


@program(two)
def chosen_after_the_block(x, y):
    with np.errstate(divide="ignore", invalid="ignore"):
        q = x / y
    return np.where(y != 0, q, 0.0)


@program(two)
def asked_in_the_block(x, y):
    with np.errstate(over="ignore", divide="ignore"):
        a = x / y
        state = np.geterr()
        b = a * 1e300
    return a, b, state, np.geterr()


@program(two)
def a_print_in_nested_blocks(x, y):
    with np.errstate(all="ignore"):
        a = x / y
        with np.errstate(over="warn"):
            b = x * 1e308 * 100
            print(np.geterr())
            c = x * 1e308 * 100
        print(np.geterr())
        d = x * 1e308 * 100
    print(np.geterr())
    return a, b, c, d


@program(lambda: (f8(100) + 1, with_zeros(), f8(100)))
def a_store_and_then_a_warning(x, y, out):
    """The window of the warning begins in the block."""
    with np.errstate(divide="warn", over="ignore"):
        out[1:-1] = x[1:-1] * 2 + 1
        a = x / y + 1
    return a, out, x / y


@program(lambda: (f8(100) + 1, with_zeros(), f8(100)))
def a_store_and_then_silence(x, y, out):
    with np.errstate(divide="ignore", over="ignore"):
        out[1:-1] = x[1:-1] / y[1:-1]
        a = x / y + 1
    b = x / y + 2
    return a, b, out


@program(lambda: (f8(100) + 1, with_zeros(), f8(100)))
def stores_under_two_states(x, y, out):
    with np.errstate(divide="ignore"):
        np.divide(x, y, out=out)
        out += x
    np.divide(x, y, out=out)
    with np.errstate(divide="ignore"):
        v = x * 2
        with np.errstate(divide="warn"):
            np.divide(v, y, out=out)
    return out


@program(lambda: (f8(100) + 1, with_zeros(), np.zeros(100, "f4")))
def a_step_with_effects_in_a_block(x, y, out):
    with np.errstate(all="ignore"):
        out[:] = x * 1e300
        y.fill(3)
        out[::2] = y[::2] * 1e200
    out[:50] = x[:50] * 1e300
    return out


@program(lambda: (f8(4), np.arange(4)))
def a_step_with_effects_raises_in_a_block(x, ints):
    seen = []
    try:
        with np.errstate(over="ignore", divide="warn"):
            y = x * 1e308 * 10
            np.add(x, y, out=ints)
    except TypeError as error:
        seen.append(type(error).__name__)
    return seen, np.geterr(), ints


@program(lambda: (f8(4), f8(3)))
def shapes_do_not_fit_in_a_block(x, y):
    with np.errstate(all="ignore"):
        z = x / 0
        return z + y


@program(lambda: (f8(4),))
def raised_in_a_block(x):
    try:
        with np.errstate(all="ignore"):
            y = x / 0
            raise KeyError("here")
    except KeyError:
        return y, np.geterr(), x / 0


@program(lambda: (f8(4),))
def a_warning_is_an_error_in_a_block(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            with np.errstate(divide="warn", invalid="ignore"):
                a = x * 0 / 0
                b = x / 0
        except RuntimeWarning as error:
            return a, str(error), np.geterr()


@program(lambda: (f8(4),))
def states_that_do_more(x):
    told = []
    with np.errstate(divide="call", call=lambda kind, flag: told.append(kind)):
        a = x / 0
    with np.errstate(all="ignore", call=print):
        b = x / 0
    try:
        with np.errstate(divide="raise"):
            c = x / 0
    except FloatingPointError as error:
        told.append(str(error))
    return a, b, told, np.geterr(), np.geterrcall()


@program(lambda: (f8(4), "ignore"), lambda: (f8(4), "warn"), lambda: (f8(4), "no such mode"))
def the_mode_is_an_argument(x, mode):
    with np.errstate(divide=mode):
        return x / 0


@program(lambda: (f8(4), {"divide": "ignore"}), lambda: (f8(4), {"zero": "ignore"}))
def words_in_a_dict(x, words):
    with np.errstate(**words):
        return x / 0, np.geterr()


@program(lambda: (f8(4),))
def as_a_name(x):
    with np.errstate(divide="ignore") as name:
        y = x / 0
    return y, name


@program(lambda: (f8(4),))
def kept_in_a_variable(x):
    state = np.errstate(divide="ignore")
    with state:
        y = x / 0
    return y, x / 0, type(state).__name__


@program(lambda: (f8(4),))
def entered_twice(x):
    state = np.errstate(divide="ignore")
    with state:
        y = x / 0
    try:
        with state:
            return x / 0
    except TypeError as error:
        return y, str(error), np.geterr()


class Holder:
    state = None


@program(lambda: (f8(4), Holder()))
def kept_in_an_object(x, holder):
    holder.state = np.errstate(divide="ignore")
    with holder.state:
        y = x / 0
        print(np.geterr()["divide"])
        z = x / 0
    return y, z, type(holder.state).__name__, holder.state is None


@program(lambda: (f8(4), Holder()))
def handed_out_while_open(x, holder):
    state = np.errstate(divide="ignore")
    with state:
        holder.state = state
        y = x / 0 + 1
    return y, type(holder.state).__name__


@program(lambda: (f8(4),))
def entered_by_hand(x):
    state = np.errstate(divide="ignore")
    state.__enter__()
    y = x / 0
    state.__exit__(None, None, None)
    return y, x / 0


@program(lambda: (f8(4),))
def left_open_by_hand(x):
    state = np.errstate(divide="ignore")
    state.__enter__()
    try:
        return x / 0, np.geterr()
    finally:
        state.__exit__()


@program(lambda: (f8(4),))
def seterr_in_a_block(x):
    with np.errstate(divide="ignore"):
        a = x / 0
        old = np.seterr(invalid="ignore")
        b = x * 0 / 0
    return a, b, old, np.geterr()


@np.errstate(divide="ignore")
def reciprocal(x):
    return 1 / x


@program(lambda: (f8(4) * 0,))
def a_decorated_function(x):
    return reciprocal(x) + 1, reciprocal(x=x), 1 / x


@np.errstate(divide="ignore")
def talks(x):
    y = 1 / x
    print(np.geterr()["divide"])
    return y + 1 / x


@program(lambda: (f8(4) * 0,))
def a_decorated_function_that_breaks(x):
    return talks(x) + 1, 1 / x


@np.errstate(divide="ignore")
def raises(x):
    y = 1 / x
    raise ValueError(len(y))


@program(lambda: (f8(4) * 0,))
def a_decorated_function_that_raises(x):
    try:
        raises(x)
    except ValueError as error:
        return error.args, 1 / x


@program(lambda: (f8(4) * 0,))
@np.errstate(divide="ignore", invalid="ignore")
def decorated_itself(x):
    return x / x, 1 / x, np.geterr()


@program(lambda: (f8(4) * 0,))
def a_block_in_a_callee(x):
    def inverse(v):
        with np.errstate(divide="ignore"):
            return 1 / v

    a = inverse(x)
    return a, inverse(x + 0), 1 / x


@program(lambda: (f8(4) * 0,))
def a_callee_breaks_in_its_block(x):
    def inverse(v):
        with np.errstate(divide="ignore"):
            w = 1 / v
            print(np.geterr())
            return 1 / v + w

    return inverse(x), 1 / x


@program(lambda: (f8(4) * 0, 4))
def a_block_in_a_loop(x, n):
    total = x
    for i in range(n):
        with np.errstate(divide="ignore"):
            total = total + i / x
        if i == 2:
            print(total)
    return total


@program(lambda: (f8(4) * 0, 60))
def a_loop_in_a_block(x, n):
    total = x
    with np.errstate(divide="ignore"):
        for i in range(n):
            total = total + (i + 1) / x
            if i % 20 == 3:
                print(i)
    return total, 1 / x


@program(lambda: (f8(4) * 0, 60))
def out_of_a_loop_and_a_block(x, n):
    for i in range(n):
        with np.errstate(divide="ignore"):
            y = (i + 1) / x
            if i == 5:
                break
            if i == 3:
                continue
        print(i)
    return y, 1 / x, np.geterr()


@program(lambda: (f8(4) * 0,))
def a_generator(x):
    def make(v):
        with np.errstate(divide="ignore"):
            yield 1 / v
            yield 2 / v + 1

    made = make(x)
    first = next(made)
    state = np.geterr()
    second = 1 / x
    return first, state, second, list(made), np.geterr()


@program(lambda: (f8(4) * 0,))
def a_generator_is_dropped(x):
    def make(v):
        with np.errstate(divide="ignore"):
            yield 1 / v

    made = make(x)
    first = next(made)
    made.close()
    return first, np.geterr(), 1 / x


@program(lambda: (f8(4) * 0,))
def a_coroutine(x):
    async def work(v):
        with np.errstate(divide="ignore"):
            a = 1 / v
            await asyncio.sleep(0)
            return a + 1 / v

    async def both():
        return await asyncio.gather(work(x), work(x + 0))

    return asyncio.run(both()), np.geterr()


@program(lambda: (f8(4) * 0,))
def in_a_context_of_its_own(x):
    def work(v):
        with np.errstate(divide="ignore"):
            a = 1 / v
            print(np.geterr()["divide"])
        return a

    return contextvars.copy_context().run(work, x), np.geterr()


@program(lambda: (f8(100) + 1, with_zeros()))
def under_a_mask(x, y):
    with np.errstate(divide="ignore"):
        out = np.zeros_like(x)
        m = y > 0
        out[m] = x[m] / 2
        out[~m] = np.inf
    return out, x / y


@program(lambda: (f4(50) * np.float32(1e37),))
def narrow_floats(x):
    with np.errstate(over="ignore"):
        a = x * np.float32(100)
        b = (x.astype("f8") * 1e10).astype("f4")
        c = x < 1e300
    return a, b, c, x * np.float32(100)


@program(lambda: (np.arange(8),))
def integers(x):
    with np.errstate(divide="ignore"):
        a = x // (x - x)
    return a, x // (x - x), x % (x - x)


@program(lambda: (np.float64(0.0), f8(3)))
def numpy_scalars(s, x):
    with np.errstate(divide="ignore"):
        a = np.float64(1.0) / s
    return a + x, np.float64(1.0) / s


@program(two)
def linear_algebra_in_a_block(x, y):
    with np.errstate(all="ignore"):
        m = np.outer(x[:3], y[1:4]) / y[:3]
        return np.nanmax(m), m.mean(), np.var(x / y)


@program(two)
def a_call_is_set_meanwhile(x, y):
    """What np.seterrcall gave is still there in a block, wherever CPython looks."""

    def told(kind, flag):
        print(kind)

    np.seterrcall(told)
    with np.errstate(divide="ignore"):
        a = x / y
        kept = np.geterrcall() is told
    np.seterrcall(None)
    return a, kept


@program(two)
def a_buffer_size_in_a_block(x, y):
    old = np.setbufsize(16 * 1024)
    with np.errstate(divide="ignore"):
        a = x / y
        size = np.getbufsize()
    np.setbufsize(old)
    return a, size


@scenario
def another_errstate_later(jit):
    def f(x):
        with np.errstate(divide="ignore"):
            y = x / 0
        return y, x * 0 / 0

    g = jit(f)
    for state in ("warn", "ignore", "warn"):
        with np.errstate(invalid=state):
            yield g(f8(5))
            yield np.geterr()
    with np.errstate(invalid="raise"):
        try:
            yield g(f8(5))
        except FloatingPointError as error:
            yield str(error)
    yield np.geterr()


@scenario
def the_class_is_patched(jit):
    def f(x):
        with np.errstate(divide="ignore") as name:
            return x / 0, name

    g = jit(f)
    yield g(f8(5))
    yield g(f8(5))
    enter = np.errstate.__enter__

    def named(self):
        enter(self)
        return "patched"

    np.errstate.__enter__ = named
    try:
        yield g(f8(5))
    finally:
        np.errstate.__enter__ = enter
    yield g(f8(5))


@program(lambda: (f8(100) + 1, with_zeros()))
def in_place_in_a_row_under_two_states(x, y):
    with np.errstate(divide="ignore"):
        x /= y
    x *= y
    x += 1
    with np.errstate(invalid="ignore"):
        x -= np.inf
        x += np.inf
        with np.errstate(divide="ignore"):
            x /= y
            x *= 2
    x /= y
    return x
