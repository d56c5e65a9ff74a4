"""Compiled code on disk and in memory: one library for a graph, what fails, what goes."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from codegen_harness import build, check, groups_of
from toolchain_cases import SOURCE, X, graph, group, libraries, numbered

from jitcore.config import Config
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import OPS, Builder, Value
from jitcore.kernels.kernel import kernel, source_of
from jitcore.passes.window import fused
from jitcore.toolchain import cache, cache_dir, selftest
from jitcore.toolchain import compiler as toolchain
from jitcore.toolchain.c_source import CSource, c_source

# ---- the folder ----------------------------------------------------------------------------------


def test_the_folder_is_private_and_holds_one_file(fresh: Config, compiler: object) -> None:
    assert kernel(group(), fresh) is not None
    (only,) = libraries(fresh)
    assert only.suffix == ".so"
    assert fresh.cache_dir is not None
    assert stat.S_IMODE(fresh.cache_dir.stat().st_mode) == 0o700


def test_the_next_process_does_not_compile(
    fresh: Config, compiler: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kernel(group(), fresh) is not None
    cache.loaded.cache_clear()
    monkeypatch.setattr(cache, "build", lambda *args: pytest.fail("compiled again"))
    assert check(graph, [X], fresh)


def damage_cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:1000])


def damage_bit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def damage_empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [damage_cut, damage_bit, damage_empty])
def test_a_damaged_file_is_made_again(damage: object, fresh: Config, compiler: object) -> None:
    assert kernel(group(), fresh) is not None
    (path,) = libraries(fresh)
    whole = path.read_bytes()
    other = path.with_suffix(".other")
    path.rename(other)  # the mapped file must not change under this process
    path.write_bytes(whole)
    damage(path)  # type: ignore[operator]
    cache.loaded.cache_clear()
    assert not cache.is_whole(path)
    assert check(graph, [X], fresh)
    assert cache.is_whole(path)


def test_a_file_of_another_kernel_is_not_taken(fresh: Config, compiler: toolchain.Compiler) -> None:
    assert kernel(group(), fresh) is not None
    (path,) = libraries(fresh)
    flags = selftest.proven_flags(compiler, None)
    source = numbered(7)
    name = cache.file_name(source, selftest.Chosen(compiler, flags))
    path.with_name(name).write_bytes(path.read_bytes())
    assert cache.from_disk(path.with_name(name), cache.symbol_of(source, name)) is None


def test_a_folder_in_the_place_of_a_file(fresh: Config, compiler: object) -> None:
    assert kernel(group(), fresh) is not None
    (path,) = libraries(fresh)
    path.unlink()
    path.mkdir()
    cache.loaded.cache_clear()
    assert check(graph, [X], fresh)


def test_a_folder_that_cannot_be_written(
    fresh: Config, compiler: object, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    config = replace(fresh, cache_dir=blocked / "kernels")
    with caplog.at_level(logging.WARNING, "jitcore"):
        assert check(graph, [X], config)
    (record,) = caplog.records
    assert "cannot be used" in record.getMessage()


def test_a_folder_that_others_may_write(
    fresh: Config, compiler: object, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    with caplog.at_level(logging.WARNING, "jitcore"):
        assert check(graph, [X], replace(fresh, cache_dir=shared))
    assert "others may write" in caplog.text
    assert list(shared.iterdir()) == []


def test_a_full_disk(
    fresh: Config,
    compiler: object,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache, "sign", full)
    with caplog.at_level(logging.WARNING, "jitcore"):
        assert check(graph, [X], fresh)
    assert "No space left" in caplog.text
    assert libraries(fresh) == []


def test_nowhere_to_write_at_all(
    fresh: Config,
    compiler: toolchain.Compiler,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    selftest.proven_flags(compiler, None)
    monkeypatch.setattr(cache, "sign", full)
    monkeypatch.setattr(cache_dir.os, "mkdir", full)
    with caplog.at_level(logging.WARNING, "jitcore"):
        assert kernel(group(), fresh) is None
    assert "NumPy does its work" in caplog.text


def test_the_oldest_files_go(fresh: Config, compiler: object) -> None:
    assert fresh.cache_dir is not None
    for k in range(4):
        assert cache.loaded(numbered(k), "", "", fresh.cache_dir, 1 << 30) is not None
    size = libraries(fresh)[0].stat().st_size
    for age, path in enumerate(libraries(fresh)):
        os.utime(path, (1000 + age, 1000 + age))
    assert cache.loaded(numbered(99), "", "", fresh.cache_dir, 2 * size + 100) is not None
    assert len(libraries(fresh)) == 2


def test_notes_that_nobody_has_read_for_long_go(fresh: Config, compiler: object) -> None:
    assert fresh.cache_dir is not None and cache.library(numbered(0), fresh) is not None
    for key in ("old", "used", "new"):
        cache_dir.remember(fresh.cache_dir, key, "x" * 10_000)
    old, used, new = (fresh.cache_dir / cache_dir.note_name(key) for key in ("old", "used", "new"))
    for path in (old, used):
        os.utime(path, (1000, 1000))
    assert cache_dir.recall(fresh.cache_dir, "used") is not None
    everything = sum(path.stat().st_size for path in fresh.cache_dir.iterdir())
    limit = everything - 5_000
    assert cache.loaded(numbered(1), "", "", fresh.cache_dir, limit) is not None
    assert not old.exists() and used.exists() and new.exists()


def test_a_file_that_another_process_removes_meanwhile(tmp_path: Path) -> None:
    assert not cache.has_grown(tmp_path, cache.KIB * 10, {tmp_path / "gone.so"})
    path = tmp_path / "one.so"
    path.write_bytes(b"." * 4096)
    with path.open("rb") as file:
        assert cache.own_size(os.fstat(file.fileno())) == 4096
        path.unlink()
        assert cache.own_size(os.fstat(file.fileno())) == 4096  # it has no name


def test_the_folder_is_looked_through_when_it_has_grown(fresh: Config, compiler: object) -> None:
    assert fresh.cache_dir is not None
    assert cache.loaded(numbered(0), "", "", fresh.cache_dir, 1 << 30) is not None
    (path,) = libraries(fresh)
    added = path.stat().st_size
    first = (fresh.cache_dir / cache.GROWN).stat().st_size
    assert first == added // 1024 + 1
    assert not cache.has_grown(fresh.cache_dir, 3 * added, {path})
    assert cache.has_grown(fresh.cache_dir, 2 * added, {path})
    assert (fresh.cache_dir / cache.GROWN).stat().st_size == 0


def test_what_killed_processes_have_left_goes(fresh: Config, compiler: object) -> None:
    place = cache_dir.usable(fresh.cache_dir)
    assert place is not None
    for name, age in (("old", 2 * cache.DAY), ("young", 0.0)):
        (place / f"{cache_dir.NEW}{name}").mkdir()
        (place / f"{cache_dir.NEW}{name}" / "kernel.s").touch()
        (place / f"{cache_dir.NEW}{name}-note").touch()
        then = (place / f"{cache_dir.NEW}{name}").stat().st_mtime - age
        for path in place.glob(f"{cache_dir.NEW}{name}*"):
            os.utime(path, (then, then))
    assert cache.loaded(numbered(0), "", "", place, 0) is not None
    left = sorted(path.name for path in place.glob(f"{cache_dir.NEW}*"))
    assert left == [f"{cache_dir.NEW}young", f"{cache_dir.NEW}young-note"]


def test_a_folder_that_cannot_be_looked_through(fresh: Config, compiler: object) -> None:
    """Another process may remove a file at any time, or the disk be full."""
    assert fresh.cache_dir is not None
    (fresh.cache_dir / cache.GROWN).mkdir(parents=True)
    fresh.cache_dir.chmod(0o700)
    assert None not in cache.libraries([numbered(k) for k in range(2)], fresh)
    assert len(libraries(fresh)) == 2


def test_a_library_without_a_kernel(fresh: Config, compiler: object) -> None:
    assert (
        cache.loaded(CSource("int jitcore_kernel(void) { return 1; } // hidden\n"), "", "", None, 0)
        is None
    )


WORKER = """
import sys
from pathlib import Path
from jitcore.toolchain import cache
from jitcore.toolchain.c_source import CSource
folder = Path(sys.argv[1])
sources = map(CSource, sys.argv[2:])
assert all(cache.loaded(source, "", "", folder, 1 << 30) for source in sources)
print("good")
"""


@pytest.mark.by_turns
def test_many_processes_at_once(fresh: Config, compiler: object) -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(fresh.cache_dir), *map(SOURCE.format, range(4))],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        for _ in range(4)
    ]
    assert [one.communicate(timeout=60)[0].strip() for one in running] == [b"good"] * 4
    assert len(libraries(fresh)) == 4
    assert all(map(cache.is_whole, libraries(fresh)))


# ---- several kernels -----------------------------------------------------------------------------


def test_kernels_of_a_graph_are_one_library(
    fresh: Config, compiler: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    built, build = [], cache.build
    monkeypatch.setattr(cache, "build", lambda *args: (built.append(args), build(*args)))
    sources = [numbered(k) for k in range(3)]
    found = cache.libraries([*sources, sources[0]], fresh)
    assert len(built) == 1
    assert len({one.address for one in found if one is not None}) == 3 and found[0] is found[3]
    assert len({path.stat().st_ino for path in libraries(fresh)}) == 1
    assert len(libraries(fresh)) == 3
    cache.loaded.cache_clear()
    assert None not in cache.libraries(sources, fresh) and len(built) == 1
    assert None not in cache.libraries([*sources, numbered(3)], fresh) and len(built) == 2


def test_kernels_are_compiled_side_by_side(
    fresh: Config, compiler: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    meeting, build = threading.Barrier(2), cache.build

    def slow(*args: object) -> None:
        meeting.wait(60)  # passes only where two are at work
        build(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(cache, "build", slow)
    assert None not in cache.libraries([numbered(k) for k in range(4)], fresh, lambda: 2)
    assert len({path.stat().st_ino for path in libraries(fresh)}) == 2
    assert len(libraries(fresh)) == 4


def test_how_a_text_is_compiled_is_said_beside_it(
    fresh: Config, compiler: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags: list[tuple[str, ...]] = []
    build = cache.build
    monkeypatch.setattr(
        cache, "build", lambda by, said, *rest: (flags.append(said), build(by, said, *rest))
    )
    plain, text = numbered(1), numbered(2).text
    said = c_source(text, "here", quick=True)
    assert said.text == f"#define RT_LONG\n{text}/* label: here */\n"
    for one in (plain, said, CSource(said.text + " ")):  # the last says it in its text alone
        assert cache.library(one, fresh) is not None
    marks = [(set(toolchain.QUICK) <= {*one}, set(cache.UNWOUND) <= {*one}) for one in flags]
    assert marks == [(False, False), (True, True), (False, False)]


def test_one_bad_kernel_spoils_no_other(
    fresh: Config, compiler: object, caplog: pytest.LogCaptureFixture
) -> None:
    bad = numbered("nothing known")
    with caplog.at_level(logging.WARNING, "jitcore"):
        one, two, three = cache.libraries([numbered(1), bad, numbered(2)], fresh)
    assert one is not None and two is None and three is not None
    (record,) = caplog.records
    assert "cannot be compiled" in record.getMessage()
    assert len(libraries(fresh)) == 2


def test_kernels_with_the_same_helpers_fit_together(fresh: Config, compiler: object) -> None:
    def fn(b: Builder, x: Value) -> tuple[Value, ...]:
        total = b.emit(OPS["sum"], (b.emit(OP["*"], (x, x)),))
        rest = b.emit(OP["-"], (x, total))
        again = b.emit(OPS["sum"], (b.emit(OP["*"], (rest, rest)),))
        return total, rest, again

    b, _, results = build(fn, [X])
    sources = [CSource(source_of(one)) for one in groups_of(fused(b.nodes, set(results)))]
    assert len(sources) == 2 and all("rt_tree_f64" in one.text for one in sources)
    assert None not in cache.libraries(sources, fresh)
    assert len({path.stat().st_ino for path in libraries(fresh)}) == 1
