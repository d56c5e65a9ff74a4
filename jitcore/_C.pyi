from array import array
from collections.abc import Callable
from os import PathLike
from types import CodeType, ModuleType
from typing import Any

import numpy as np

def __getattr__(name: str) -> Any: ...  # the parts that are not typed here

class Kernel:
    """A compiled loop with the signature of its operands, see csrc/kernel/launch.h."""

    name: str
    source: str
    launches: int
    refusals: int
    ninputs: int
    noutputs: int
    flag_mask: int

    def __init__(
        self,
        address: int,
        name: str,
        inputs: tuple[tuple[str, int, tuple[int, ...], tuple[int, ...]], ...],
        reads: tuple[tuple[int, int], ...],
        outputs: tuple[tuple[str, int, tuple[int, ...], tuple[int, ...]], ...],
        dim: tuple[int, ...],
        step: tuple[int, ...],
        loops: tuple[object, ...],
        flag_mask: int,
        source: str,
        library: object,
        cut: tuple[int, int, int, int] = (0, 0, 0, 0),
        write: tuple[int, int, int, bool, bool, bool, bool] | tuple[()] = (),
        taken: tuple[tuple[int, int], ...] = (),
        targets: tuple[tuple[int, int], ...] = ...,
    ) -> None: ...
    def __call__(self, *operands: Any) -> tuple[Any, ...] | None: ...
    def load(self, address: int, library: object) -> None: ...
    def sized(
        self,
        extents: tuple[tuple[int, int, int, int, int], ...],
        quotients: tuple[tuple[int, ...], ...],
        monomials: tuple[tuple[int, ...], ...],
        terms: tuple[tuple[int, int, int], ...],
        part: int,
    ) -> None: ...

class Number:
    """An int that follows from extents of arrays, see csrc/plan/dynamic_int.h."""

    def __init__(
        self,
        axes: tuple[tuple[int, int], ...],
        quotients: tuple[tuple[int, ...], ...],
        monomials: tuple[tuple[int, ...], ...],
        times: tuple[int, ...],
    ) -> None: ...
    def __call__(self, *arrays: np.ndarray[Any, Any]) -> int: ...

Life = tuple[str, str, int | float | None]  # state, why, looked at again: visits, seconds

def transitions() -> list[tuple[list[str], str, str, int]]: ...
def reasons() -> dict[str, str]: ...

# Frames: csrc/frame/, csrc/observe/test_entries.c

NULL: Any

class BaseEntry:
    """What a region point can run."""

    hits: int
    failures: int
    penalty: int
    retired: bool
    disabled: bool
    life: Life

class NullEntry(BaseEntry):
    """Leaves and goes on at the same place, share/256 of the time; for tests."""

    def __init__(self, offset: int, share: int = 128, seed: int = 1) -> None: ...

class ScriptedEntry(BaseEntry):
    """Leaves by this transfer, `runs` times; kind is 1 return, 2 jump, 3 raise; for tests."""

    def __init__(
        self,
        kind: int,
        offset: int,
        through_point: bool,
        stack: tuple[Any, ...],
        locals: tuple[tuple[int, Any], ...],
        value: Any = None,
        runs: int = 1,
    ) -> None: ...

class Rehearsal(BaseEntry):
    """In verify mode: in an entry's place, see csrc/observe/shadow_run.h."""

    probe: BaseEntry

    def __init__(
        self,
        probe: BaseEntry,
        entry: BaseEntry,
        before: Callable[[int, Any, Any], Any],
        after: Callable[[Any, Any, Any], int],
        offset: int,
    ) -> None: ...

class Watch(BaseEntry):
    """In verify mode: tells that a frame comes by."""

    def __init__(self, seen: Callable[[int, Any], int], offset: int) -> None: ...

class Point:
    """A region point, a constant of C*."""

    offset: int
    depth: int
    entries: tuple[BaseEntry, ...]
    hits: int
    misses: int
    closed: bool
    activation: int
    always_declines: bool
    misses_in_a_row: int
    cold: bool
    penalty: int
    dead: bool
    life: Life

    def __init__(self, offset: int, depth: int) -> None: ...
    def __invert__(self) -> bool: ...
    def add(self, entry: Any, first: bool = False, /) -> None: ...
    def close(self, why: str, /) -> None: ...
    def reopen(self) -> None: ...
    def end_backoff(self) -> None: ...
    def wait(self, seconds: float, /) -> None: ...
    def kill(self) -> None: ...
    def leave_run(self) -> None: ...

class FrameState(tuple[Any, ...]):
    """A frame at a region point, as the compiler sees it."""

    code: CodeType
    offset: int
    locals: tuple[Any, ...]
    stack: tuple[Any, ...]
    globals: dict[str, Any]
    builtins: dict[str, Any]
    function: Any

def install(
    code: CodeType,
    cstar: CodeType,
    at_point: array[int],
    at_instr: array[int],
    cold: bool = False,
) -> None: ...
def uninstall(code: CodeType) -> None: ...
def installed(code: CodeType) -> CodeType | None: ...
def set_warnings_check(check: Callable[[], bool]) -> None: ...
def set_compiler(fn: Callable[[Any, Any], None] | None) -> Callable[[Any, Any], None] | None: ...
def set_discover(fn: Callable[[CodeType], None] | None) -> Callable[[CodeType], None] | None: ...
def set_prepare(fn: Callable[[CodeType], None] | None) -> Callable[[CodeType], None] | None: ...
def set_ended(
    fn: Callable[[int, Any, Any], None] | None,
) -> Callable[[int, Any, Any], None] | None: ...
def leave_alone(code: CodeType) -> None: ...
def swap_busy(depth: int, /) -> int: ...
def collector_begin() -> None: ...
def collector_end() -> None: ...
def compile_enter() -> None: ...
def compile_leave() -> None: ...
def everywhere_begin(
    numpy: ModuleType, umath: ModuleType, seconds: float, loaded: bool, /
) -> None: ...
def everywhere_end(umath: ModuleType, /) -> None: ...
def everywhere() -> bool: ...
def hook_stands() -> bool: ...
def await_script() -> None: ...
def meet_numpy() -> None: ...
def replaced_loop(umath: ModuleType, /) -> str | None: ...
def is_plain_class(cls: type, /) -> bool: ...
def keys_are_plain(obj: Any, /) -> bool: ...
def own_attributes(obj: Any, /) -> dict[str, Any] | None: ...
def same_names(a: Any, b: Any, /) -> bool: ...
def hold_hook() -> None: ...
def release_hook() -> None: ...
def busy_enter() -> None: ...
def busy_leave() -> None: ...
def part(array: Any, index: Any, shape: tuple[int, ...], /) -> Any: ...
def histogram(
    numpys: Any, edges: Any, x: Any, bins: int, range: Any, weights: Any, /
) -> tuple[Any, Any]: ...
def products_use(dtype: np.dtype[Any], loop: tuple[object, ...], dot_warns: bool, /) -> None: ...
def small_dot(a: Any, b: Any, /) -> Any: ...
def small_matmul(a: Any, b: Any, /) -> Any: ...
def scaled_use(loop: tuple[object, ...], threads: int, order: int, /) -> bool: ...
def scaled_try(
    loop: tuple[object, ...], threads: int, order: int, number: Any, matrix: Any, vector: Any, /
) -> Any: ...
def scaled_product(multiply: Any, matmul: Any, number: Any, matrix: Any, vector: Any, /) -> Any: ...
def strands_always(always: bool, /) -> None: ...
def strands_count() -> int: ...
def row_orders() -> list[str]: ...
def row_order(threads: int, name: str, /) -> bool: ...
def row_products(
    threads: int,
    name: str,
    x: Any,
    y: Any,
    room: Any,
    lanes: int,
    n: int,
    p: int,
    x_step: int,
    x_lane: int,
    y_step: int,
    rest: bool,
    /,
) -> tuple[int, int, int]: ...
def try_dots(loop: tuple[object], without: tuple[str, ...], /) -> tuple[str | None, str | None]: ...
def search_loop(dtype: np.dtype[Any], least: bool, /) -> object | None: ...
def dlopen(path: PathLike[str] | str, symbol: str, /) -> tuple[int, object]: ...
def loop_place(
    ufunc: np.ufunc, dtypes: tuple[np.dtype[Any], ...]
) -> tuple[tuple[str | None, int], tuple[str | None, int]] | None: ...
def is_busy() -> bool: ...
def is_watched() -> bool: ...
def hook_depth() -> tuple[int, int]: ...
