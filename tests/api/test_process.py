"""What only a process of its own can show: the environment, start-up, entry points, the exit."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent

PROGRAM = """\
import numpy as np
import jitcore

@jitcore.compile
def f(x):
    y = np.sqrt(x * x + 1.0)
    print("half way", y[:0])
    return y * 2

for _ in range(3):
    f(np.arange(5.0))
"""


def run(program: str | Path, *paths: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A fresh Python; JITCORE variables of the tests' own do not count, but the kernel cache."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("JITCORE")}
    kept["JITCORE_CACHE_DIR"] = os.environ["JITCORE_CACHE_DIR"]
    kept["PYTHONPATH"] = os.pathsep.join(map(str, (ROOT, *paths)))
    start = [str(program)] if isinstance(program, Path) else ["-c", textwrap.dedent(program)]
    done = subprocess.run(
        [sys.executable, *start], env=kept | variables, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done


def test_importing_jitcore_loads_little_more_than_numpy_does() -> None:
    """Counts, not times. What compiles is loaded at the first compile, not before."""
    done = run(
        """
        import sys, numpy
        before = set(sys.modules)
        import jitcore
        print(*sorted(set(sys.modules) - before))
        jitcore.compile
        print(*sorted(set(sys.modules) - before))
        """
    )
    first, second = done.stdout.splitlines()
    assert first.split() == ["jitcore", "jitcore.pristine", "jitcore.version"]
    new = second.split()
    ours = [name for name in new if name.partition(".")[0] == "jitcore"]
    assert "jitcore.api" in ours and len(ours) <= 23
    assert "jitcore.pipeline" not in ours and "jitcore.report.console" not in ours
    assert {"subprocess", "importlib.metadata"}.isdisjoint(new)
    assert len(new) - len(ours) <= 24  # logging, dataclasses and what they need


def test_jitcore_0_turns_everything_off() -> None:
    done = run(
        """
        import sys
        import numpy as np, jitcore
        @jitcore.compile
        def f(x):
            return x * 2 + 1
        for _ in range(3):
            assert f(np.arange(3.0)).tolist() == [1.0, 3.0, 5.0]
        assert f.eager is f.__wrapped__ and f.cache_info() == jitcore.CacheInfo(0, 0, 0, 0, 0)
        assert jitcore.explain(f)(np.arange(3.0)).result.tolist() == [1.0, 3.0, 5.0]
        """,
        JITCORE="0",
    )
    assert done.stderr == ""


def test_wrong_values_are_told_of_once() -> None:
    done = run(
        """
        import numpy as np, jitcore
        @jitcore.compile
        def f(x):
            return x * 2 + 1
        @jitcore.compile
        def g(x):
            return x * 2 - 1
        for _ in range(3):
            assert f(np.arange(3.0)).tolist() == [1.0, 3.0, 5.0]
            g(np.arange(3.0))
        """,
        JITCORE_COMPILE="foo",
        JITCORE_NUM_THREADS="abc",
    )
    one, two = done.stderr.splitlines()
    assert one.startswith("JITCORE_COMPILE='foo' is not understood") and "background" in one
    assert two.startswith("JITCORE_NUM_THREADS='abc' is not understood") and "from 1 on" in two


def test_the_report_at_exit_says_each_place_once(tmp_path: Path) -> None:
    path = tmp_path / "half.py"
    path.write_text(PROGRAM)
    done = run(path, JITCORE_REPORT="1", JITCORE_KEEP_ALL="1")
    assert done.stdout == "half way []\n" * 3
    lines = done.stderr.splitlines()
    (place,) = [k for k, line in enumerate(lines) if line.startswith("J204 ")]
    assert f"{path}:7 in f" in lines[place]
    assert lines[place + 1].strip() == "output is written: print() of a float64 array of shape (0,)"
    assert lines[place + 2].strip() == 'print("half way", y[:0])'
    assert lines[place + 3].strip() == "^" * len('print("half way", y[:0])')
    assert lines[place + 4].strip().startswith("hint: ")
    assert "\x1b" not in done.stderr
    assert lines[0].startswith("jitcore, process ")
    at = lines.index("jitcore: 1 function seen, 1 with a graph in use")
    assert lines[at + 2].startswith("  2 graphs, ") and "3 times" in lines[place]


@pytest.mark.parametrize("kind", ["json", "html"])
def test_the_report_goes_to_a_file_where_the_program_began(kind: str, tmp_path: Path) -> None:
    program = tmp_path / "half.py"
    program.write_text(PROGRAM + "\nimport os; os.chdir('/')\n")
    to = os.path.relpath(tmp_path / f"run-%p.{kind}")
    done = run(program, JITCORE_REPORT=f"{kind}:{to}")
    (report,) = tmp_path.glob(f"run-*.{kind}")
    assert report.stem.removeprefix("run-").isdecimal()
    assert done.stderr == "" and "half way" in report.read_text()


@pytest.mark.parametrize(
    ("value", "says"),
    [("xml:a.xml", "is not understood"), ("json:/nowhere/a.json", "jitcore: no report: ")],
)
def test_a_report_that_cannot_be_made_is_said(value: str, says: str) -> None:
    done = run(PROGRAM, JITCORE_REPORT=value)
    assert done.stdout == "half way []\n" * 3 and done.returncode == 0
    assert says in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("value", ["", "0"])
def test_without_the_switch_there_is_no_report(value: str) -> None:
    done = run(PROGRAM, JITCORE_REPORT=value)
    assert done.stdout == "half way []\n" * 3 and done.stderr == ""


def test_the_report_of_a_program_that_fails_comes_after_its_traceback(tmp_path: Path) -> None:
    path = tmp_path / "half.py"
    path.write_text(PROGRAM + "raise SystemExit(0)\n")
    done = run(path, JITCORE_REPORT="1", JITCORE_KEEP_ALL="1")
    assert done.stderr.startswith("jitcore, process ")


def test_a_backend_from_an_entry_point(tmp_path: Path) -> None:
    folder = tmp_path / "loud-0.1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 0.1\n")
    (folder / "entry_points.txt").write_text("[jitcore.backends]\nloud = loud:backend\n")
    (tmp_path / "loud.py").write_text(
        "def backend(graph, inputs):\n    print('graph', len(inputs))\n"
        "    return lambda x: (x * 2 + 1,)\n"
    )
    program = """
        import numpy as np, jitcore
        @jitcore.compile(backend="loud")
        def f(x):
            return x * 2 + 1
        for _ in range(3):
            assert f(np.arange(3.0)).tolist() == [1.0, 3.0, 5.0]
        try:
            jitcore.compile(f, backend="other")
        except ValueError as error:
            print(error)
    """
    done = run(program, tmp_path)
    told = done.stdout.splitlines()
    assert told[0] == "graph 1" and told[-1] == "backend 'other': choose one of c, numpy, loud"


def test_a_backend_named_by_the_environment() -> None:
    done = run(
        """
        import numpy as np, jitcore
        @jitcore.compile
        def f(x):
            return np.sqrt(x * x + 1.0)
        e = jitcore.explain(f)(np.arange(3.0))
        print(len(e.graphs), sum(len(g.kernels) for g in e.graphs))
        """,
        JITCORE_BACKEND="numpy",
        JITCORE_KEEP_ALL="1",
    )
    assert done.stdout.split() == ["1", "0"]


LIBRARY = """\
def run(each, a):
    total = 0.0
    for i in range(len(a)):
        total += each(a[i])
    return total
"""

LEFT_OPEN = """\
import numpy as np, jitcore, library

class Last:
    def __del__(self):
        print("finalized, still", f(21))

def f(x):
    return x * 2

out = open("out.txt", "w")
out.write("all results")
last = Last()
library.run = jitcore.compile(library.run)
for _ in range(3):
    library.run(f, np.ones(9))
print(library.run.cache_info().hits)
"""


@pytest.mark.parametrize("kept", ["", "kept = jitcore.explain(library.run)(f, np.ones(9))\n"])
def test_files_that_were_left_open_are_flushed(
    kept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What guards held kept the globals of the script past the interpreter's end."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "library.py").write_text(LIBRARY)
    script = tmp_path / "script.py"
    script.write_text(LEFT_OPEN + kept)
    done = run(script, JITCORE_KEEP_ALL="1")
    hits, *finalized = done.stdout.splitlines()
    assert int(hits) >= 2 and finalized == ["finalized, still 42"]
    assert (tmp_path / "out.txt").read_text() == "all results" and done.stderr == ""


def test_it_may_end_while_a_thread_loads_the_compiler() -> None:
    done = run(
        """
        import sys, threading
        from jitcore.auto import global_mode
        global_mode.begin()

        class Slow:
            def find_spec(self, name, path=None, target=None):
                if name == "jitcore.toolchain.cache":
                    reached.set()
                    threading.Event().wait()

        reached = threading.Event()
        sys.meta_path.insert(0, Slow())
        load = threading.Thread(target=__import__, args=("jitcore.attach",), daemon=True)
        load.start()
        reached.wait()
        """
    )
    assert done.stderr == ""


@pytest.mark.by_turns
def test_what_was_compiled_is_let_go_of_after_all_else_of_ours_at_exit() -> None:
    """What is registered first runs last; here all that compiles is loaded at once."""
    done = run(
        """
        import atexit, os
        names, register = [], atexit.register
        def noted(fn, *args, **kwargs):
            names.append(f"{fn.__module__}.{fn.__qualname__}")
            return register(fn, *args, **kwargs)
        atexit.register = noted
        from jitcore.auto import global_mode
        global_mode.begin()
        print([name for name in names if name.startswith("jitcore.")], flush=True)
        os._exit(0)
        """,
        JITCORE_STRESS="1",
    )
    assert done.stdout.startswith("['jitcore.host.at_exit.leave', 'jitcore.")


def test_reports_are_told_before() -> None:
    done = run(
        """
        import atexit
        import numpy as np, jitcore
        @jitcore.compile
        def f(x):
            return np.sqrt(x * x + 1.0) * 2
        atexit.register(lambda: print(f.cache_info().entries, f(np.ones(3)), f.cache_info().hits))
        for _ in range(3):
            f(np.ones(3))
        """,
        JITCORE_REPORT="1",
        JITCORE_KEEP_ALL="1",
    )
    assert done.stdout == "1 [2.82842712 2.82842712 2.82842712] 4\n"
    assert "1 graph" in done.stderr
