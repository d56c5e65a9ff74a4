"""Generators, coroutines and async code: regions stand between yields."""

import asyncio
import contextlib
import gc
import itertools

from support.arrays import f4, f8
from support.program import program, scenario


def produce(x, n):
    for i in range(n):
        x = x * 0.5 + i
        yield x


def talks(x, log):
    log.append("start")
    got = yield x
    log.append(("got", got))
    try:
        got = yield x * got
    except ValueError as e:
        log.append(("error", str(e)))
        got = yield "handled"
    finally:
        log.append("finally")
    return got


def delegating(x, log):
    result = yield from talks(x, log)
    yield ("result", result)
    yield from [1, 2]


async def worker(x, log, name):
    log.append(name)
    y = x * 2
    await asyncio.sleep(0)
    log.append(name + " again")
    return y + 1


async def ticks(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i


class Turnstile:
    def __init__(self, log):
        self.log = log

    async def __aenter__(self):
        self.log.append("aenter")
        return self

    async def __aexit__(self, *error):
        self.log.append(("aexit", error[0].__name__ if error[0] else None))
        return False


@program(lambda: (f8(3), 3), lambda: (f4(2), 1), lambda: (f8(3), 40))
def generator_function(x, n):
    for i in range(n):
        x = x * 2 + i
        yield x.sum()
        x = x - 1


@program(lambda: (f8(3), 4), lambda: (f8(3), 0))
def generator_consumed_inside(x, n):
    total = 0
    for y in produce(x, n):
        total = total + y
    return total, list(produce(x, 2)), sum(v.sum() for v in produce(x, 3))


@program(lambda: (f8(3), []))
def send_and_throw(x, log):
    g = talks(x, log)
    a = next(g)
    b = g.send(3)
    c = g.throw(ValueError("thrown"))
    try:
        g.send("last")
    except StopIteration as stop:
        d = stop.value
    return a, b, c, d, log


@program(lambda: (f8(3), []))
def close_runs_finally(x, log):
    g = talks(x, log)
    next(g)
    g.send(2)
    g.close()
    return log, list(g)


@program(lambda: (f8(3), []))
def yield_from(x, log):
    g = delegating(x, log)
    out = [next(g), g.send(2)]
    out.append(g.send("end"))
    out.extend(g)
    return out, log


@program(lambda: (f8(3), 2), lambda: (f8(3), 7))
def generator_raises(x, i):
    y = x + 1
    yield y
    yield y[i]
    yield "after"


@program(lambda: (f8(3),))
def stop_iteration_inside_a_generator(x):
    def bad():
        yield x
        raise StopIteration("inner")

    try:
        return list(bad())
    except RuntimeError as e:
        return str(e), repr(e.__cause__)


@program(lambda: (f8(3),))
def generator_with_finally_is_left_early(x):
    log = []

    def source():
        try:
            for i in range(10):
                yield x * i
        finally:
            log.append("closed")

    for y in source():
        if y.sum() != 0 or len(log) > 3:
            break
    gc.collect()
    return y, log


@program(lambda: (f8(3), 3))
def two_generators_in_turn(x, n):
    a, b = produce(x, n), produce(x * 2, n)
    return [p + q for p, q in zip(a, b)], next(a, "end")


@program(lambda: (f8(3),))
def generator_changes_its_argument(x):
    def steps():
        for i in range(3):
            x[i] = i * 10
            yield x.sum()

    seen = []
    for s in steps():
        seen.append(s)
        x[0] += 1
    return seen


@program(lambda: (f8(3), 5))
def infinite_generator(x, n):
    def forever():
        k = 0
        while True:
            yield x * k
            k += 1

    return list(itertools.islice(forever(), n))


@program(lambda: (4,))
def recursive_generator(n):
    def walk(depth):
        if depth:
            yield depth
            yield from walk(depth - 1)
            yield -depth

    return list(walk(n))


@program(lambda: (f8(3),))
def generator_attributes(x):
    g = produce(x, 2)
    before = g.gi_frame is not None, g.gi_running
    next(g)
    list(g)
    return before, g.gi_frame, g.gi_code.co_name


@program(lambda: (f8(3),))
def coroutine(x):
    log = []
    result = asyncio.run(worker(x, log, "one"))
    return result, log


@program(lambda: (f8(3),))
def gathered_tasks(x):
    log = []

    async def main():
        return await asyncio.gather(worker(x, log, "a"), worker(x + 1, log, "b"))

    return asyncio.run(main()), log


@program(lambda: (f8(3), 3))
def async_for_and_comprehension(x, n):
    async def main():
        total = x
        async for i in ticks(n):
            total = total + i
        return total, [x * i async for i in ticks(n) if i != 1]

    return asyncio.run(main())


@program(lambda: (f8(3),))
def async_with(x):
    log = []

    async def main():
        async with Turnstile(log):
            y = x * 2
            log.append("body")
        try:
            async with Turnstile(log):
                return y + f8(9)
        except ValueError:
            return y

    return asyncio.run(main()), log


@program(lambda: (f8(3),))
def exception_through_await(x):
    async def fails():
        y = x * 2
        await asyncio.sleep(0)
        return y[7]

    async def main():
        return await fails()

    return asyncio.run(main())


@program(lambda: (f8(3),))
def coroutine_driven_by_hand(x):
    async def double():
        return x * 2

    c = double()
    try:
        c.send(None)
    except StopIteration as stop:
        return stop.value, x


@program(lambda: (f8(3),))
def cancelled_task(x):
    log = []

    async def slow():
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            log.append("cancelled")
            raise

    async def main():
        task = asyncio.create_task(slow())
        await asyncio.sleep(0)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            return x + 1

    return asyncio.run(main()), log


@scenario
def compiled_generator_function(jit):
    compiled = jit(produce)
    for n in (3, 1, 3):
        yield list(compiled(f8(3), n))
    g = compiled(f8(3), 5)
    first = next(g)
    yield first, next(g)
    del g


@scenario
def compiled_coroutine_function(jit):
    compiled = jit(worker)
    for x in (f8(3), f4(2), f8(3)):
        log = []
        yield asyncio.run(compiled(x, log, "n")), log


@scenario
def generator_outlives_its_compile(jit):
    g = jit(produce)(f8(3), 6)
    seen = [next(g)]
    for _ in range(2):
        jit(produce)(f8(2), 2)
        seen.append(next(g))
    seen.extend(g)
    return seen


@scenario
def context_manager_function(jit):
    log = []

    @contextlib.contextmanager
    @jit
    def managed(x):
        log.append("in")
        y = x * 2
        yield y
        log.append("out")

    for _ in range(3):
        with managed(f8(2)) as y:
            log.append(y)
    return log
