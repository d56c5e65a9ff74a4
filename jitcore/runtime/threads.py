"""How many threads a kernel may use: what the user says, or the processors that the process has.

JITCORE_NUM_THREADS   else   OMP_NUM_THREADS, which joblib sets in its workers
else                  the processors that affinity and the control group's quota leave
"""

from __future__ import annotations

from jitcore.config import Config
from jitcore.host.cpu_count import processors


def threads_of(config: Config) -> int:
    """Of one kernel; never less than 1."""
    return processors() if config.threads is None else config.threads
