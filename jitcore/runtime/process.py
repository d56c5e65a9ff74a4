"""What holds for the whole process: threads, memory, logs, measuring."""

from __future__ import annotations

from jitcore import _C, logs
from jitcore.config import complaints, environment
from jitcore.runtime.memory_limit import keep_heap, pool_bytes
from jitcore.runtime.records import records
from jitcore.runtime.threads import threads_of
from jitcore.runtime.warning_safety import Warned
from jitcore.toolchain.cache_dir import say

use_threads = _C.set_threads
threads = _C.threads


def begin_process() -> None:
    """As the environment has it."""
    _C.meet_numpy()
    _C.set_warnings_check(Warned().passes)
    config = environment()
    _C.pool_limit(pool_bytes(config))
    keep_heap(config)
    use_threads(threads_of(config))
    logs.listen(logs.levels_in(config.logs))
    if config.report:
        measure()
    for variable, complaint in complaints().items():
        say(variable, complaint)


def measure() -> None:
    """From here on the run's time has owners: csrc/observe/meter.h."""
    records.keeps = True
    _C.meter(True)
