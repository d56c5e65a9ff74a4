"""The compiler: found or not, flags that keep to IEEE rounding, compiled code and its cache."""

from __future__ import annotations

import logging
import os
import platform
import signal
import stat
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from codegen_harness import build, check, groups_of

from jitcore.codegen import cache, folder, selftest, toolchain
from jitcore.codegen.kernel import kernel, kernels_to_come, load_all, source_of
from jitcore.codegen.schedule import Group, fuse
from jitcore.config import Config, default_cache_dir, from_environment
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import OPS, Builder, Value

X = np.arange(1.0, 400.0)
SOURCE = """__attribute__((visibility("default"))) int jitcore_kernel(void) {{ return {}; }}
"""


def graph(b: Builder, x: Value) -> Value:
    return b.emit(OP["+"], (b.emit(OP["*"], (x, x)), b.emit(OPS["sqrt"], (x,))))


def group() -> Group:
    b, _, results = build(graph, [X])
    return groups_of(fuse(b.nodes, set(results)))[0]


@pytest.fixture
def compiler() -> toolchain.Compiler:
    found = toolchain.find("")
    if found is None:
        pytest.skip("no C compiler")
    return found


@pytest.fixture
def fresh(tmp_path: Path) -> Config:
    """An empty cache folder, and nothing in memory."""
    cache.loaded.cache_clear()
    folder.usable.cache_clear()
    selftest.chosen.cache_clear()
    selftest.proven_flags.cache_clear()
    folder.SAID.clear()
    return Config(cache_dir=tmp_path / "kernels")


def files(config: Config) -> list[Path]:
    assert config.cache_dir is not None
    return sorted(config.cache_dir.glob("*"))


def libraries(config: Config) -> list[Path]:
    return [path for path in files(config) if path.suffix != ".note" and path.name != cache.GROWN]


# ---- rounding -----------------------------------------------------------------------------------


def test_fused_multiply_add_is_seen() -> None:
    for line in (
        "\tvfmadd213pd\t%ymm0, %ymm1, %ymm2",
        "  vfnmsub132sd x",
        "\tfmla\tv0.2d",
        "\tfmadd d0",
    ):
        assert toolchain.fused(f"a:\n{line}\n") is not None
    assert toolchain.fused("\tvaddpd\t%ymm0\n\tvmulpd\t%ymm1\n\tfmul\td0, d1\n") is None


@pytest.mark.skipif(platform.machine() != "x86_64", reason="flags of x86")
def test_a_compiler_that_fuses_is_refused(compiler: toolchain.Compiler, tmp_path: Path) -> None:
    flags = ("-mfma", "-mavx2", "-ffp-contract=fast")
    with pytest.raises(toolchain.CompileError, match="emits vf"):
        toolchain.assembly(compiler, flags, toolchain.PROBE, tmp_path / "probe.s")


def test_the_proven_flags_do_not_fuse(compiler: toolchain.Compiler, tmp_path: Path) -> None:
    flags = selftest.proven_flags(compiler, None)
    text = toolchain.assembly(compiler, flags, toolchain.PROBE, tmp_path / "probe.s")
    assert toolchain.fused(text) is None


@pytest.mark.skipif(platform.machine() != "x86_64", reason="names of x86 instructions")
def test_runs_between_calls_are_vector_code(compiler: toolchain.Compiler, tmp_path: Path) -> None:
    def fn(b: Builder, x: Value) -> Value:
        return b.emit(
            OP["*"], (b.emit(OPS["sqrt"], (b.emit(OP["+"], (x, 1.0)),)), b.emit(OPS["exp"], (x,)))
        )

    b, _, results = build(fn, [X])
    (one,) = groups_of(fuse(b.nodes, set(results)))
    flags = selftest.proven_flags(compiler, None)
    text = toolchain.assembly(compiler, flags, source_of(one), tmp_path / "one.s")
    assert "sqrtpd" in text


# ---- no compiler --------------------------------------------------------------------------------


def test_without_a_compiler_there_is_no_kernel(
    fresh: Config, caplog: pytest.LogCaptureFixture
) -> None:
    config = replace(fresh, compiler="no-such-compiler")
    with caplog.at_level(logging.WARNING, "jitcore"):
        assert kernel(group(), config) is None
        b, _, results = build(lambda b, x: b.emit(OP["-"], (graph(b, x), x)), [X])
        assert kernel(groups_of(fuse(b.nodes, set(results)))[0], config) is None
    (record,) = caplog.records
    assert "no C compiler" in record.getMessage()


def test_a_compiler_that_fails_is_said_once(
    fresh: Config, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\necho out of order >&2\nexit 1\n")
    broken.chmod(0o755)
    with caplog.at_level(logging.WARNING, "jitcore"):
        assert kernel(group(), replace(fresh, compiler=str(broken))) is None
    (record,) = caplog.records
    assert "out of order" in record.getMessage()


def test_flags_in_cc_are_kept(compiler: toolchain.Compiler) -> None:
    (found,) = toolchain.compilers(f"{compiler.path} -DX=1")
    assert found.command == (compiler.path, "-DX=1")


# ---- the disk cache -----------------------------------------------------------------------------


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
    name = cache.file_name(SOURCE.format(7), selftest.Chosen(compiler, flags))
    path.with_name(name).write_bytes(path.read_bytes())
    assert cache.from_disk(path.with_name(name)) is None


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
    monkeypatch.setattr(folder.tempfile, "mkdtemp", full)
    with caplog.at_level(logging.WARNING, "jitcore"):
        assert kernel(group(), fresh) is None
    assert "NumPy does its work" in caplog.text


def test_the_oldest_files_go(fresh: Config, compiler: object) -> None:
    assert fresh.cache_dir is not None
    for k in range(4):
        assert cache.loaded(SOURCE.format(k), "", "", fresh.cache_dir, 1 << 30) is not None
    size = libraries(fresh)[0].stat().st_size
    for age, path in enumerate(libraries(fresh)):
        os.utime(path, (1000 + age, 1000 + age))
    assert cache.loaded(SOURCE.format(99), "", "", fresh.cache_dir, 2 * size + 100) is not None
    assert len(libraries(fresh)) == 2


def test_the_folder_is_looked_through_when_it_has_grown(fresh: Config, compiler: object) -> None:
    assert fresh.cache_dir is not None
    assert cache.loaded(SOURCE.format(0), "", "", fresh.cache_dir, 1 << 30) is not None
    (path,) = libraries(fresh)
    added = path.stat().st_size
    first = (fresh.cache_dir / cache.GROWN).stat().st_size
    assert first == added // 1024 + 1
    assert not cache.has_grown(fresh.cache_dir, 3 * added, {path})
    assert cache.has_grown(fresh.cache_dir, 2 * added, {path})
    assert (fresh.cache_dir / cache.GROWN).stat().st_size == 0


def test_what_killed_processes_have_left_goes(fresh: Config, compiler: object) -> None:
    place = folder.usable(fresh.cache_dir)
    assert place is not None
    for name, age in (("old", 2 * cache.DAY), ("young", 0.0)):
        (place / f"{folder.NEW}{name}").mkdir()
        (place / f"{folder.NEW}{name}" / "kernel.s").touch()
        (place / f"{folder.NEW}{name}-note").touch()
        then = (place / f"{folder.NEW}{name}").stat().st_mtime - age
        for path in place.glob(f"{folder.NEW}{name}*"):
            os.utime(path, (then, then))
    assert cache.loaded(SOURCE.format(0), "", "", place, 0) is not None
    left = sorted(path.name for path in place.glob(f"{folder.NEW}*"))
    assert left == [f"{folder.NEW}young", f"{folder.NEW}young-note"]


def test_a_folder_that_cannot_be_looked_through(fresh: Config, compiler: object) -> None:
    """Another process may remove a file at any time, or the disk be full."""
    assert fresh.cache_dir is not None
    (fresh.cache_dir / cache.GROWN).mkdir(parents=True)
    fresh.cache_dir.chmod(0o700)
    assert None not in cache.libraries([SOURCE.format(k) for k in range(2)], fresh)
    assert len(libraries(fresh)) == 2


def test_a_library_without_a_kernel(fresh: Config, compiler: object) -> None:
    assert (
        cache.loaded("int jitcore_kernel(void) { return 1; } // hidden\n", "", "", None, 0) is None
    )


WORKER = """
import sys
from pathlib import Path
from jitcore.codegen import cache
folder = Path(sys.argv[1])
sources = sys.argv[2:]
assert all(cache.loaded(source, "", "", folder, 1 << 30) for source in sources)
print("good")
"""


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


# ---- the environment ----------------------------------------------------------------------------


def test_the_environment_is_read() -> None:
    config = from_environment(
        {
            "JITCORE": "0",
            "JITCORE_REPORT": "1",
            "JITCORE_CACHE_DIR": "/x",
            "JITCORE_CC": "tcc",
            "CC": "gcc",
        }
    )
    assert not config.enabled and config.report
    assert config.compiler == "tcc" and config.hinted == "gcc"
    assert config.cache_dir == Path("/x")
    assert from_environment({"JITCORE": "1"}).everywhere
    assert from_environment({}) == from_environment({"JITCORE": ""})


def test_the_cache_follows_xdg() -> None:
    assert default_cache_dir({"XDG_CACHE_HOME": "/c"}) == Path("/c/jitcore")
    assert default_cache_dir({"XDG_CACHE_HOME": "relative"}) == Path.home() / ".cache" / "jitcore"


def test_an_alarm_of_the_program_is_no_failure_of_the_compiler():
    def handler(*_: object) -> None:
        raise TimeoutError("the program's own")

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(TimeoutError, match="the program's own"):
            toolchain.run(("sleep", "5"), "")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_kernel_without_code_refuses_until_it_is_loaded(fresh: Config, compiler: object) -> None:
    one = group()
    (empty,) = kernels_to_come([one]).values()
    assert empty(X) is None and (empty.launches, empty.refusals) == (0, 1)
    assert load_all([empty], fresh)
    made = kernel(one, fresh)
    assert made is not None
    assert np.array_equal(empty(X), made(X))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="has its code"):
        empty.load(1, None)
    with pytest.raises(ValueError, match="no code at address 0"):
        kernels_to_come([one])[one].load(0, None)
    assert not load_all(kernels_to_come([one]).values(), replace(fresh, compiler="no-such"))


def test_kernels_of_a_graph_are_one_library(
    fresh: Config, compiler: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    built, build = [], cache.build
    monkeypatch.setattr(cache, "build", lambda *args: (built.append(args), build(*args)))
    sources = [SOURCE.format(k) for k in range(3)]
    found = cache.libraries([*sources, sources[0]], fresh)
    assert len(built) == 1
    assert len({one.address for one in found if one is not None}) == 3 and found[0] is found[3]
    assert len({path.stat().st_ino for path in libraries(fresh)}) == 1
    assert len(libraries(fresh)) == 3
    cache.loaded.cache_clear()
    assert None not in cache.libraries(sources, fresh) and len(built) == 1
    assert None not in cache.libraries([*sources, SOURCE.format(3)], fresh) and len(built) == 2


def test_kernels_are_compiled_side_by_side(
    fresh: Config, compiler: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    meeting, build = threading.Barrier(2), cache.build

    def slow(*args: object) -> None:
        meeting.wait(60)  # passes only where two are at work
        build(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(cache, "build", slow)
    assert None not in cache.libraries([SOURCE.format(k) for k in range(4)], fresh, width=2)
    assert len({path.stat().st_ino for path in libraries(fresh)}) == 2
    assert len(libraries(fresh)) == 4


def test_one_bad_kernel_spoils_no_other(
    fresh: Config, compiler: object, caplog: pytest.LogCaptureFixture
) -> None:
    bad = SOURCE.format("nothing known")
    with caplog.at_level(logging.WARNING, "jitcore"):
        one, two, three = cache.libraries([SOURCE.format(1), bad, SOURCE.format(2)], fresh)
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
    sources = [source_of(one) for one in groups_of(fuse(b.nodes, set(results)))]
    assert len(sources) == 2 and all("rt_tree_f64" in text for text in sources)
    assert None not in cache.libraries(sources, fresh)
    assert len({path.stat().st_ino for path in libraries(fresh)}) == 1
