"""Programs that have put others in the place of NumPy's, the library's and Python's functions: they
are not called by jitcore, and what runs is compiled all the same."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import jitcore
from jitcore import pristine

PACKAGE = Path(jitcore.__file__).parent

# A name of `np` → what is put in its place before anything is compiled, and a use.
SHIMS = {
    "where": ("lambda *a: old(*a)", "np.where(x > 0.5, x * 0.999, x + 0.001).sum()"),
    "add": ("lambda *a, **k: old(*a, **k)", "np.add(x, 1).sum()"),
    "multiply": ("lambda *a, **k: old(*a, **k)", "(x * 2).sum() + np.multiply(x, 3).sum()"),
    "bincount": ("lambda *a, **k: old(*a, **k)", "np.bincount(x.astype(int))[0] + (x * 2).sum()"),
    "zeros_like": ("lambda *a, **k: old(*a, **k)", "(np.zeros_like(x) + x * 2).sum()"),
    "errstate": ("lambda **k: old(**k)", "(x * 2 + 1).sum()"),
    "dtype": ("lambda *a: old(*a)", "(x * 2 + 1).sum()"),
    "ndarray": ("type('ndarray', (old,), {})", "(x * 2 + 1).sum()"),
    "ufunc": ("type('ufunc', (), {})", "(x * 2 + 1).sum()"),
    "generic": ("type('generic', (), {})", "(x * 2 + 1).sum()"),
    "float64": ("type('float64', (old,), {})", "(x * 2 + 1).sum()"),
    "int64": ("lambda *a: old(*a)", "(x * 2 + 1).sum()"),
    "complex128": ("lambda *a: old(*a)", "(x * 2 + 1).sum()"),
    "array": ("lambda *a, **k: old(*a, **k)", "np.array([x[0], x[1]]).sum() + (x * 2).sum()"),
}
SHIMMED = """
    import sys
    import numpy as np
    if "early" not in sys.argv:
        import jitcore
    old = np.{name}
    calls = []
    shim = {shim}

    def counted(*args, **words):
        calls.append(1)
        return shim(*args, **words)

    np.{name} = shim if isinstance(shim, type) else counted
    import jitcore

    def f(x):
        return {use}

    if "plain" not in sys.argv:
        f = jitcore.compile(f)
    print([f(np.linspace(0, 1, 9) + k) for k in range(4)], len(calls))
    np.{name} = old
    print([f(np.linspace(0, 1, 9) + k) for k in range(4)])
    if "plain" not in sys.argv:
        print(f.cache_info().entries > 0, file=sys.stderr)
    """


@pytest.mark.parametrize("when", ["early", "late"])
@pytest.mark.parametrize("name", SHIMS)
def test_names_of_numpys_that_are_replaced(run, name: str, when: str) -> None:
    shim, use = SHIMS[name]
    program = SHIMMED.format(name=name, shim=shim, use=use)
    compiled, plain = run(program, when), run(program, when, "plain")
    assert compiled.stdout == plain.stdout != ""
    assert compiled.returncode == 0 and compiled.stderr == "True\n"


def test_a_switched_program_goes_on(run) -> None:
    program = """
        import numpy as np
        old = np.where
        np.where = lambda *a: old(*a)

        def work(x):
            s = 0.0
            for i in range(100):
                x = np.where(x > 0.5, x * 0.999, x + 0.001)
                s += x[i]
            return s

        print(work(np.linspace(0, 1, 100)))
        """
    plain, switched = run(program), run(program, JITCORE="1", JITCORE_STRESS="1")
    assert switched.stdout == plain.stdout != "" and switched.stderr == "" == plain.stderr


SPIES = """
    builtins.open builtins.print builtins.input
    time.time time.perf_counter time.monotonic
    os.getpid os.listdir os.makedirs os.mkdir os.replace os.access os.urandom os.cpu_count
    random.random subprocess.run subprocess.Popen threading.Thread.start
    logging.getLogger logging.Logger.info logging.Logger.warning logging.Logger.isEnabledFor
    json.dumps json.loads warnings.warn gc.collect inspect.getsource inspect.signature
    ast.parse copy.copy copy.deepcopy pickle.dumps functools.partial math.sqrt math.prod
    importlib.import_module platform.machine shutil.which
    numpy.array numpy.asarray numpy.zeros numpy.empty numpy.ones numpy.result_type
    numpy.broadcast_shapes numpy.geterr numpy.seterr numpy.shares_memory numpy.array_equal
    numpy.arange numpy.can_cast numpy.promote_types numpy.frombuffer numpy.empty_like
    numpy.copyto numpy.broadcast_to numpy.lib.stride_tricks.as_strided numpy.random.default_rng
    """.split()
SPIED = """
    import builtins, collections, functools, importlib, sys
    import numpy as np
    import jitcore

    @jitcore.compile
    def f(x, n):
        y = np.sqrt(x * x + 1)
        s = 0.0
        for i in range(len(x)):
            s += x[i] * i
        return y[y > 1].sum() + s + len(np.array([1.0, 2.0])) * n

    def spy(name):
        *modules, attribute = name.split(".")
        owner = importlib.import_module(modules[0])
        for one in modules[1:]:
            owner = getattr(owner, one)
        old = getattr(owner, attribute)
        if not isinstance(old, type):
            setattr(owner, attribute, counted(name, old))

    def counted(name, old):
        def call(*args, **words):
            calls[name] += 1
            return old(*args, **words)
        return call

    calls = collections.Counter()
    spied = sys.argv[1:]
    for name in spied:
        spy(name)
    calls.clear()
    for k in range(3):
        f.eager(np.ones(5 + k), k)
    plain = dict(calls)
    calls.clear()
    for k in range(3):
        f(np.ones(5 + k), k)
    found = {name: many for name, many in calls.items() if many != plain.get(name)}
    print(f.cache_info().entries > 0, found)
    """


@pytest.mark.parametrize("folder", ["empty", "full"])
def test_spies_are_not_called(run, tmp_path: Path, folder: str) -> None:
    """Neither while kernels are compiled, nor when they are found on disk."""
    (tmp_path / "cache").mkdir(mode=0o700)
    for _ in range(1 if folder == "empty" else 2):
        done = run(SPIED, *SPIES, JITCORE_CACHE_DIR=str(tmp_path / "cache"))
    assert done.stdout == "True {}\n" and done.stderr == ""


def test_print_that_is_replaced_between_two_calls(run) -> None:
    program = """
        import builtins, sys
        import numpy as np
        import jitcore

        def f(x):
            y = x * 2
            print("sum", y.sum())
            return y + 1

        if "plain" not in sys.argv:
            f = jitcore.compile(f)
        f(np.ones(2))
        plain_print = print
        builtins.print = lambda *args, **words: plain_print("[12:00]", *args, **words)
        for _ in range(3):
            f(np.ones(2))
        """
    assert run(program).stdout == run(program, "plain").stdout


@pytest.mark.parametrize("module", ["jitcore.pipeline", "jitcore.plan.absorb_stores"])
def test_a_compiler_that_cannot_be_loaded(run, module: str) -> None:
    program = f"""
        import sys
        sys.modules["{module}"] = None
        import numpy as np

        def work(x):
            s = 0.0
            for i in range(100):
                x = x * 0.5 + 1
                s += x[i]
            return s

        if "plain" not in sys.argv:
            import jitcore
            work = jitcore.compile(work, signature=[jitcore.ArraySpec((None,), float)])
            work.warmup(np.ones(100))
            work.cache_clear()
            jitcore.reset()
        print(work(np.ones(100)), work(np.ones(100)))
        """
    plain, compiled = run(program, "plain"), run(program)
    assert compiled.stdout == plain.stdout != "" and compiled.returncode == 0
    assert compiled.stderr.startswith("internal error: please report it")
    switched = run(program, "plain", JITCORE="1", JITCORE_STRESS="1")
    assert switched.stdout == plain.stdout and switched.returncode == 0
    assert switched.stderr.count("\n") == 1 and "has no effect" in switched.stderr


@pytest.mark.parametrize("name", ["numpy", "numpy.linalg", "numpy.fft", "numpy.random"])
def test_numpys_own_are_found(name: str) -> None:
    """Whatever stands in their place. np.test and np.show_config are no array's functions."""
    module = sys.modules.get(name) or __import__(name, fromlist=["x"])
    for each in set(module.__all__) - {"test", "show_config"}:
        value = getattr(module, each)
        if type(value) is not ModuleType and not each.startswith("_"):
            assert pristine.replaced(name, {each: object()}) == {each: value}, each
            assert getattr(pristine.own(module), each) is value


def test_all_modules_that_ours_import_are_known() -> None:
    """The first three have state that others rebind."""
    live = {"sys", "warnings", "linecache", "jitcore", "numpy", "__future__"}
    live.add("_frozen_importlib_external")
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {one.name for one in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(node.module or "")
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "Lazy":
                found |= {one.value for one in node.args if isinstance(one, ast.Constant)}
    tops = {name.partition(".")[0] for name in found} - live
    assert tops <= pristine.LIBRARY
    assert pristine.own(sys) is sys and pristine.own(np) is not np


@pytest.mark.parametrize("name", ["platform", "tokenize", "copy", "fractions"])
def test_a_program_with_a_module_of_a_librarys_name(run, tmp_path: Path, name: str) -> None:
    """Where ours get that one, what fails of ours is told, and the program goes on."""
    (tmp_path / f"{name}.py").write_text("mine = 5\n")
    program = f"""
        import sys
        import {name}
        import numpy as np

        def f(x):
            return (x * 2 + 1).sum()

        if "plain" not in sys.argv:
            import jitcore
            f = jitcore.compile(f)
        print([f(np.ones(3)) for _ in range(3)], {name}.mine)
        """
    plain, compiled = run(program, "plain"), run(program)
    assert plain.returncode == compiled.returncode == 0, compiled.stderr
    assert compiled.stdout == plain.stdout != ""
