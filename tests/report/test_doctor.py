"""`python -m jitcore doctor` and `cache`, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

PROGRAM = """
import numpy as np, jitcore
x = np.arange(1000.0)
print(jitcore.compile(lambda x: x * 2 + 1)(x).sum())
"""


def told(folder: Path, *words: str, **more: str) -> tuple[int, str, str]:
    env = {**os.environ, "JITCORE_CACHE_DIR": str(folder), **more}
    env = {name: value for name, value in env.items() if value}
    run = subprocess.run(
        [sys.executable, *words], env=env, capture_output=True, text=True, timeout=300, check=False
    )
    return run.returncode, run.stdout, run.stderr


def findings(out: str) -> dict[str, tuple[str, str]]:
    lines = [line.split(maxsplit=2) for line in out.splitlines()[1:]]
    return {what: (mark, text) for mark, what, text in lines}


def test_all_is_well(tmp_path: Path) -> None:
    status, out, _ = told(tmp_path / "kernels", "-m", "jitcore", "doctor")
    found = findings(out)
    assert out.startswith("jitcore ")
    assert found["numpy"] == ("ok", f"{np.__version__}: one that kernels were compared with")
    assert "NumPy's bits" in found["compiler"][1]
    assert "NumPy's bits" in found["trial"][1]
    assert str(tmp_path / "kernels") in found["cache"][1]
    others = [what for what, (mark, _) in found.items() if mark == "WRONG"]
    assert others in ([], ["JITCORE=1"])  # where this tree is not installed
    assert status == len(others)


def test_what_is_wrong_says_what_to_do(tmp_path: Path) -> None:
    more = {"JITCORE_CC": "no-such-compiler", "JITCORE_NUM_THREADS": "many"}
    status, out, _ = told(tmp_path, "-m", "jitcore", "doctor", **more)
    found = findings(out)
    assert status == 1
    assert found["compiler"][0] == found["environment"][0] == found["trial"][0] == "WRONG"
    assert "no-such-compiler" in found["compiler"][1]
    assert "jitcore[compiler]" in found["compiler"][1]
    assert "JITCORE_NUM_THREADS" in found["environment"][1]


def test_a_folder_that_others_write_to(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    status, out, _ = told(tmp_path, "-m", "jitcore", "doctor")
    assert status == 1
    assert findings(out)["cache"] == (
        "WRONG",
        f"the kernel cache {tmp_path} is not used: others may write there",
    )
    status, _, errors = told(tmp_path, "-m", "jitcore", "cache", "clear")
    assert status == 1
    assert str(tmp_path) in errors


def test_the_cache_is_shown_and_cleared(tmp_path: Path) -> None:
    folder = tmp_path / "kernels"
    assert told(folder, "-m", "jitcore", "cache")[1] == f"{folder}: 0 kernels, 0.0 of 256 MB\n"
    assert told(folder, "-c", PROGRAM)[0] == 0
    names = {path.stem for path in folder.glob("*.so")}
    listed = told(folder, "-m", "jitcore", "cache", "list")[1].splitlines()
    assert {line.split()[-1] for line in listed} == names != set()
    assert f"{len(names)} kernels" in told(folder, "-m", "jitcore", "cache", "size")[1]
    status, out, _ = told(folder, "-m", "jitcore", "cache", "clear")
    assert status == 0
    assert "removed" in out
    assert [*folder.iterdir()] == []
    assert told(folder, "-c", PROGRAM)[1] == "1000000.0\n"


@pytest.mark.parametrize("words", [("cache", "burn"), ("cache", "list", "all"), ("doctor", "now")])
def test_words_that_are_not_known(tmp_path: Path, words: tuple[str, ...]) -> None:
    status, out, errors = told(tmp_path, "-m", "jitcore", *words)
    assert status == 2
    assert out == ""
    assert errors.startswith("usage: python -m jitcore ")


def test_who_reads_may_leave(tmp_path: Path) -> None:
    """As `head` does."""
    (tmp_path / "kernels").mkdir(mode=0o700)
    for number in range(5000):
        (tmp_path / "kernels" / f"{number}.so").touch()
    env = {**os.environ, "JITCORE_CACHE_DIR": str(tmp_path / "kernels")}
    words = (sys.executable, "-m", "jitcore", "cache", "list")
    with subprocess.Popen(words, env=env, stdout=-1, stderr=-1, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(60) == 0
