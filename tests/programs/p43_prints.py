"""print() in graphs: every time, in order, with what stands before and after it."""

import contextlib
import io
import os
import sys
import tempfile
import warnings

import numpy as np
from support.arrays import f2, f4, f8, i8
from support.program import scenario

import jitcore

WIDE = "gr\u00f6\u00dfer \u2192 \u4f60"


def printed(fn, *args):
    """What was written, and how the call ended, warnings by their lines included."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.showwarning = lambda text, cls, file, line, *_: print("warned", text, line)
        try:
            found = fn(*args)
        except Exception as error:
            found, at = [], error.__traceback__
            while at is not None:
                if at.tb_frame.f_code.co_filename == __file__:
                    found.append((at.tb_frame.f_code.co_name, at.tb_lineno))
                at = at.tb_next
            found = type(error).__name__, str(error), found
    return found, out.getvalue(), [(str(w.message), w.lineno) for w in caught]


@scenario
def between_kernels(jit):
    @jit
    def f(x, k):
        y = x * 2 + 1
        print("first", x.shape, y.ndim, k, end=";\n")
        z = y * y - x
        print(f"then {len(x)}", z.sum(), z[0], sep=" | ", flush=True)
        z = z / 3
        print()
        print(None, True, 1.5, -0.0, 2j, ..., (1, ("a", 2.5)), [x.ndim, "b"], sep="", end="")
        return z + y

    for x in (f8(300), f8(300), f4(7), i8(9), f8(40), f8(300), f8(2, 3)):
        for k in (1, 2.5, np.float32(3)):
            yield printed(f, x, k)


@scenario
def numbers(jit):
    @jit
    def f(x, i, r, c):
        y = x * 2 + 1
        print(y[0], y.sum(), y.max() > 0, i, r, c, i + 1, r * 2, -c, y.argmax(), y[0] * i)
        return y

    for x in (f8(4), f4(4), f2(4), i8(4), f8(4) + 1j, np.array([True, False]), f8(4) / 0.0):
        yield printed(f, x, 3, 2.5, 1j)
    yield printed(f, f8(4), 10**30, float("nan"), complex("inf"))
    yield printed(f, f8(4), 10**5000, 1e300, 0j)


@scenario
def warnings_stand_between(jit):
    @jit
    def f(x):
        y = np.sqrt(x)
        print("after the root")
        z = 1 / x
        print("after the division")
        return np.log(y) + z

    for x in (f8(4) ** 2 + 1, f8(4), np.zeros(3), f8(4) ** 2 + 1, np.array([1.0, -1.0, 0.0])):
        for _ in range(2):
            yield printed(f, x)


@scenario
def exceptions_stand_between(jit):
    @jit
    def f(x, y):
        a = x * 2
        print("before")
        b = a + y
        print("after")
        return b[5]

    for other in (f8(6), f8(6), f8(5), f8(6), f8(3), None, 2.0):
        yield printed(f, f8(6), other)
    yield printed(f, f8(4), f8(4))


@scenario
def what_cannot_be_written(jit):
    @jit
    def f(x, out):
        y = x * 2 + 1
        print("a text", WIDE, file=out)
        z = y * 3
        print("another", y[0], file=out, sep=", ")
        return z

    @jit
    def plain(x):
        y = x * 2 + 1
        print("a text", WIDE)
        return y * 3

    closed = io.StringIO()
    closed.close()
    for out in (io.StringIO(), None, closed, 5, io.StringIO(), sys.stdout, closed, closed):
        yield printed(f, f8(4), out), getattr(out, "closed", None)
    for encoding, errors in (("ascii", "strict"), ("utf-8", "strict"), ("latin-1", "replace")):
        low = io.BytesIO()
        high = io.TextIOWrapper(low, encoding, errors)
        yield printed(f, f8(4), high), high.flush(), low.getvalue()
        with contextlib.redirect_stdout(high):
            try:
                yield plain(f8(4))
            except UnicodeEncodeError as error:
                yield str(error)
        yield high.flush(), low.getvalue()


@scenario
def into_files(jit):
    @jit
    def f(x, out):
        y = x * 2 + 1
        print("one", file=out)
        z = y * y
        print("two", WIDE, y[0], file=out, flush=True)
        return z - y

    folder = tempfile.mkdtemp()
    name = os.path.join(folder, "out")
    for encoding in ("utf-8", "ascii", "utf-16"):
        for buffering in (-1, 1):
            with open(name, "w", buffering, encoding=encoding) as out:
                for _ in range(3):
                    yield printed(f, f8(4), out)
            with open(name, "rb") as back:
                yield back.read()
    with open(name) as out:
        yield printed(f, f8(4), out)
    os.remove(name)
    os.rmdir(folder)


@scenario
def streams_with_code(jit):
    """Which look at, and change, what the function works with."""
    seen = []

    class Model:
        k = 1.0

    model = Model()

    class Stream(io.StringIO):
        def write(self, text):
            seen.append((text, model.k, sorted(vars(model))))
            model.k += 1
            return super().write(text)

    class Other:
        def write(self, text):
            seen.append(text)

        def flush(self):
            seen.append("flushed")

    @jit
    def f(x, model):
        model.k = model.k * 2
        y = x * model.k + 1
        model.last = 5
        print("a", end="-")
        z = y * model.k - x
        print("b", flush=True)
        return z + model.k

    def patched(stream):
        stream.write = lambda text: seen.append(("own", text))
        return stream

    makers = (io.StringIO, Stream, Other, lambda: patched(io.StringIO()), lambda: None)
    for make in (*makers, *makers):
        for _ in range(2):
            with contextlib.redirect_stdout(make()):
                found = f(f8(4), model)
            yield found, model.k
            model.k = 1.0
    same = io.StringIO()
    for turn in range(14):
        with contextlib.redirect_stdout(same):
            found = f(f8(4), model)
        yield found, model.k, same.getvalue()
        if turn == 2:
            patched(same)
        if turn == 12:
            del same.write
    yield seen


@scenario
def print_is_another(jit):
    global print
    log = []

    @jit
    def f(x):
        y = x * 2 + 1
        print("a", x.shape)
        return y * 3

    yield printed(f, f8(4)), printed(f, f8(4))
    print = lambda *args: log.append(args)  # noqa: E731
    yield printed(f, f8(4)), list(log)
    globals().pop("print")
    yield printed(f, f8(4)), list(log)


@scenario
def in_loops(jit):
    @jit
    def unrolled(x):
        for k in range(3):
            x = x * 2 + k
            print("round", k, x[0])
        return x

    @jit
    def long(x, n):
        for k in range(n):
            x = x * 0.5 + k
            print("round", k, x[0], end=" ")
            x = x - 1
        return x

    @jit
    def numbers(x):
        total = 0.0
        for k in range(len(x)):
            total += x[k] * 2
            if k % 40 == 7:
                print("at", k, total)
        return total

    @jit
    def goes_on(x):
        k = 0
        while x[0] > 1:
            x = x / 2
            k += 1
            print(k, x[0])
        print("end", k)
        return x, k

    for _ in range(2):
        yield printed(unrolled, f8(4)), printed(long, f8(30), 20), printed(numbers, f8(100))
        yield printed(goes_on, f8(6) ** 2 * 100)


@scenario
def arrays_are_written_in_between(jit):
    @jit
    def f(x, y):
        x[:] = x * 2 + y
        print("sum", x.sum())
        x += 1
        print("sum", x.sum(), x[0])
        y[1:] = x[:-1]
        x += 1
        print(y[1])
        return x.mean()

    for n in (5, 5, 300, 5):
        x, y = f8(n), f8(n, seed=3)
        yield printed(f, x, y), x, y


@scenario
def in_handlers_and_blocks(jit):
    @jit
    def f(x, wanted):
        try:
            y = x * 2
            print("tried")
            if wanted:
                raise KeyError("k")
            y = y + 1
        except KeyError:
            print("caught")
            y = x - 1
        finally:
            print("finally")
        with np.errstate(divide="ignore"):
            y = y / 0.0
            print("within", y[0])
        return y / 0.0

    for wanted in (False, True, False, True):
        for _ in range(2):
            yield printed(f, f8(4), wanted)


@scenario
def in_functions_that_are_called(jit):
    def inner(x, k):
        y = x * k
        print("inner", k)
        return y + 1

    class Noisy:
        def __str__(self):
            print("asked")
            return "noisy"

    @jit
    def f(x, noisy):
        y = inner(x * 2, 3)
        print("outer", noisy, y[0], x)
        z = inner(y, 4)
        print(*["a", "b"], **{"sep": "-"})
        return z * y

    for _ in range(3):
        yield printed(f, f8(3), Noisy())


@scenario
def in_functions_of_functions(jit):
    """They are printed where the outermost call has returned, in order; what they raise comes from
    their lines."""

    def deep(k, out):
        print("deep", k, file=out)
        return k * 2

    def middle(x, k, out):
        y = x * 2 + k
        print("in", y[0], x.shape, end=" ")
        d = deep(k, out)
        z = np.sqrt(y) + y
        print(f"out {z.sum()}", (lambda v: print("lambda", v) or v + 1)(d))
        return z / k

    def careful(x, out):
        y = x + 1
        try:
            print("careful", y[0], file=out)
        except ValueError:
            return y - 1
        with np.errstate(divide="ignore"):
            print("in a block")
            return y / 0.0

    def raises(x, k):
        print("raises", x[0], k)
        if k > 2:
            raise KeyError(k)
        return x * k

    class Model:
        def __init__(self, k):
            self.k = k
            print("made", k)

        def __call__(self, x):
            print("called", self.k)
            return [x * j for j in range(2) if not print("item", j)][-1]

    def yields(x):
        for k in range(3):
            print("yields", k)
            yield x * k

    @jit
    def f(x, k, out):
        a = x + 1
        print("before", k)
        b = middle(a * a, k, out)
        c = b * 2 - a
        print("after", c[0], end="")
        c[1:] = middle(c[1:], k, out) + 1
        return c / 3

    @jit
    def g(x, k, out):
        y = careful(x * 2, out) * 3
        try:
            return raises(y, k) + 1
        except KeyError as error:
            print("caught")
            return y + error.args[0]

    @jit
    def h(x, k):
        y = Model(k)(x * 2 + 1)
        for part in yields(y):
            y = y + part
        return [*map(lambda v: print("mapped", v) or v, (1, 2))], raises(y, k) * 2

    closed = io.StringIO()
    closed.close()
    for x in (f8(30), f8(30), f8(9), -f8(9), np.zeros(5)):
        for k in (1.0, 3.0, 0.0):
            yield printed(f, x, k, None)
            yield printed(h, x, k)
            for out in (None, io.StringIO(), closed, 5):
                yield printed(f, x, k, out), printed(g, x, k, out), getattr(out, "closed", None)
    with open("/dev/full", "w", buffering=1) as full:
        yield printed(f, f8(30), 1.0, full), printed(g, f8(30), 1.0, full)
        with contextlib.suppress(OSError):
            full.close()


@scenario
def as_a_value(jit):
    @jit
    def f(x):
        y = x * 2 + 1
        got = print("a"), print("b", y[0])
        say = print
        say("c")
        return y * 2, got, [say("d") for _ in range(2)]

    for _ in range(2):
        yield printed(f, f8(4))


@scenario
def wrong_words(jit):
    @jit
    def f(x, words):
        y = x * 2 + 1
        print("a", **words)
        return y * 2

    for words in ({"sep": 3}, {"end": None}, {"no": 1}, {"sep": None}, {"flush": 0}, {"end": ""}):
        yield printed(f, f8(4), words), printed(f, f8(4), words)


@scenario
def texts(jit):
    @jit
    def f(x, text):
        y = x * 2 + 1
        print(text, WIDE, "\ud800" if x.ndim > 1 else "", text + "!", ["\u00e9", WIDE])
        return y * 2

    for text in ("a", "\u00e9", "a", "a\nb\r\n", "\0", "\udc80"):
        yield printed(f, f8(4), text), printed(f, f8(2, 2), text)
    low = io.BytesIO()
    out = io.TextIOWrapper(low, "utf-8", newline="\r\n")
    for text in ("a\nb", "\udc80", "a\nb"):
        with contextlib.redirect_stdout(out):
            try:
                yield f(f8(4), text)
            except UnicodeEncodeError as error:
                yield str(error)
        yield out.flush(), low.getvalue()


@scenario
def an_exit_in_the_middle(jit):
    """What is held back, and what was printed, are both done once."""

    class Counter:
        n = 0

    @jit
    def f(x, k, counter, found):
        counter.n += 1
        found.append(counter.n)
        y = x * 2
        print("one", counter.n, len(found))
        counter.n += 1
        z = y / k
        print("two", counter.n)
        found.append(z[0])
        return z

    for k in (2.0, 2.0, 0.0, f8(3), f8(4), "text", 2.0):
        counter, found = Counter(), [0]
        yield printed(f, f8(4), k, counter, found), counter.n, found


@jitcore.allow_in_graph
def opaque(x):
    print("opaque", x if x is None else np.shape(x))
    return x if x is None else x.sum()


@scenario
def beside_calls_that_are_allowed(jit):
    @jit
    def f(x):
        y = x * 2 + 1
        print(opaque(y), opaque(print("inside")), y[0])
        z = opaque(y) + opaque(y * 2) + y
        print("end", z[0])
        return z

    for _ in range(3):
        yield printed(f, f8(4))


@scenario
def texts_of_numbers(jit):
    @jit
    def f(x, i, r):
        y = x * 2 + 1
        text = f"step {i:>4} of {len(x)}: {y.sum():.3e} {y[0]!s:>8}" if i == 9 else f"step {i:>4}"
        print(text, f"{r:.2f}|{y[0]:10.3f}|{y.max()}|{i}", [f"{r}"], sep=f"-{i}-" if i < 0 else "-")
        y = y * 3
        print(f"{y[0] > 0} {y.sum() + 1j:.2f} {i / 7:%} {x.ndim}" + "!" if i > 5 else f"{i}")
        return y, text, f"{r:+}", f"{i}"

    for x in (f8(30), f8(30), f4(8), f2(4), i8(4), f8(4) + 1j, np.array([True, False]), f8(12)):
        for i, r in ((3, 2.5), (12, -0.0), (9, float("nan")), (-3, 1e300), (10**30, 2)):
            yield printed(f, x, i, r)


@scenario
def texts_that_fail(jit):
    @jit
    def f(x, r, spec):
        y = x * 2 + 1
        print("before")
        text = f"{r:{spec}}"
        print("after", text)
        return y * 3

    @jit
    def g(x, r):
        y = x * 2 + 1
        print("before")
        text = f"{r:d}"
        print("after", text)
        return y * 3

    for spec in (".2f", ".2f", "d", "no", "\u00e9>8", ".1f"):
        yield printed(f, f8(4), 2.5, spec), printed(f, f8(4), 2, spec)
    for r in (2, 2, 2.5, 3, "a", True, np.int8(3), np.float32(2)):
        yield printed(g, f8(4), r)


@scenario
def what_is_done_with_texts(jit):
    class Kept:
        pass

    @jit
    def f(x, r, kept, found):
        y = x * 2 + 1
        text = f"r is {r:.1f}"
        kept.text = text
        found.append(text)
        z = y * y
        return z, text, (text, len(text)), text + "!", text == "r is 2.5", {text: 1}, text.upper()

    @jit
    def inner(x, r):
        label = f"<{r}>"
        return x * r, label

    @jit
    def outer(x, r):
        y, label = inner(x, r)
        print(label, label is None, isinstance(label, str))
        for k in range(3):
            y = y + k
            label = f"{label}{k}{r}"
        return y, label

    for r in (2.5, 2.5, 3.0, 7):
        kept, found = Kept(), []
        yield printed(f, f8(4), r, kept, found), kept.text, found, printed(outer, f8(4), r)


@scenario
def texts_in_loops(jit):
    @jit
    def f(x, n):
        names = []
        for k in range(n):
            x = x * 0.5 + k
            print(f"{k}: {x[0]:.4f}", end=" ")
            names.append(f"n{k}")
        return x, names

    @jit
    def g(x):
        total = 0.0
        for k in range(len(x)):
            total += x[k]
            if k % 30 == 5:
                print(f"{k} {total:.2f}")
        return total

    for n in (3, 20, 3):
        yield printed(f, f8(30), n), printed(g, f8(100))
