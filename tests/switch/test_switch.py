"""JITCORE=1 python app.py: what is loaded when, and what the program sees of it: nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

TREE = Path(__file__).resolve().parents[2]
SITE_PACKAGES = str(Path(np.__file__).resolve().parents[1])
LOADED = """
    import sys
    print([m for m in sorted(sys.modules) if m.partition(".")[0] in ("jitcore", "numpy")])
    """


@pytest.mark.parametrize("environment", [{}, {"JITCORE": "0"}, {"JITCORE": ""}])
def test_off_loads_nothing(run, environment):
    assert run(LOADED, **environment).stdout == "[]\n"


def test_without_numpy_only_the_switch_is_loaded(run):
    ours = ["jitcore", *(f"jitcore.{name}" for name in ("_C", "pristine", "switch", "version"))]
    assert run(LOADED, JITCORE="1").stdout == f"{ours}\n"


def test_with_numpy_the_compiler_is_not_loaded_before_it_is_needed(run):
    done = run("import numpy\n" + LOADED.replace("    ", ""), JITCORE="1")
    assert "'jitcore._C'" in done.stdout
    assert "jitcore.pipeline" not in done.stdout
    assert done.stderr == ""


def test_numpy_shows_nothing(run):
    program = """
        import sys, numpy
        print([type(f).__name__ for f in sys.meta_path], len(sys.path_hooks))
        print(sorted(vars(numpy.__spec__.loader)), type(numpy.__loader__), numpy.__spec__)
        print(numpy.__loader__ is numpy.__spec__.loader, numpy.add)
        """
    plain, switched = run(program), run(program, JITCORE="1")
    assert plain.stdout
    assert switched.stdout == plain.stdout
    assert switched.stderr == plain.stderr == ""


@pytest.mark.parametrize("error", ["ValueError('x')", "ImportError('x')", "SystemExit(3)"])
def test_a_numpy_that_fails(run, tmp_path, error):
    (tmp_path / "numpy.py").write_text(f"raise {error}\n")
    program = """
        import traceback
        for _ in range(2):
            try:
                import numpy
            except BaseException:
                traceback.print_exc()
        import numpy
        """
    plain, switched = run(program), run(program, JITCORE="1")
    assert "numpy.py" in plain.stderr
    assert (switched.stderr, switched.returncode) == (plain.stderr, plain.returncode)


def test_numpy_that_is_asked_for_and_not_imported(run):
    program = """
        import importlib.util, sys
        print(importlib.util.find_spec("numpy").name, "numpy" in sys.modules)
        import numpy
        print("jitcore._C" in sys.modules)
        """
    assert run(program, JITCORE="1").stdout == "numpy False\nTrue\n"


HOT = """
    import sys, time
    import numpy as np

    def f(x, y):
        return np.sqrt(x * x + y * y) * np.exp(-x) + y

    def total(n):
        a, s = np.zeros(n), 0.0
        for i in range(n):
            a[i] = i * 0.5
            s += a[i] * 2
        return s

    x, y = np.linspace(0, 1, 10_000), np.ones(10_000)
    for i in range(10_000):
        r = f(x, y)
    print(r.sum().hex(), total(2_000_000))

    def found():
        pipeline = sys.modules.get("jitcore.pipeline")
        records = pipeline.records.all() if pipeline else []
        regions = [region for record in records for region in record.regions]
        return {r.function.function for r in regions if r.entry and r.entry.hits}

    until = time.monotonic() + 60
    while not all(found() & set(each.split(",")) for each in sys.argv[2:]):
        if time.monotonic() > until:
            break
        for i in range(1000):
            r = f(x, y)
        total(200_000)
    if "check" in sys.argv:
        print(sorted(found()), file=sys.stderr)
    """


def test_hot_functions_are_compiled(run):
    """How soon is for the machine to say, and for what else it does."""
    wanted = ("total", "f,<module>")  # which calls f
    plain, switched = run(HOT), run(HOT, "check", *wanted, JITCORE="1")
    assert switched.stdout == plain.stdout
    assert "'total'" in switched.stderr
    assert "'f'" in switched.stderr or "'<module>'" in switched.stderr


def test_excluded_functions_are_not(run):
    switched = run(HOT, "check", JITCORE="1", JITCORE_EXCLUDE="pkg,__main__")
    assert "[]" in switched.stderr


AGAIN = """
    import sys, time
    import numpy as np

    def f(x, y):
        return np.sqrt(x * x + y * y) * np.exp(-x) + y

    def regions():
        pipeline = sys.modules.get("jitcore.pipeline")
        found = pipeline and pipeline.records.find(f.__code__)
        return found.regions if found else []

    def run(x, calls, versions=0):
        until = time.perf_counter() + 30
        while calls > 0 or (count(versions) < versions and time.perf_counter() < until):
            f(x, x)
            calls -= 1
        return count(0)

    def count(versions):
        hits = 20_000 if versions == 1 else 0
        return len({r.facts for r in regions() if r.entry and r.entry.hits >= hits})

    print(run(np.linspace(0, 1, 10_000), 2000, 1))
    print(run(np.ones(10, np.float32), 3))
    print(run(np.ones(10, np.float32), 3, 2))
    print(run(np.ones(10, np.int64), 3))
    """


def test_no_version_is_made_before_the_code_has_been_hot_once_more(run):
    """Calls that hit make it no hotter for those that do not."""
    assert run(AGAIN, JITCORE="1").stdout == "1\n1\n2\n2\n"


def test_code_that_waits_for_others_is_not_compiled(run):
    """However long that takes: there is next to nothing of NumPy's in it, and few rounds."""
    program = """
        import sys, time
        import numpy as np

        def wait(x):
            for k in range(40):
                time.sleep(0.015)
                x = x * 0.5 + k
            return x

        print(wait(np.arange(100.0)).sum(), "jitcore.pipeline" in sys.modules)
        """
    assert run(program, JITCORE="1").stdout.endswith(" False\n")


def test_a_trial_says_what_a_run_saves(run):
    """By which the evaluation function stands, or goes."""
    program = (
        AGAIN
        + """
    from jitcore import pipeline
    found = pipeline.records.find(f.__code__)
    print([r.entry.gain > 0 for r in found.regions if r.entry and r.entry.hits > 100])
    """
    )
    assert run(program, JITCORE="1").stdout.endswith("[True]\n")


SEEN = """
    import sys
    print(sys.argv, __name__, __file__, __package__, __spec__, sys.path[0], sys.flags.dev_mode)
    print(sys.warnoptions, sorted(globals()), type(__loader__).__name__, sys._getframe().f_back)
    def fails(): 1 / 0
    fails()
    """


@pytest.mark.parametrize("words", [(), ("-X", "dev"), ("-W", "error", "-B"), ("-u",)])
def test_python_m_jitcore_is_python(run, words):
    plain = run(SEEN, "a", "-m", "b", words=words)
    switched = run(SEEN, "a", "-m", "b", words=words, script=("-m", "jitcore", "program.py"))
    assert plain.returncode == 1
    assert (switched.stdout, switched.returncode) == (plain.stdout, 1)
    assert switched.stderr == plain.stderr


@pytest.mark.parametrize("rest", [("-m", "program", "a"), ("-c", "import program", "a")])
def test_python_m_jitcore_with_a_module_or_a_command(run, rest):
    plain = run(SEEN, script=rest)
    switched = run(SEEN, script=("-m", "jitcore", *rest))
    assert plain.returncode == 1
    assert (switched.stdout, switched.stderr) == (plain.stdout, plain.stderr)


def test_python_m_jitcore_alone(run):
    done = run("", script=("-m", "jitcore"))
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.startswith("usage: ")


def test_python_m_jitcore_turns_it_on(run):
    done = run(
        "import numpy, sys; print('jitcore._C' in sys.modules)",
        script=("-m", "jitcore", "program.py"),
    )
    assert done.stdout == "True\n"


def test_a_checkout_that_site_does_not_see_is_said_once(run, monkeypatch):
    program = """
        import sys
        sys.path.insert(0, sys.argv[1])
        import jitcore
        jitcore.compile, jitcore.stance
        """
    tree = str(TREE)
    monkeypatch.setenv("PYTHONNOUSERSITE", "1")
    done = run(program, tree, words=("-S",), JITCORE="1", PYTHONPATH=SITE_PACKAGES)
    assert done.stderr.count("JITCORE=1 has no effect: no jitcore.pth was read") == 1
    assert run(program, tree, JITCORE="1").stderr == ""


def test_a_numpy_that_nobody_has_compared_is_left_alone(run):
    program = """
        from jitcore.host import numpy_versions
        numpy_versions.LAST = (2, 2)
        import numpy as np
        import jitcore
        from jitcore import _C
        print(_C.everywhere(), np.arange(3.0).sum())
        try:
            jitcore.compile
        except ImportError as error:
            print(error)
        """
    done = run(program, JITCORE="1")
    reason = f"jitcore has the bits of NumPy 2.3 to 2.2, and this is NumPy {np.__version__}: "
    reason += "pip install 'numpy>=2.3,<2.3'\n"
    assert done.stdout == f"False 3.0\n{reason}"
    assert done.stderr == f"jitcore: JITCORE=1 has no effect: {reason}"


def test_a_python_without_the_gil_is_refused_with_one_message(run):
    program = """
        import sys
        sys.abiflags = "t"
        before = list(sys.meta_path)
        from jitcore import switch
        switch.arm()
        switch.arm()
        print(sys.meta_path == before)
        """
    done = run(program)
    assert done.stdout == "True\n"
    assert done.stderr == "jitcore: JITCORE=1 has no effect: this Python has no GIL\n"


@pytest.mark.parametrize("value", ["xml:a.xml", "json:"])
def test_a_variable_that_is_not_understood_is_said_where_nothing_is_compiled(run, value):
    done = run("import numpy as np; print(np.ones(3).sum())", JITCORE="1", JITCORE_REPORT=value)
    assert done.stdout == "3.0\n"
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"JITCORE_REPORT={value!r} is not understood")


def test_a_misspelt_variable_is_said_where_nothing_is_compiled(run):
    done = run("import numpy as np; print(np.ones(3).sum())", JITCORE="1", JITCORE_REPROT="1")
    assert done.stdout == "3.0\n"
    (line,) = done.stderr.splitlines()
    assert line.endswith("is no variable of jitcore's, and left out: did you mean JITCORE_REPORT?")
