"""Frames that run for long and are called once: the script's own, and main()'s."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from jitcore.__main__ import COMMANDS, EXPLAIN, RUN
from jitcore.cli.commands import ABOUT
from jitcore.fallback.hints import BEGUN

LOOP = """
    a, total = np.zeros(1000), 0
    for k in range(1_500_000):
        a[k % 1000] += k * 0.5
        total += int(a[(k * 7) % 1000]) & 3
    print(a.sum(), total)
"""
CHECK = """
if "check" in sys.argv:
    from jitcore import pipeline
    regions = [region for r in pipeline.records.all() for region in r.regions]
    print(sorted({r.function.function for r in regions if r.entry and r.entry.hits}))
"""
SCRIPT = "import sys\nimport numpy as np" + LOOP.replace("\n    ", "\n") + CHECK
MAIN = f"""
import sys
from pathlib import Path
import numpy as np

def plain(k):
    return k + 1

def main():{LOOP}
for k in range(100_000):
    plain(k)
main()
{CHECK}"""
LATE = f"""
import sys
from pathlib import Path

def main():
    import numpy as np{LOOP}
if __name__ == "__main__":
    main()
{CHECK}"""

WATCHED = pytest.mark.skipif(sys.version_info < (3, 12), reason="functions are not watched")


@pytest.mark.parametrize(
    ("program", "compiled"),
    [
        pytest.param(SCRIPT, "<module>", id="script"),
        pytest.param(MAIN, "main", id="main"),
        pytest.param(LATE, "main", id="late", marks=WATCHED),
    ],
)
def test_compiled_while_they_run(run, program, compiled):
    plain, switched = run(program), run(program, "check", JITCORE="1")
    *printed, found = switched.stdout.splitlines()
    assert "\n".join(printed) + "\n" == plain.stdout
    assert f"'{compiled}'" in found
    assert switched.stderr == plain.stderr == ""


@pytest.mark.parametrize("way", ["command", "module", "input"])
def test_other_ways_to_start(run, way):
    words = {"command": ("-c", SCRIPT), "module": ("-m", "program"), "input": ("program.py",)}[way]
    switched = run(SCRIPT, "check", script=words, JITCORE="1")
    assert "'<module>'" in switched.stdout
    assert switched.stderr == ""


def test_an_excluded_script_is_left(run):
    switched = run(SCRIPT, "check", JITCORE="1", JITCORE_EXCLUDE="*/program.py")
    assert switched.stdout.endswith("[]\n")


def test_modules_with_names_of_the_librarys(run, tmp_path):
    for name in ("dis", "logging", "inspect"):
        (tmp_path / f"{name}.py").write_text("print('imported')\n")
    program = "import sys\nfor k in range(3):\n    print(k)\nif k == 7:\n    import numpy\n"
    plain, switched = run(program), run(program, JITCORE="1")
    assert plain.stdout == switched.stdout == "0\n1\n2\n"
    assert switched.stderr == ""


@pytest.mark.parametrize("name", ["array", "copy", "dataclasses"])
def test_names_of_the_librarys_are_the_programs(run, tmp_path, name):
    (tmp_path / f"{name}.py").write_text("def mine():\n    return 'mine'\n")
    loop = LOOP.replace("\n    ", "\n")
    program = f"import numpy as np\nimport {name}{loop}print({name}.mine())"
    plain, switched = run(program), run(program, JITCORE="1")
    assert plain.stdout == switched.stdout and plain.stdout.endswith("mine\n")
    assert switched.returncode == 0 and switched.stderr.count("\n") <= 1


def test_other_threads_import_meanwhile(run, tmp_path):
    for k in range(300):
        (tmp_path / f"own{k}.py").write_text("")
    program = """
import threading
def imports():
    for k in range(300):
        __import__(f"own{k}")
    print("all")
def work():
    import numpy as np
    for k in range(3):
        np.zeros(k)
thread = threading.Thread(target=imports)
thread.start()
work()
thread.join()
"""
    switched = run(program, JITCORE="1")
    assert (switched.stdout, switched.stderr) == ("all\n", "")


@WATCHED
def test_what_another_thread_imports_stays(run, tmp_path):
    """While we are loaded: its module is not one of ours."""
    (tmp_path / "own.py").write_text("")
    program = """
import sys, threading
def meanwhile(event, args):
    if event == "import" and args[0] == "jitcore.auto.cold_points":
        thread = threading.Thread(target=__import__, args=("own",))
        thread.start()
        thread.join()
sys.addaudithook(meanwhile)
def work():
    import numpy as np
    for k in range(3):
        np.zeros(k)
work()
print("jitcore.auto.cold_points" in sys.modules, "own" in sys.modules)
"""
    switched = run(program, JITCORE="1")
    assert (switched.stdout, switched.stderr) == ("True True\n", "")


def test_another_main(run):
    program = """
import sys, types
import numpy as np

def plain(k):
    return k

def rounds(count):
    exec(compile(f"for k in range({count}):\\n    plain(k)", "other", "exec"))

other = sys.modules["__main__"] = types.SimpleNamespace()
rounds(30_000)
print(sys.modules["__main__"] is other)
del sys.modules["__main__"]
rounds(30_001)
print("__main__" in sys.modules)
"""
    switched = run(program, JITCORE="1")
    assert (switched.stdout, switched.stderr) == ("True\nFalse\n", "")


def test_tracebacks_and_frames(run):
    program = """
import sys, traceback
import numpy as np
def fails(k):
    if k == 3:
        raise ValueError(k)
for k in range(5):
    x = np.arange(3.0) + k
    try:
        fails(k)
    except ValueError:
        traceback.print_exc()
print(sys._getframe().f_lineno, sys._getframe().f_code.co_name, sorted(globals()))
1 / x[5]
"""
    plain, switched = run(program), run(program, JITCORE="1")
    assert "ValueError: 3" in plain.stderr and "IndexError" in plain.stderr
    assert (switched.stdout, switched.stderr) == (plain.stdout, plain.stderr)


@pytest.mark.parametrize("replaced", ["len", "isinstance", "int"])
def test_replaced_builtins(run, replaced):
    program = f"""
import builtins
import numpy as np

def work(x):
    for i in range(50):
        x = x * 0.5 + 1.0
    return x

before = builtins.{replaced}
builtins.{replaced} = lambda *args: 7
found = [work(np.arange(100.0)).tobytes() for _ in range(30)]
builtins.{replaced} = before
print(found[0] == found[-1], work(np.arange(100.0)).sum())
"""
    plain, switched = run(program), run(program, JITCORE="1", JITCORE_STRESS="1")
    assert plain.stderr == switched.stderr == ""
    assert switched.stdout == plain.stdout


@pytest.mark.parametrize("stress", ["0", "1"])
def test_traced_memory_is_the_programs(run, stress):
    program = """
import sys, tracemalloc
import numpy as np

def work(x):
    for i in range(50):
        x[i] = np.sqrt(x[i]) + 1.0
    return x

def fill(x):
    for i in range(len(x)):
        x[i] = i

x = np.arange(1000.0)
tracemalloc.start()
rounds = 1500 if sys.argv[1] == "0" else 3
for _ in range(rounds):
    work(x)
exec("def made(y): return np.sqrt(y)")
fill(x)
found = tracemalloc.take_snapshot()
tracemalloc.stop()
sizes = {one.traceback[0].lineno: one.size for one in found.statistics("lineno")}
print({line: size for line, size in sizes.items() if size > 10_000})
print(not any("jitcore" in one.traceback[0].filename for one in found.traces))
for _ in range(30 * rounds):
    work(x)
if "check" in sys.argv:
    from jitcore import pipeline
    print(sorted(r.function.function for one in pipeline.records.all() for r in one.regions))
"""
    plain, switched = run(program, stress), run(program, stress, JITCORE="1", JITCORE_STRESS=stress)
    assert (switched.stdout, switched.stderr) == (plain.stdout, "") == ("{}\nTrue\n", "")
    last = run(program, stress, "check", JITCORE="1", JITCORE_STRESS=stress).stdout.splitlines()[-1]
    assert "'work'" in last


def test_what_was_done_before_a_loop_does_not_make_it_hot(run):
    program = """
import sys, time
import numpy as np
time.sleep(0.3)
x = np.arange(100.0)
for k in range(3):
    x = x * 0.5 + 1.0
def main():
    time.sleep(0.3)
    y = x
    for k in range(3):
        y = y * 0.5 + 1.0
    return y
print(main().sum(), "jitcore.pipeline" in sys.modules)
"""
    assert run(program, JITCORE="1").stdout.endswith("False\n")


def test_what_is_called_often_is_compiled_from_its_start(run):
    """Most of its time passes in its inner loop, where it becomes hot."""
    program = """
import sys, time
import numpy as np

def smoothed(x):
    n, m = x.shape
    for i in range(1, n):
        for j in range(1, m):
            x[i, j] = (x[i - 1, j] + x[i, j - 1]) / 2
    return x

def entered():
    known = sys.modules.get("jitcore.runtime.records")
    every = [r for r in known.records.all() if r.regions] if known else []
    return [(one.place.function, one.offset == min(r.points)) for r in every for one in r.regions]

x, end = np.ones((20, 30)), time.monotonic() + 60
while not entered() and time.monotonic() < end:
    smoothed(x)
print(entered())
"""
    assert run(program, JITCORE="1").stdout == "[('smoothed', True)]\n"


def test_calls_of_some_microseconds_are_compiled_too(run):
    """The evaluation function does not go before so short calls have made their code hot."""
    program = """
import sys, time
import numpy as np

def mixed(x):
    for i in range(1, 12):
        x[i] = (x[i - 1] + x[i]) / 2

def between(x):
    return mixed(x)

def compiled():
    known = sys.modules.get("jitcore.runtime.records")
    every = [r for r in known.records.all() if r.regions] if known else []
    return "mixed" in {one.place.function for r in every for one in r.regions}

x, k, end = np.ones(20), 0, time.monotonic() + 30
while time.monotonic() < end and (k % 4096 or not compiled()):
    between(x)
    k += 1
print(compiled())
"""
    assert run(program, JITCORE="1").stdout == "True\n"


def test_a_loop_that_had_begun_is_said_to_have(run, tmp_path) -> None:
    """It is compiled in the midst of it: what the user can do is another thing than elsewhere."""
    done = run(
        """
        import time
        import numpy as np

        def work(x, end):
            for item in range(10**9):
                x = np.sqrt(x * x + item)
                if time.monotonic() > end:
                    return x

        work(np.ones(1000), time.monotonic() + 0.6)
        """,
        JITCORE="1",
        JITCORE_REPORT=f"json:{tmp_path / 'run.json'}",
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    stops = json.loads((tmp_path / "run.json").read_text())["stops"]
    begun = [one for one in stops if one["code"] == "J303"]
    assert [one["hint"] for one in begun] == [BEGUN]
    assert begun[0]["reason"].endswith(": it had begun before")


EXPLAINED = """
    import numpy as np
    import jitcore

    @jitcore.compile
    def f(x):
        return np.sqrt(x * x + 1.0)

    f(np.ones(10))
    print("done")
"""


def test_a_whole_program_is_explained(run) -> None:
    done = run(EXPLAINED, script=("-m", "jitcore", "explain", "program.py"))
    assert done.returncode == 0 and done.stdout == "done\n"
    lines = done.stderr.splitlines()
    assert any("return np.sqrt(x * x + 1.0)    # kernel 0" in line for line in lines)
    assert "        x is an array f8[10]" in lines
    assert any(line.startswith("  memory moved at ") for line in lines)
    plain = run(EXPLAINED, script=("-m", "jitcore", "run", "program.py"))
    assert plain.returncode == 0 and (plain.stdout, plain.stderr) == ("done\n", "")


@pytest.mark.parametrize("command", [*ABOUT])
def test_each_command_says_how_it_is_used(run, command: str) -> None:
    done = run("", script=("-m", "jitcore", command, "--help"))
    assert done.returncode == 0 and not done.stderr
    assert done.stdout.startswith(f"usage: python -m jitcore {command}")


def test_the_list_has_the_commands_that_there_are() -> None:
    assert {*ABOUT} == {*COMMANDS, RUN, EXPLAIN}


@pytest.mark.parametrize("words", [(), ("frobnicate",), ("frobnicate", "--help")])
def test_what_is_no_command_names_all_of_them(run, words: tuple[str, ...]) -> None:
    done = run("", script=("-m", "jitcore", *words))
    assert (done.returncode, done.stdout) == (2, "")
    assert all(f"    {command} " in done.stderr for command in ABOUT)
    assert ("there is no command 'frobnicate'" in done.stderr) == bool(words)


def test_a_file_of_the_name_is_run(run, tmp_path: Path) -> None:
    done = run("print(__name__)", script=("-m", "jitcore", "program.py"))
    assert done.returncode == 0
    program = "import sys; print('argparse' in sys.modules, sys.argv[1:])"
    (tmp_path / "frobnicate").write_text(program)
    done = run("", script=("-m", "jitcore", "frobnicate", "--help"))
    assert (done.returncode, done.stdout) == (0, "False ['--help']\n")


def test_a_program_starts_without_argparse(run) -> None:
    """It takes 3 ms to import."""
    text = "import sys; from jitcore import __main__ as m; print('argparse' in sys.modules)"
    assert run("", script=("-c", text)).stdout == "False\n"


@pytest.mark.parametrize("words", [(), ("--report",), ("run",)])
def test_where_the_switch_is_not_read_nothing_is_run(run, words: tuple[str, ...]) -> None:
    """-S: `site` reads no jitcore.pth."""
    done = run("print(1)", words=("-S",), script=("-m", "jitcore", *words, "program.py"))
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("jitcore: not installed for this Python") and "pip" in done.stderr


def test_what_the_start_of_python_prints_is_no_answer(run, tmp_path: Path) -> None:
    site = tmp_path / "site" / "sitecustomize.py"
    site.write_text(site.read_text() + "print('hello')\n")
    done = run("print(1)", script=("-m", "jitcore", "run", "program.py"))
    assert (done.returncode, done.stdout) == (0, "hello\nhello\n1\n")


def test_a_report_in_a_file_of_no_kind(run) -> None:
    done = run("", script=("-m", "jitcore", "run", "--report=x.txt", "program.py"))
    assert done.returncode == 2
    assert done.stderr == "--report=x.txt: a name that ends in .json or .html is expected\n"


@pytest.mark.parametrize("words", [("run",), ("explain",), ("run", "--report=x.html")])
def test_words_that_are_no_command(run, words: tuple[str, ...]) -> None:
    done = run("", script=("-m", "jitcore", *words))
    assert done.returncode == 2 and done.stderr.startswith("usage: python -m jitcore [run]")


def test_a_function_without_a_name_of_numpys_is_compiled(run):
    """It works on items of what it is given; the script calls it from its top."""
    program = """
        import numpy as np

        def sweep(u):
            for i in range(1, u.shape[0]):
                for j in range(1, u.shape[1]):
                    u[i, j] = 0.25 * (u[i - 1, j] + u[i, j - 1]) + u[i, j]

        u = np.ones((400, 500))
        for _ in range(60):
            sweep(u.copy())
        from jitcore import pipeline
        regions = [region for r in pipeline.records.all() for region in r.regions]
        print({r.function.function for r in regions if r.entry and r.entry.hits})
        """
    assert run(program, JITCORE="1").stdout == "{'sweep'}\n"


PROCESSES = """
    import multiprocessing, os, sys
    import numpy as np

    def work(x):
        for k in range(20):
            x = np.sqrt(x * x + k)
        return x.sum()

    if __name__ == "__main__":
        print(os.getpid(), flush=True)
        work(np.ones(100))
        child = multiprocessing.get_context("spawn").Process(target=work, args=(np.ones(100),))
        child.start()
        print(child.pid, flush=True)
        child.join()
        forked = os.fork()
        if forked == 0:
            sys.exit(0)
        os.wait()
        print(forked)
"""


@pytest.mark.by_turns
def test_reports_of_processes_say_whose_they_are(run) -> None:
    done = run(PROCESSES, JITCORE="1", JITCORE_REPORT="1")
    first, spawned, forked = done.stdout.split()
    reports = done.stderr.split("jitcore, process ")
    heads = [" ".join(one.split("\njitcore: ")[0].split()) for one in reports[1:]]
    assert [one.count("\njitcore: ") for one in reports] == [0, 1, 1, 1], done.stderr
    command = f"{sys.executable} program.py"
    assert sorted(heads) == sorted(
        [
            f"{first}: {command}",
            f"{spawned}, SpawnProcess-1 of process {first}: program.py",
            f"{forked}, with what process {first} had done before the fork: {command}",
        ]
    )


def test_points_that_are_passed_before_numpy_has_been_met(run) -> None:
    """A script has its points from its start, and cells among its names since Python 3.12."""
    done = run(
        """
        import numpy as np
        x = np.ones(500)
        fs = [lambda: s for s in range(5)]
        for k in range(6):
            y = x + k
        print(y.sum(), fs[0]())
        """,
        JITCORE="1",
    )
    assert done.stdout == "3000.0 4\n" and done.stderr == ""
