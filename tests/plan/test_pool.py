"""Large results come from a pool of buffers, and are ordinary arrays all the same."""

from __future__ import annotations

import copy
import ctypes
import os
import pickle
import subprocess
import sys
import textwrap
import threading
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy._core.multiarray import get_handler_name

import jitcore
from jitcore import _C, pipeline
from jitcore.config import Config, from_environment
from jitcore.runtime.memory_limit import MOST, allowed, group_limits, pool_bytes
from jitcore.toolchain.compiler import find

pytestmark = pytest.mark.skipif(find("") is None, reason="no C compiler")

MEGABYTE = 1 << 20
LARGE = 3 * MEGABYTE // 8 + 5  # elements of float64
OURS, LEAST = "jitcore_pool", 128 << 10  # of csrc/kernel/pool.c
ROOT = Path(pipeline.__file__).parent.parent


def plain(x: Any, y: Any) -> Any:
    return x * y + x


@pytest.fixture(autouse=True)
def pool() -> Iterator[None]:
    limit = _C.pool_state()[0]
    _C.pool_limit(64 * MEGABYTE)
    _C.pool_clear()
    yield
    _C.pool_clear()
    _C.pool_limit(limit)


def idle() -> tuple[int, int]:
    """Bytes and buffers."""
    _, size, count, _ = _C.pool_state()
    return size, count


def reused() -> int:
    times: int = _C.pool_state()[3]
    return times


def compiled(fn: Any, *args: Any) -> Any:
    """With its kernels made."""
    fast = jitcore.compile(fn)
    fast(*args)
    _C.pool_clear()
    return fast


def operands(size: int = LARGE, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.random(size), rng.random(size)


def same(got: Any, want: Any) -> None:
    assert type(got) is type(want) and got.dtype == want.dtype
    assert (got.shape, got.strides, repr(got.flags)) == (want.shape, want.strides, repr(want.flags))
    assert got.tobytes() == want.tobytes()


def test_only_large_results_are_ours() -> None:
    x, y = operands()
    result = compiled(plain, x, y)(x, y)
    same(result, plain(x, y))
    assert get_handler_name(result) == OURS
    assert sys.getsizeof(result) == sys.getsizeof(plain(x, y))
    small = LEAST // 8 - 1
    assert get_handler_name(compiled(plain, x[:small], y[:small])(x[:small], y[:small])) != OURS
    for other in (np.empty_like(result), result.copy(), result + 1, x):
        assert get_handler_name(other) == get_handler_name() != OURS


def test_a_buffer_is_used_again() -> None:
    x, y = operands()
    fast = compiled(plain, x, y)
    first = fast(x, y)
    address = first.ctypes.data
    second = fast(y, x)
    assert second.ctypes.data != address
    del first
    before = reused()
    assert idle()[1] == 1
    again = fast(x, x)
    assert again.ctypes.data == address and reused() == before + 1 and idle() == (0, 0)
    same(second, plain(y, x))
    same(again, plain(x, x))


def test_a_much_larger_buffer_is_left_to_others() -> None:
    x, y = operands()
    large, small = compiled(plain, x, y), compiled(plain, x[: LARGE // 2], y[: LARGE // 2])
    large(x, y)
    assert idle()[1] == 1
    small(x[: LARGE // 2], y[: LARGE // 2])
    assert idle()[1] == 2


def test_results_stand_on_cache_lines() -> None:
    x, y = operands()
    assert compiled(plain, x, y)(x, y).ctypes.data % 64 == 0


def test_the_bound_holds() -> None:
    x, y = operands()
    fast = compiled(plain, x, y)
    _C.pool_limit(7 * MEGABYTE)
    results = [fast(x, y) for _ in range(5)]
    while results:
        results.pop()
        assert idle()[0] <= 7 * MEGABYTE
    assert idle()[1] == 2
    _C.pool_limit(4 * MEGABYTE)
    assert idle()[1] == 1


def test_the_number_of_buffers_is_bounded() -> None:
    x, y = operands(MEGABYTE // 8)
    fast = compiled(plain, x, y)
    _C.pool_limit(1024 * MEGABYTE)
    results = [fast(x, y) for _ in range(70)]
    del results
    assert idle()[1] == 64


def test_it_can_be_off() -> None:
    x, y = operands()
    fast = compiled(plain, x, y)
    kept = fast(x, y)
    _C.pool_limit(0)
    assert get_handler_name(fast(x, y)) != OURS
    same(kept, plain(x, y))
    del kept
    assert idle() == (0, 0)


def test_reset_gives_back_what_is_idle() -> None:
    x, y = operands()
    fast = compiled(plain, x, y)
    kept = fast(x, y)
    fast(x, y)
    assert idle()[1] == 1
    jitcore.reset()
    assert idle() == (0, 0)
    same(kept, plain(x, y))
    del kept
    assert idle()[1] == 1


@pytest.mark.parametrize("size", [10, LARGE - 7, LARGE + 1000, 4 * LARGE])
def test_resize(size: int) -> None:
    x, y = operands()
    fast = compiled(plain, x, y)
    got, want = fast(x, y), plain(x, y)
    got.resize(size, refcheck=False)
    want.resize(size, refcheck=False)
    same(got, want)
    assert get_handler_name(got) == OURS
    got.resize(LARGE, refcheck=False)
    want.resize(LARGE, refcheck=False)
    same(got, want)
    del got
    assert idle()[0] <= 64 * MEGABYTE
    same(fast(x, y), plain(x, y))


def test_a_view_keeps_the_buffer() -> None:
    x, y = operands()
    fast = compiled(plain, x, y)
    view = fast(x, y)[::3]
    assert idle() == (0, 0)
    other = fast(y, y)
    same(view, plain(x, y)[::3])
    del view
    assert idle()[1] == 1
    same(other, plain(y, y))


def test_copies_and_pickles() -> None:
    x, y = operands()
    result = compiled(plain, x, y)(x, y)
    want = plain(x, y)
    for way in (np.copy, copy.deepcopy, lambda array: pickle.loads(pickle.dumps(array))):
        made = way(result)
        same(made, way(want))
        assert get_handler_name(made) != OURS
    result.__setstate__(np.arange(5.0).__reduce__()[2])
    assert result.tolist() == [0, 1, 2, 3, 4] and get_handler_name(result) != OURS
    assert idle()[1] == 1


def test_freed_in_another_thread() -> None:
    x, y = operands()
    fast = compiled(plain, x, y)
    results = [fast(x, y) for _ in range(4)]
    thread = threading.Thread(target=results.clear)
    thread.start()
    thread.join()
    assert idle()[1] == 4
    same(fast(x, y), plain(x, y))


def test_threads_get_buffers_of_their_own() -> None:
    x, y = operands()
    fast = compiled(plain, x, y)
    wrong: list[int] = []

    def work(seed: int) -> None:
        x, y = operands(seed=seed)
        want = plain(x, y)
        for _ in range(15):
            if not np.array_equal(fast(x, y), want):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and reused() > 0


def test_tracemalloc_sees_it() -> None:
    x, y = operands()
    fast = compiled(plain, x, y)
    only = [tracemalloc.DomainFilter(True, np.lib.tracemalloc_domain)]

    def traced() -> int:
        snapshot = tracemalloc.take_snapshot().filter_traces(only)
        return sum(trace.size for trace in snapshot.traces)

    tracemalloc.start()
    try:
        result = fast(x, y)
        assert traced() == result.nbytes
        result.resize(2 * LARGE, refcheck=False)
        assert traced() == result.nbytes
        del result
        assert traced() == 0 and idle()[1] > 0
    finally:
        tracemalloc.stop()


LAYOUTS = {
    "columns": lambda x, y: (np.asfortranarray(x), np.asfortranarray(y)),
    "transposed": lambda x, y: (x.T, y.T),
    "strided": lambda x, y: (x[::2, ::3], y[::2, ::3]),
    "broadcast": lambda x, y: (x, y[0]),
    "three axes": lambda x, y: (x.reshape(14, 100, 1000).transpose(1, 2, 0), y[0, 0]),
    "float32": lambda x, y: (x.astype("f4"), y.astype("f4")),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_element_stays_unwritten(layout: str) -> None:
    def several(x: Any, y: Any) -> Any:
        return x * y + x, x > y - 0.5, x - y * 2

    x, y = LAYOUTS[layout](*(part.reshape(1400, 1000) for part in operands(1_400_000)))
    fast = compiled(several, x, y)
    want, before = several(x, y), reused()
    for garbage in (0, 255):
        results = fast(x, y)
        for got, expected in zip(results, want, strict=True):
            same(got, expected)
            ctypes.memset(got.ctypes.data, garbage, got.nbytes)
        del results, got
    assert reused() > before


# ---- a user's own handler -----------------------------------------------------------------------

USERS = """
    import ctypes, numpy as np
    from numpy._core.multiarray import _ARRAY_API, get_handler_name

    libc = ctypes.CDLL(None)
    P, N, O = ctypes.c_void_p, ctypes.c_size_t, ctypes.py_object
    kinds = {"malloc": (P, P, N), "calloc": (P, P, N, N), "realloc": (P, P, P, N)}

    def forward(name, *kind):
        fn = getattr(libc, name)
        fn.restype, fn.argtypes = kind[0], kind[2:]
        return ctypes.CFUNCTYPE(*kind)(lambda context, *args: fn(*args))

    libc.free.restype, libc.free.argtypes = None, (P,)
    calls = [forward(name, *kind) for name, kind in kinds.items()]
    calls.append(ctypes.CFUNCTYPE(None, P, P, N)(lambda context, data, size: libc.free(data)))

    class Handler(ctypes.Structure):
        _fields_ = [("name", ctypes.c_char * 127), ("version", ctypes.c_uint8), ("context", P),
                    *((f"f{i}", type(call)) for i, call in enumerate(calls))]

    handler = Handler(b"theirs", 1, None, *calls)
    api = ctypes.pythonapi
    api.PyCapsule_New.restype, api.PyCapsule_New.argtypes = O, (P, ctypes.c_char_p, P)
    api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = P, (O, ctypes.c_char_p)
    capsule = api.PyCapsule_New(ctypes.addressof(handler), b"mem_handler", None)
    table = ctypes.cast(api.PyCapsule_GetPointer(_ARRAY_API, None), ctypes.POINTER(P))
    set_handler = ctypes.PYFUNCTYPE(O, O)(table[304])
"""

START = """
    import jitcore, numpy as np
    from jitcore import _C, pipeline
    from numpy._core.multiarray import get_handler_name

    x = np.arange(400_000.0)

    @jitcore.compile
    def f(x, y):
        return x * y + x

    want = x * 2.0 + x
    result = f(x, 2.0)
    assert get_handler_name(result) == "jitcore_pool", get_handler_name(result)
"""


def run(*parts: str) -> None:
    """A program in a process of its own; it says nothing."""
    text = "\n".join(textwrap.dedent(part) for part in parts)
    variables = {**os.environ, "JITCORE_POOL_MB": "256"}
    done = subprocess.run(
        [sys.executable, "-c", text],
        env=variables,
        capture_output=True,
        text=True,
        timeout=120,
        cwd=ROOT,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_users_own_handler_goes_first() -> None:
    run(
        START,
        USERS,
        """
        before = set_handler(capsule)
        theirs = f(x, 2.0)
        assert get_handler_name(theirs) == "theirs", get_handler_name(theirs)
        assert (theirs == want).all()
        del result, theirs
        set_handler(before)
        assert get_handler_name(f(x, 2.0)) == "jitcore_pool"
        """,
    )


# ---- processes ----------------------------------------------------------------------------------


def test_fork() -> None:
    run(
        START,
        """
        import os
        f(x, 3.0)
        assert _C.pool_state()[2] == 1
        child = os.fork()
        if child == 0:
            status = 1
            try:
                assert _C.pool_state()[1:3] == (0, 0)
                del result                                    # the parent's: not kept
                assert _C.pool_state()[1:3] == (0, 0)
                for _ in range(3):
                    assert (f(x, 2.0) == want).all()
                assert _C.pool_state()[2] == 1
                status = 0
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        assert _C.pool_state()[2] == 1 and (result == want).all()
        assert (f(x, 2.0) == want).all()
        """,
    )


def test_arrays_that_outlive_the_interpreter() -> None:
    run(START, "import builtins, sys; builtins.kept = sys.kept = [result, result[3:]]")


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="ASan needs the addresses")
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc")
def test_idle_buffers_make_room() -> None:
    run(
        START,
        """
        import resource
        size = 40 << 17
        large, other = np.zeros(size), np.zeros(size + size // 4)
        for _ in range(3):
            f(large, 2.0), f(other, 2.0)
        del result
        _C.pool_clear()
        f(other, 2.0)
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (8 << 20), resource.RLIM_INFINITY))
        assert _C.pool_state()[1] >= other.nbytes > large.nbytes
        assert get_handler_name(f(large, 2.0)) == "jitcore_pool"
        """,
    )


# ---- how much -----------------------------------------------------------------------------------


def test_the_environment_says_how_much() -> None:
    for text, size in {"": None, "0": 0, "12": 12 * MEGABYTE, "many": None}.items():
        assert from_environment({"JITCORE_POOL_MB": text}).pool_bytes == size
    assert from_environment({"JITCORE_POOL_MB": "9" * 40}).pool_bytes == sys.maxsize
    assert pool_bytes(Config(pool_bytes=5)) == 5
    assert pool_bytes(Config()) == min(MOST, allowed() // 8)


def test_limits_of_control_groups(tmp_path: Path) -> None:
    inner = tmp_path / "user" / "job"
    first = tmp_path / "memory" / "box"
    inner.mkdir(parents=True)
    first.mkdir(parents=True)
    (inner / "memory.max").write_text("max\n")
    (tmp_path / "user" / "memory.max").write_text("4096\n")
    (first / "memory.limit_in_bytes").write_text("8192\n")
    groups = str(tmp_path)
    assert list(group_limits(groups, "0::/user/job\n")) == [4096]
    assert list(group_limits(groups, "5:cpu,memory:/box\n2:pids:/\n")) == [8192]
    (tmp_path / "memory.max").write_text("16384")
    assert list(group_limits(groups, "0::/\n")) == [16384]
    assert list(group_limits(groups, "")) == []
