"""How many threads a kernel may use: the environment, affinity, control groups, the program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import jitcore
from jitcore import _C
from jitcore.config import Config, from_environment
from jitcore.host.cpu_count import processors, quotas
from jitcore.runtime.threads import threads_of
from jitcore.toolchain.parallel_map import width

ROOT = Path(jitcore.__file__).parent.parent

AFFINITY = "jitcore.host.cpu_count.os.sched_getaffinity"

ENVIRONMENTS: list[tuple[dict[str, str], int | None]] = [
    ({}, None),
    ({"JITCORE_NUM_THREADS": "3"}, 3),
    ({"OMP_NUM_THREADS": "5"}, 5),
    ({"OMP_NUM_THREADS": "4,3,2"}, 4),
    ({"JITCORE_NUM_THREADS": "1", "OMP_NUM_THREADS": "5"}, 1),
    ({"JITCORE_NUM_THREADS": "", "OMP_NUM_THREADS": " 6 "}, 6),
    ({"JITCORE_NUM_THREADS": "0"}, None),
    ({"JITCORE_NUM_THREADS": "-2"}, None),
    ({"JITCORE_NUM_THREADS": "many", "OMP_NUM_THREADS": "2"}, 2),
]


@pytest.mark.parametrize(("env", "count"), ENVIRONMENTS, ids=repr)
def test_the_environment(env: dict[str, str], count: int | None) -> None:
    config = from_environment(env)
    assert config.threads == count
    if count is not None:
        assert threads_of(config) == count


FILES: list[tuple[str, dict[str, str], list[float]]] = [
    # /proc/self/cgroup, files below /sys/fs/cgroup, processors
    ("0::/user/job\n", {"user/job/cpu.max": "150000 100000\n"}, [1.5]),
    ("0::/user/job\n", {"user/cpu.max": "400000 100000", "user/job/cpu.max": "max 100000"}, [4.0]),
    ("0::/\n", {"cpu.max": "50000 100000\n"}, [0.5]),
    ("0::/a/b\n", {"a/cpu.max": "300000 100000", "a/b/cpu.max": "200000 100000"}, [3.0, 2.0]),
    (
        "4:cpu,cpuacct:/box\n2:memory:/box\n",
        {"cpu/box/cpu.cfs_quota_us": "250000", "cpu/box/cpu.cfs_period_us": "100000"},
        [2.5],
    ),
    (
        "4:cpu,cpuacct:/box\n",
        {"cpu/box/cpu.cfs_quota_us": "-1", "cpu/box/cpu.cfs_period_us": "100000"},
        [],
    ),
    ("4:cpu:/box\n", {"cpu/box/cpu.cfs_quota_us": "100000"}, []),
    ("0::/\n", {"cpu.max": ""}, []),
    ("0::/\n", {"cpu.max": "1 0"}, []),
    ("", {"cpu.max": "100000 100000"}, []),
]


@pytest.mark.parametrize(("membership", "files", "want"), FILES)
def test_control_groups(
    membership: str, files: dict[str, str], want: list[float], tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert list(quotas(str(tmp_path), membership)) == want


@pytest.mark.parametrize(("granted", "want"), [(0.2, 1), (1.5, 2), (2.0, 2), (900.0, 3)])
def test_the_least_counts(granted: float, want: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AFFINITY, lambda pid: {1, 5, 7}, raising=False)
    monkeypatch.setattr("jitcore.host.cpu_count.quotas", lambda groups, membership: iter([granted]))
    assert processors() == threads_of(Config()) == want


@pytest.mark.parametrize(("granted", "want"), [(1.0, 1), (4.0, 2), (64.0, 8)])
def test_compilers_side_by_side(granted: float, want: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AFFINITY, lambda pid: range(64), raising=False)
    monkeypatch.setattr("jitcore.host.cpu_count.quotas", lambda groups, membership: iter([granted]))
    assert width() == want


def test_affinity_of_the_process() -> None:
    code = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    assert count_in_a_process(code) == 1


def test_before_anything_is_compiled() -> None:
    assert count_in_a_process("import jitcore; jitcore.set_num_threads(5)\n") == 5
    assert count_in_a_process("", JITCORE_NUM_THREADS="6") == 6
    assert count_in_a_process("", OMP_NUM_THREADS="1") == 1


def count_in_a_process(code: str, **env: str) -> int:
    code += "import jitcore; print(jitcore.get_num_threads())"
    kept = {k: v for k, v in os.environ.items() if k not in ("OMP_NUM_THREADS",)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**kept, **env},
        timeout=60,
        check=True,
    )
    return int(done.stdout)


def test_the_program_says() -> None:
    jitcore.set_num_threads(3)
    assert jitcore.get_num_threads() == _C.threads() == 3
    jitcore.set_num_threads(True)
    assert jitcore.get_num_threads() == 1
    jitcore.set_num_threads(10**30)
    assert jitcore.get_num_threads() >= 64


@pytest.mark.parametrize("count", [0, -1, -(10**30)])
def test_less_than_one(count: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        jitcore.set_num_threads(count)


@pytest.mark.parametrize("count", [1.0, "2", None])
def test_no_number(count: Any) -> None:
    with pytest.raises(TypeError):
        jitcore.set_num_threads(count)
