"""JITCORE_DUMP: a folder for each function, to read; and nothing of it is seen by the program."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore import api, config
from jitcore.dump import folder as files
from jitcore.dump.folder import name_of, write
from jitcore.runtime.records import records
from jitcore.toolchain import cache_dir

X = np.linspace(-1.0, 2.0, 64)


class Model:
    def __init__(self) -> None:
        self.seen = 0.0

    def step(self, x):
        y = np.sqrt(x * x + 1.0)
        self.seen = [y, x]
        print("half way", y[:0])
        return y * 2 + np.exp(y)


def total(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            s += x[i] * 2
    return s


@pytest.fixture
def dump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    own = replace(api.environment(), dump=tmp_path / "dump")
    monkeypatch.setattr(api, "environment", lambda: own)
    monkeypatch.setattr(cache_dir, "SAID", {})
    jitcore.reset()
    yield tmp_path / "dump"
    jitcore.reset()


def only(top: Path) -> Path:
    (found,) = top.iterdir()
    return found


def line_of(fn: Callable[..., Any], text: str) -> int:
    lines = Path(__file__).read_text().split("\n")
    first = fn.__code__.co_firstlineno
    return next(k for k, line in enumerate(lines[first - 1 :], first) if text in line)


def test_a_function_has_a_folder_with_its_source(dump: Path, capsys) -> None:
    jitcore.compile(Model.step)(Model(), X)
    place = only(dump)
    line = Model.step.__code__.co_firstlineno
    assert place.name == f"test_dump.Model.step-{line}"
    text = (place / "source.py").read_text()
    assert text.startswith("    def step(self, x):\n") and text.endswith("+ np.exp(y)\n")
    assert capsys.readouterr().out == "half way []\n"


def test_bytecode_stands_below_the_users_lines_with_points_and_exits(dump: Path, capsys) -> None:
    jitcore.compile(Model.step)(Model(), X)
    text = (only(dump) / "code.txt").read_text()
    first = line_of(Model.step, "y = np.sqrt")
    assert f"{first:5}          y = np.sqrt(x * x + 1.0)\n       -- region point" in text
    assert re.search(r"\d+  BINARY_OP +\*\n", text)
    exit = text[text.index("-- region-") :].split("LOAD_")[0]
    (y,) = re.findall(r"^ +y = (%\d+)$", exit, re.M)
    assert f"[{y}, x]" in exit  # what self.seen is, made when the region is left
    goes_on = f'line {first + 2}: print("half way", y[:0])'
    assert re.search(rf"goto \d+    # {re.escape(goes_on)}\n", exit)
    other = text[text.index("-- region-", text.index(goes_on)) :]
    assert re.search(r" stack: %\d+\n +goto \d+    # line \d+: return y \* 2", other)


def test_a_region_is_told_stage_by_stage(dump: Path, capsys) -> None:
    jitcore.compile(Model.step)(Model(), X)
    first, second = sorted(only(dump).glob("region-*.txt"), key=lambda one: one.stat().st_mtime_ns)
    text = first.read_text()
    heads = re.findall(r"^# (.*)$", text, re.M)
    assert heads[1:] == [
        "guards",
        "captured",
        "why it ends",
        "after stores are joined to windows, and dead nodes dropped",
        "after fusion: kernels and NumPy calls",
    ]
    assert "\nx is an array f8[64]\n" in text and "J204 " in text
    assert re.search(r"\n%\d+: f8\[64\] = x\n", text)
    assert re.search(r"\nkernel multiply_add_sqrt\(%\d+\) -> %\d+: f8\[64\]:\n", text)
    assert "kernel multiply_exp_add(" in second.read_text()
    known = set(re.findall(r"(%\d+): ", text.split("# after stores")[0]))
    assert set(re.findall(r"%\d+", text)) == known  # the same names all through


def test_c_names_the_users_lines(dump: Path, capsys) -> None:
    jitcore.compile(Model.step)(Model(), X)
    (path,) = only(dump).glob("region-*.multiply_exp_add.0.c")
    line = line_of(Model.step, "return y * 2")
    lines = path.read_text().split("\n")
    place = f"/* {__file__}:{line} in Model.step */"
    (product,) = [one for one in lines if re.search(r"v\d+ = \(v\d+ \* k\d+\);", one)]
    (call,) = [one for one in lines if "loop[0].fn(" in one]
    assert product.endswith(place) and call.endswith(place)
    kernels = [one for r in regions(Model.step) for one in r.kernels]
    assert path.read_text().replace(f"    {place}", "") in [f"{one.source}" for one in kernels]


def test_loops_in_c_name_the_users_lines(dump: Path) -> None:
    compiled = jitcore.compile(total)
    assert compiled(X) == total(X)
    (path,) = only(dump).glob("region-*.loops.0.c")
    text = path.read_text()
    places = [line_of(total, "if x[i] > 0"), line_of(total, "s += x[i] * 2")]
    comments = [f"/* {__file__}:{line} in total */\n" for line in places]
    assert all(comment in text for comment in comments)
    (routine,) = [one for r in regions(total) for one in r.routines]
    plain = "\n".join(
        one for one in text.split("\n") if not one.strip().startswith("/* " + __file__)
    )
    assert plain == routine.source


def regions(fn: Callable[..., Any]) -> Any:
    return records.find(fn.__code__).regions


def test_functions_of_one_name_have_folders_of_their_own(dump: Path) -> None:
    made = [eval("lambda x: x * 2 + 1"), eval("lambda x: x * 3 + 1")]
    for fn in made:
        jitcore.compile(fn)(X)
        jitcore.compile(fn)(X.astype("f4"))
    names = sorted(path.name for path in dump.iterdir())
    assert names == ["string_._lambda-1", "string_._lambda-1.2"]
    assert "source is not there" in (dump / names[0] / "source.py").read_text()
    assert len([*(dump / names[1]).glob("region-*-*.txt")]) == 2


def test_what_was_there_before_goes_and_what_is_not_ours_stays(dump: Path) -> None:
    place = dump / name_of(total.__code__)
    place.mkdir(parents=True)
    for name in ("region-98-7.txt", "region-2-1.old.3.c", "notes.txt"):
        (place / name).write_text("old")
    jitcore.compile(total)(X)
    names = {path.name for path in place.iterdir()}
    assert "notes.txt" in names and "code.txt" in names
    assert not names & {"region-98-7.txt", "region-2-1.old.3.c"}
    assert not [name for name in names if name.startswith(".new")]


def test_names_are_safe() -> None:
    def named(filename: str, qualname: str) -> str:
        return name_of(total.__code__.replace(co_filename=filename, co_qualname=qualname))

    line = total.__code__.co_firstlineno
    assert named("/a/../b.py", "f.<locals>.<lambda>") == f"b.f._lambda-{line}"
    assert named("<string>", "..") == f"string-{line}"
    assert named("/x/ä b.py", "g/../../h") == f"b.g_.._.._h-{line}"
    assert len(named("/x.py", "f" * 500)) < 120


def test_a_folder_that_cannot_be_written_is_told_of_once(dump: Path, caplog) -> None:
    dump.write_text("a file")
    for fn in (total, lambda x: x * 2 + 1):
        assert np.array_equal(jitcore.compile(fn)(X), fn(X))
    (record,) = caplog.records
    assert (
        record.getMessage().startswith(f"JITCORE_DUMP={dump}: ") and record.levelname == "WARNING"
    )


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path, monkeypatch) -> None:
    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write(tmp_path / "code.txt", "text")
    assert [*tmp_path.iterdir()] == []


def test_a_link_that_lies_in_wait_is_not_followed(tmp_path: Path, monkeypatch) -> None:
    """In a folder that is shared: whatever name is chosen, it is one that was not there."""
    monkeypatch.setattr(files.os, "urandom", bytes)
    target = tmp_path / "target"
    target.write_text("what was there")
    link = tmp_path / f".new-{bytes(8).hex()}-code.txt"
    link.symlink_to(target)
    with pytest.raises(FileExistsError):
        write(tmp_path / "code.txt", "text")
    assert target.read_text() == "what was there" and link.is_symlink()
    link.unlink()
    write(tmp_path / "code.txt", "text")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["code.txt", "target"]


def test_a_fault_of_ours_is_nothing_to_the_program(dump: Path, monkeypatch, caplog) -> None:
    def fails(*args: object) -> None:
        raise KeyError("a fault")

    monkeypatch.setattr("jitcore.dump.function.region_text", fails)
    compiled = jitcore.compile(total)
    assert compiled(X) == total(X) and compiled.cache_info().entries == 1
    assert "KeyError" in caplog.text


PROGRAM = """
import os, numpy as np, jitcore
@jitcore.compile
def f(x):
    return x * 2 + 1
os.chdir("/")
f(np.ones(8))
print(os.getpid())
"""


def test_a_program_writes_below_where_it_was_started(tmp_path: Path) -> None:
    env = {**os.environ, "JITCORE_DUMP": "of-%p"}
    words = [sys.executable, "-c", PROGRAM]
    env["PYTHONPATH"] = str(Path(jitcore.__file__).parent.parent)
    done = subprocess.run(
        words, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stderr == ""
    assert [*tmp_path.iterdir()] == [tmp_path / f"of-{done.stdout.strip()}"]
    assert config.environment().dump is None
