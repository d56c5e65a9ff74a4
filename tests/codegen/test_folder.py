"""Notes on disk: verdicts on loops and compilers outlive the process."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from jitcore import _C
from jitcore.toolchain import cache_dir, numpy_loops

D = np.dtype("d")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    cache_dir.usable.cache_clear()
    cache_dir.SAID.clear()
    return tmp_path / "kept"


@pytest.mark.parametrize("named", [False, True])
def test_the_usual_folder_is_nobodys_wish(
    place: Path, named: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What cannot be had of it is for reports; of one that the user names, it is a warning."""
    place.write_text("not a folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(place.parent if named else place))
    with caplog.at_level(logging.INFO, "jitcore.cache"):
        assert cache_dir.usable(place / "jitcore") is None
    (record,) = caplog.records
    (text,) = cache_dir.said()
    assert "cannot be used" in record.getMessage() == text
    assert record.levelname == ("WARNING" if named else "INFO")


def test_a_note_comes_back(place: Path) -> None:
    cache_dir.remember(place, "key", "two\nlines")
    assert cache_dir.recall(place, "key") == "two\nlines"
    assert cache_dir.recall(place, "other") is None
    assert [path.suffix for path in place.iterdir()] == [".note"]


def test_the_last_note_counts(place: Path) -> None:
    cache_dir.remember(place, "key", "old")
    cache_dir.remember(place, "key", "new")
    assert cache_dir.recall(place, "key") == "new"


@pytest.mark.parametrize("damaged", [b"", b"FREE", b"FREE\n" + b"0" * 64, b"\xff\n\xfe"])
def test_a_damaged_note_is_none(place: Path, damaged: bytes) -> None:
    cache_dir.remember(place, "key", "FREE")
    (path,) = place.iterdir()
    path.write_bytes(damaged)
    assert cache_dir.recall(place, "key") is None


def test_a_note_of_another_key_is_none(place: Path) -> None:
    cache_dir.remember(place, "key", "FREE")
    (path,) = place.iterdir()
    path.rename(place / cache_dir.note_name("other"))
    assert cache_dir.recall(place, "other") is None


def test_a_note_that_cannot_be_touched_is_read(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*args: object) -> None:
        raise PermissionError

    cache_dir.remember(place, "key", "FREE")
    monkeypatch.setattr(cache_dir.os, "utime", forbidden)
    assert cache_dir.recall(place, "key") == "FREE"


def test_where_nothing_can_be_kept(place: Path, tmp_path: Path) -> None:
    cache_dir.remember(None, "key", "text")
    assert cache_dir.recall(None, "key") is None
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    cache_dir.remember(blocked / "kept", "key", "text")
    assert cache_dir.recall(blocked / "kept", "key") is None


def test_a_disk_that_is_full(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache_dir.os, "replace", full)
    cache_dir.remember(place, "key", "text")
    assert list(place.iterdir()) == []


# ---- NumPy's loops ------------------------------------------------------------------------------


def test_a_loop_is_known_by_its_code() -> None:
    places = {_C.loop_place(f, (D, D)) for f in (np.exp, np.sin, np.sqrt, np.exp)}
    assert None not in places and len(places) == 3
    ((path, offset), _) = _C.loop_place(np.exp, (D, D))
    assert os.path.exists(path) and 0 < offset < os.stat(path).st_size


def test_types_without_a_row_have_no_place() -> None:
    assert _C.loop_place(np.add, (D, np.dtype("f"), D)) is None


def test_a_loop_in_memory_has_no_place() -> None:
    made = np.frompyfunc(abs, 1, 1)
    assert _C.loop_place(made, (np.dtype("O"),) * 2) is None
    assert numpy_loops.key_of(made, (np.dtype("O"),) * 2) is None


def test_wrong_questions() -> None:
    with pytest.raises(ValueError, match="takes 3 types"):
        _C.loop_place(np.add, (D, D))
    with pytest.raises(TypeError, match="a dtype is expected"):
        _C.loop_place(np.exp, (D, "d"))


def test_the_key_follows_the_processor_and_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    before = numpy_loops.key_of(np.exp, (D, D))
    assert before is not None and before == numpy_loops.key_of(np.exp, (D, D))
    with monkeypatch.context() as patch:
        patch.setattr(numpy_loops, "processor", lambda: "another")
        assert numpy_loops.key_of(np.exp, (D, D)) != before
    with monkeypatch.context() as patch:
        patch.setattr(numpy_loops, "file_state", lambda path: (path, 1, 2))
        assert numpy_loops.key_of(np.exp, (D, D)) != before

    def gone(path: str) -> None:
        raise FileNotFoundError(path)

    monkeypatch.setattr(numpy_loops, "file_state", gone)
    assert numpy_loops.key_of(np.exp, (D, D)) is None


SECOND = """
import numpy as np
from jitcore.toolchain import numpy_loops
if {tried}:
    numpy_loops.probe = lambda *a: print("tried anew")
one = numpy_loops.inner_loop(np.exp, "dd")
print(one.freedom.name)
"""


def asked(place: Path, tried: bool) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", SECOND.format(tried=tried)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={
            **os.environ,
            "JITCORE_CACHE_DIR": str(place),
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        },
    )
    return done.stdout.split()


def test_the_next_process_does_not_try_a_loop(place: Path) -> None:
    first = asked(place, False)
    assert first in (["FORWARD"], ["FLAT"])
    assert asked(place, True) == first
