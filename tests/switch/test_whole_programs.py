"""Whole programs: what they print and raise is the same plainly, with JITCORE=1, under stress."""

from __future__ import annotations

import pytest

WORK = """
    import sys, threading, traceback, warnings
    import numpy as np

    def work(x, n=40):
        y = x
        for i in range(n):
            y = np.sqrt(y * y + 1.0) * 0.5 - x
        return y

    X = np.linspace(0.0, 1.0, 2000)
    """

PROGRAMS = {
    "an error in a hot function": """
        def fails(x, at):
            for i in range(400):
                x = x * 0.999 + 0.5
                if i == at:
                    x = x + np.ones(3)
            return x.sum()

        print(fails(X, -1))
        for k in range(20):
            work(X)
            print(fails(X, -1))
        try:
            fails(X, 399)
        except ValueError:
            traceback.print_exc()
        fails(X, 7)
        """,
    "deep recursion": """
        def down(n, x):
            return down(n - 1, x) if n > 1 else work(x, 3)

        deepest = 0
        for k in range(20):
            for n in range(900, 1010, 3):
                try:
                    down(n, X)
                    deepest = max(n, deepest)
                except RecursionError:
                    pass
        print(deepest)
        """,
    "the end": """
        class Late:
            def __del__(self, work=work, X=X, print=print):
                for _ in range(300):
                    r = work(X)
                print(r.sum())

        import atexit
        atexit.register(lambda: print(work(X).sum()))
        late = Late()
        """,
    "threads": """
        found = []

        def many():
            for _ in range(100):
                r = work(X)
            found.append(r.tobytes())

        threads = [threading.Thread(target=many) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(len(found), len(set(found)), threading.active_count())
        """,
    "processes": """
        import multiprocessing

        def child(k):
            return work(X + k).sum()

        if __name__ == "__main__":
            for _ in range(100):
                work(X)
            for way in ("fork", "spawn"):
                with multiprocessing.get_context(way).Pool(2) as pool:
                    print(pool.map(child, range(3)))
        """,
    "tracing in the middle": """
        for _ in range(100):
            work(X)
        seen = []

        def trace(frame, event, arg):
            if frame.f_code.co_name == "work":
                seen.append((event, frame.f_lineno, sorted(frame.f_locals)))
            return trace

        sys.settrace(trace)
        work(X, 2)
        sys.settrace(None)
        print(seen)
        print(work(X).sum())
        """,
    "frames, lines and names": """
        def looks(x, n):
            for i in range(n):
                x = x * 0.5 + 1.0
                if i % 50 == 0:
                    frame = sys._getframe()
                    print(frame.f_lineno, frame.f_code.co_name, sorted(locals()), i, x[3])
                    warnings.warn("here")
            return x

        for k in range(6):
            looks(X, 200)
        print(looks.__code__.co_code == looks.__code__.replace().co_code, looks.__code__.co_consts)
        """,
    "another code": """
        def first(x):
            for i in range(50):
                x = x + 1.0
            return x

        def second(x):
            for i in range(50):
                x = x - 2.0
            return x

        for k in range(300):
            if k == 150:
                first.__code__ = second.__code__
            r = first(X)
            if k % 50 == 0:
                print(r[5])
        made = {}
        for k in range(5):
            exec("def f(x):\\n for i in range(%d): x = x * 0.5 + 1\\n return x" % (k + 90), made)
            for _ in range(50):
                r = made["f"](X)
            print(r.sum())
        """,
    "generators and coroutines": """
        import asyncio

        def parts(x):
            for i in range(500):
                x = x * 0.99 + np.sin(x)
                yield x

        async def sums(x):
            total = 0.0
            for i in range(300):
                x = x * 0.5 + 1.0
                total += x[i]
                await asyncio.sleep(0)
            return total

        async def all_of():
            return await asyncio.gather(*(sums(X + k) for k in range(5)))

        print([sum(p[3] for p in parts(X)) for _ in range(3)], asyncio.run(all_of()))
        left = parts(X)
        next(left)
        """,
    "a long loop that is called once": """
        def main():
            a, total = np.zeros(1000), 0
            for k in range(60_000):
                a[k % 1000] += k * 0.5
                total += int(a[(k * 7) % 1000]) & 3
                if k % 20_000 == 0:
                    print(k, total)
            print(a.sum(), total)

        main()
        """,
    "pickles and copies": """
        import copy, inspect, pickle
        for _ in range(100):
            work(X)
        print(pickle.loads(pickle.dumps(work)) is work, copy.deepcopy(work) is work)
        print(inspect.getsource(work), inspect.signature(work), work.__code__.co_firstlineno)
        """,
    "a loop over what answers by itself": """
        def starts(code):
            last = None
            for start, end, line in code.co_lines():
                if line is not None and line != last:
                    last = line
                    yield start, line

        for k in range(3):
            print(list(starts(starts.__code__)))
        """,
    "warnings of numbers": """
        def divides(x, y):
            for i in range(100):
                z = x / y
            return z

        for k in range(30):
            r = divides(X, X + 1.0)
        print(divides(X, X).sum())
        with np.errstate(all="raise"):
            try:
                divides(X, X)
            except FloatingPointError as error:
                print(error)
        """,
}


# Something that a capture looked at in the library ends with the garbage collector, in no order.
NO_STRESS = ("processes",)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same(run, name):
    program = f"{WORK}{PROGRAMS[name].replace(chr(10) + ' ' * 8, chr(10) + ' ' * 4)}"
    plain = run(program)
    assert plain.stdout
    stress = () if name in NO_STRESS else ({"JITCORE_STRESS": "1"},)
    for more in ({}, *stress):
        switched = run(program, JITCORE="1", **more)
        assert switched.stdout == plain.stdout
        assert (switched.stderr, switched.returncode) == (plain.stderr, plain.returncode)


def test_other_interpreters(run):
    program = """
        import sys, numpy
        name = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
        other = __import__(name)
        number = other.create()
        other.run_string(number, "print(6 * 7, flush=True)")
        other.destroy(number)
        """
    plain, switched = run(program), run(program, JITCORE="1")
    assert plain.stdout == "42\n"
    assert (switched.stdout, switched.stderr) == (plain.stdout, plain.stderr)


def test_the_evaluation_function_goes_and_comes_back(run):
    program = (
        WORK
        + """
    def plain(k):
        return k + 1

    from jitcore import _C
    def stands(calls):
        for k in range(calls):
            plain(k)
        return _C.hook_stands()

    work(X)
    print(stands(60_000), stands(60_000))
    for _ in range(200):
        np.sqrt(X)
    print(sum(work(X).nbytes for _ in range(200)), _C.hook_stands(), stands(60_000))
    """
    )
    assert run(program, JITCORE="1").stdout == "False False\n3200000 True False\n"
