"""malloc's heap keeps what arrays leave, within a bound, and gives it back."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from jitcore import _C, pipeline
from jitcore.config import Config, from_environment
from jitcore.runtime import memory_limit
from jitcore.toolchain.compiler import find

pytestmark = [
    pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another malloc"),
    pytest.mark.skipif("lib" in os.environ.get("LD_PRELOAD", ""), reason="maybe another malloc"),
]
needs_compiler = pytest.mark.skipif(find("") is None, reason="no C compiler")

MEGABYTE = 1 << 20
ROOT = Path(pipeline.__file__).parent.parent

START = """
    import os, resource
    import numpy as np
    from jitcore import _C

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize() >> 20

    def faults(step, *args):
        "Of a call, in the long run."
        for _ in range(40):
            step(*args)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(20):
            step(*args)
        return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / 20

    def arrays(size, count):
        return [np.ones(size, np.uint8) for _ in range(count)]

    def step():
        "Each of these arrays has 25 pages, and they die together."
        arrays(100 << 10, 10)

    def touch_ufuncs():
        for _ in range(2000):
            np.add(1.0, 2.0)
"""

DECORATED = """
    import jitcore

    @jitcore.compile
    def double(x):
        return x * 2 + x

    double(np.ones(3))
"""


def run(*parts: str, **variables: str) -> str:
    """What a program in a process of its own says."""
    own = {k: v for k, v in os.environ.items() if not k.startswith(("JITCORE", "MALLOC", "GLIBC"))}
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(textwrap.dedent(part) for part in parts)],
        env={**own, "OPENBLAS_NUM_THREADS": "1", **variables},
        capture_output=True,
        text=True,
        timeout=120,
        cwd=ROOT,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def pages(*parts: str, **variables: str) -> float:
    return float(run(START, *parts, "print(faults(step))", **variables))


def test_a_step_that_frees_arrays_begins_on_their_pages() -> None:
    plain = pages()
    assert plain > 100
    assert pages(JITCORE="1") < plain / 10
    assert pages(DECORATED) < plain / 10


def test_it_can_be_off() -> None:
    assert pages(JITCORE="1", JITCORE_HEAP_MB="0") > 100
    assert pages(DECORATED, JITCORE="0") > 100
    assert pages(DECORATED, JITCORE_HEAP_MB="0") > 100


@pytest.mark.parametrize(
    "settings",
    [
        {"MALLOC_TRIM_THRESHOLD_": "131072"},
        {"GLIBC_TUNABLES": "glibc.malloc.trim_threshold=131072"},
    ],
)
def test_what_the_user_says_of_malloc_holds(settings: Mapping[str, str]) -> None:
    assert pages(JITCORE="1", **settings) > 100
    assert from_environment(settings).heap_bytes == 0


def test_what_the_program_has_said_of_malloc_holds() -> None:
    says = "import ctypes; ctypes.CDLL(None).mallopt(-1, 131072)  # M_TRIM_THRESHOLD"
    assert pages(says, DECORATED) > 100


FFTS = """
    import jitcore

    rng = np.random.default_rng(0)
    h, k = np.exp(1j * rng.normal(size=2048)), np.exp(1j * rng.normal(size=2048))

    class Wave:
        psi = rng.normal(size=2048) + 0j

    @jitcore.compile
    def step(wave=Wave()):
        for _ in range(10):
            wave.psi = h * wave.psi
            wave.psi = np.fft.ifft(k * np.fft.fft(wave.psi))
            wave.psi = h * wave.psi
"""


@needs_compiler
def test_results_that_die_in_another_order_than_numpys(tmp_path: Path) -> None:
    run(START, FFTS, "step()", JITCORE_CACHE_DIR=str(tmp_path))  # the compiler uses the heap, too
    assert pages(FFTS, JITCORE_CACHE_DIR=str(tmp_path)) < 20


def test_a_child_process_goes_on_with_it() -> None:
    forked = """
        child = os.fork()
        if child == 0:
            os._exit(min(int(faults(step)), 255))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert int(run(START, forked, JITCORE="1")) < 20


# ---- it is given back ---------------------------------------------------------------------------

HEAP = """
    before = resident()
    held = arrays(1 << 20, 300)
    pin = bytes(5000)
    assert resident() >= before + 290
"""


@pytest.mark.parametrize(("megabytes", "bound"), [("", 64), ("8", 8)])
def test_the_bound_holds(megabytes: str, bound: int) -> None:
    heap = HEAP.replace("pin = bytes(5000)", "")
    left = run(
        START, heap, "del held; print(resident() - before)", JITCORE="1", JITCORE_HEAP_MB=megabytes
    )
    assert int(left) <= bound + 4


PINNED = """
    del held
    assert resident() >= before + 250, "the last array pins what lies below it"
"""


def pinned() -> str:
    """The block that is allocated last stays."""
    return HEAP.replace("pin = bytes(5000)", "held, pin = held[:-1], held[-1]")


def test_what_lies_below_a_block_that_stays_is_given_back() -> None:
    run(
        START,
        pinned(),
        PINNED,
        """
        _C.heap_keep(0, 0)  # where a minute is over
        touch_ufuncs(), touch_ufuncs()
        assert resident() <= before + 20
        """,
        JITCORE="1",
    )


def test_not_before_its_time() -> None:
    run(START, pinned(), PINNED, "touch_ufuncs()", "assert resident() >= before + 250", JITCORE="1")


@needs_compiler
def test_a_large_result_is_a_moment_to_give_it_back() -> None:
    run(
        START,
        DECORATED,
        "large = np.ones(100_000)",
        "double(large)",
        pinned(),
        PINNED,
        """
        _C.heap_keep(0, 0)
        double(large), double(large)
        assert resident() <= before + 20
        """,
        JITCORE_KEEP_ALL="1",
    )


def test_reset_gives_it_back() -> None:
    told = "jitcore.reset(); assert resident() <= before + 20"
    run(START, DECORATED, pinned(), PINNED, told)


def test_where_nothing_is_kept_nothing_is_given_back() -> None:
    run(
        START,
        """
        import ctypes
        libc = ctypes.CDLL(None)
        libc.mallopt(-1, 1 << 30), libc.mallopt(-3, 32 << 20)  # M_TRIM_, M_MMAP_THRESHOLD
        _C.heap_keep(0, 0)
        """,
        pinned(),
        PINNED,
        "_C.heap_give_back(); assert resident() >= before + 250",
    )


# ---- how much -----------------------------------------------------------------------------------


def test_the_environment_says_how_much() -> None:
    for text, size in {"": None, "0": 0, "12": 12 * MEGABYTE, "many": None}.items():
        assert from_environment({"JITCORE_HEAP_MB": text}).heap_bytes == size
    assert memory_limit.heap_bytes(Config(heap_bytes=5)) == 5
    assert memory_limit.heap_bytes(Config(heap_bytes=5, enabled=False)) == 0
    for other in ({"MALLOC_ARENA_MAX": "2"}, {"GLIBC_TUNABLES": "glibc.malloc.check=3"}):
        assert from_environment(other).heap_bytes == 0
    for other in ({"MALLOC_ARENA_MAX": ""}, {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F"}):
        assert from_environment(other).heap_bytes is None


def test_a_share_of_what_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    for megabytes, share in {128: 4, 512: 16, 2048: 64, 65536: 64}.items():
        monkeypatch.setattr(memory_limit, "allowed", lambda: megabytes * MEGABYTE)  # noqa: B023
        assert memory_limit.heap_bytes(Config()) == share * MEGABYTE


def test_the_limit_on_addresses_counts() -> None:
    assert _C.addresses() is None or _C.addresses() > 0
    told = run(
        START,
        """
        from jitcore.config import environment
        from jitcore.runtime.memory_limit import allowed, heap_bytes
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, resource.RLIM_INFINITY))
        print(_C.addresses(), allowed(), heap_bytes(environment()))
        """,
    )
    assert [int(part) for part in told.split()] == [1 << 30, 1 << 30, 32 * MEGABYTE]
