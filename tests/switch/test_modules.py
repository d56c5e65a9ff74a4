"""Code of modules, scripts and notebook cells, whose names are in a dict, begun after NumPy."""

from __future__ import annotations

import pytest

RUN = """
    import sys
    import numpy as np
    codes = []  # what was compiled goes with its code object

    def execute(source, names, *locals):
        codes.append(compile(source, "cell.py", "exec"))
        exec(codes[-1], names, *locals)

    def show(names, *left_out):
        for name, value in names.items():  # in their order
            if name not in ("__builtins__", "np", *left_out):
                value = value.tobytes() if type(value) is np.ndarray else value
                print(name, value if not callable(value) else "", type(value).__name__)
    """
ARRAYS = """
import numpy as np
def step(u):
    return np.sqrt(u * u + 1.0) - u * 0.5
u = np.linspace(0, 1, 20_000)
seen = []
for k in range(2000):
    u = step(u)
    t = u * 2.0
    t = t - u
    if k == 1500:
        seen.append(float(t[3]))
        late = k
"""
NUMBERS = """
import numpy as np
x = np.arange(1000.0)
total, count = 0.0, 0
for i in range(400_000):
    total += x[i % 1000] * 0.5
    if i % 3 == 0:
        count += 1
"""
OTHERS_LOOK = """
import numpy as np
def now():
    return total + k
def add():
    global extra
    extra += 1
x, total, extra, seen = np.ones(3000), 0.0, 0, []
for k in range(4000):
    total += float((x * k + 1.0).sum())
    if k % 1000 == 999:
        seen.append(now())
        add()
"""
GOES = """
import numpy as np
x = np.ones(3000)
for k in range(4000):
    y = x * k + 1.0
    if k % 2:
        del y
    if k == 3990:
        max = min
    m = max(1, 2)
"""
FAILS = """
import numpy as np
x, k, total = np.arange(1000), 0, 0
try:
    while True:
        total += int(x[k]) * 2
        y = x * k + 1.0
        k += 1
except IndexError as error:
    text = str(error)
"""
CLASSES = """
import numpy as np
x = np.ones(2000)
class A:
    total = 0.0
    for k in range(3000):
        total += float((x * k).sum())
for r in range(3):
    class B(A):
        z = [i * r for i in range(3)]
kept = A.total, A.k, B.z
del A, B
"""
SOURCES = {
    "arrays": ARRAYS, "numbers": NUMBERS, "others_look": OTHERS_LOOK, "goes": GOES,
    "fails": FAILS, "classes": CLASSES,
}  # fmt: skip


@pytest.mark.parametrize("name", SOURCES)
def test_the_same(run, name):
    program = f"{RUN}\n    SOURCE = {SOURCES[name]!r}\n" + (
        "    for _ in range(2):\n"
        "        names = {}\n"
        "        execute(SOURCE, names)\n"
        "        show(names)\n"
    )
    plain = run(program)
    assert plain.stdout
    for more in ({}, {"JITCORE_STRESS": "1"}):
        switched = run(program, JITCORE="1", **more)
        assert switched.stdout == plain.stdout
        assert (switched.stderr, switched.returncode) == (plain.stderr, plain.returncode)


MAPPING = """
    class Loud(dict):
        def __setitem__(self, name, value):
            if name == "k" and value % 1000 == 0:
                print("set", name, value)
            dict.__setitem__(self, name, value)

    SOURCE = "for k in range(3000):\\n    y = np.ones(1000) * k + 1.0\\n"
    code = compile(SOURCE, "cell.py", "exec")
    for names, *locals in [({"np": np},), ({"np": np}, {}), ({"np": np}, Loud()), (Loud(np=np),)]:
        exec(code, names, *locals)
        show(names)
        show(*locals or [names])
    """


def test_a_mapping_of_ones_own(run):
    """The same code object: where its names are in one dict, and elsewhere."""
    plain = run(RUN + MAPPING)
    for more in ({}, {"JITCORE_STRESS": "1"}):
        switched = run(RUN + MAPPING, JITCORE="1", **more)
        assert switched.stdout == plain.stdout
        assert (switched.stderr, switched.returncode) == (plain.stderr, plain.returncode)


LONG = [ARRAYS.replace("2000", "20_000"), NUMBERS.replace("400_000", "4_000_000")]


@pytest.mark.parametrize("source", LONG)
def test_loops_are_compiled(run, source):
    program = f"{RUN}\n    SOURCE = {source!r}\n" + (
        "    execute(SOURCE, {})\n"
        "    from jitcore import pipeline\n"
        "    regions = [region for r in pipeline.records.all() for region in r.regions]\n"
        "    found = [r for r in regions if r.function.function == '<module>']\n"
        "    print(sum(r.entry.hits for r in found if r.entry) > 0)\n"
    )
    assert run(program, JITCORE="1").stdout == "True\n"
