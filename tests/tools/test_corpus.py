"""tools/corpus.py: differences are found, and some of CPython's own tests have none."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import corpus
import pytest
from may_differ import reason

TOOL = Path(corpus.__file__)


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOL), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)


@pytest.mark.parametrize("module", ["frame", "monitoring", "code"])
def test_no_difference_in_cpythons_tests(module: str, tmp_path: Path) -> None:
    if module == "monitoring" and sys.version_info < (3, 12):
        pytest.skip("sys.monitoring came with 3.12")
    done = run("cpython", "--only", module, "--json", str(tmp_path / "out.json"))
    row = json.loads((tmp_path / "out.json").read_text())[module]
    assert done.returncode == 0, done.stdout
    assert row["tests"] >= 15 and not row["died"]


STRESSED = "frame with unpack_ex"


@pytest.mark.by_turns
def test_no_difference_under_stress(tmp_path: Path) -> None:
    """A part; docs/testing.md has the command for all."""
    out = tmp_path / "out.json"
    command = ("cpython", "--rules", "stress", "--only", STRESSED, "--together", "3")
    done = run(*command, "--json", str(out))
    rows = json.loads(out.read_text())
    assert done.returncode == 0, done.stdout
    assert sum(row["tests"] for row in rows.values()) > 60
    assert not any(row["excused"] for row in rows.values())


def test_a_package_s_conftest_is_read(tmp_path: Path) -> None:
    tests = tmp_path / "pack" / "tests"
    tests.mkdir(parents=True)
    for folder in (tests, tests.parent):
        (folder / "__init__.py").touch()
    (tests.parent / "conftest.py").write_text(
        "import pytest\n@pytest.fixture\ndef number(): return 1\n"
    )
    (tests / "test_own.py").write_text("def test_fixture(number): assert number == 1\n")
    out = tmp_path / "out.json"
    done = run(str(tests / "test_own.py"), "--json", str(out))
    assert done.returncode == 0, done.stdout
    row = json.loads(out.read_text())["pack/tests/test_own.py"]
    assert row["passed"] == row["tests"] == 1


def test_names_of_unittest_and_of_pytest_may_differ() -> None:
    assert reason(["_core/tests/test_api.py"], "test_api::test___array___refcount")
    assert reason(["code", "sys"], "test.test_sys.SysModuleTest.test_getframe")
    assert reason(["code", "sys"], "test.test_sys.SysModuleTest.test_getframes") is None


def test_a_difference_is_found(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(
        "import os, signal\n"
        "def test_same(): pass\n"
        "def test_other(): assert os.environ.get('JITCORE') != '1'\n"
    )
    done = run(str(tmp_path / "test_own.py"))
    assert done.returncode == 1
    assert "test_other" in done.stdout and "passed → failure" in done.stdout
    assert "1 different" in done.stdout


def test_of_files_in_one_process_the_one_that_differs_is_named(tmp_path: Path) -> None:
    (tmp_path / "test_same.py").write_text("def test_same(): pass\n")
    (tmp_path / "test_own.py").write_text(
        "import os\ndef test_other(): assert os.environ.get('JITCORE') != '1'\n"
    )
    same, own = tmp_path / "test_same.py", tmp_path / "test_own.py"
    out = tmp_path / "out.json"
    done = run(str(same), str(own), str(same), "--together", "2", "--json", str(out))
    rows = json.loads(out.read_text())
    assert done.returncode == 1
    assert {name.rsplit("/", 1)[1]: bool(row["different"]) for name, row in rows.items()} == {
        "test_same.py": False,
        "test_own.py": True,
    }


def test_a_crash_is_a_difference(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(
        "import os, signal\n"
        "def test_dies():\n"
        "    if os.environ.get('JITCORE') == '1': os.kill(os.getpid(), signal.SIGSEGV)\n"
    )
    done = run(str(tmp_path / "test_own.py"))
    assert done.returncode == 1
    assert "(process)" in done.stdout and "status -11" in done.stdout
