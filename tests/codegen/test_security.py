"""docs/security.md: what is loaded as code is this user's and whole, and nobody else's."""

from __future__ import annotations

import ast
import os
import stat
from pathlib import Path

import pytest
from codegen_harness import check
from toolchain_cases import X, graph, group, libraries

import jitcore
from jitcore.config import Config
from jitcore.kernels.kernel import kernel
from jitcore.toolchain import cache, cache_dir
from jitcore.toolchain import compiler as toolchain
from jitcore.toolchain.folder_trust import why_not
from jitcore.toolchain.subprocesses import CompileError, run

SOURCES = sorted(Path(jitcore.__file__).parent.rglob("*.py"))
OTHER = 54321  # a user that nobody is
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    made = tmp_path / "above" / "kernels"
    made.mkdir(parents=True, mode=0o700)
    return made


def test_a_private_folder(place: Path) -> None:
    assert why_not(place) is None


@pytest.mark.parametrize("mode", [0o777, 0o720, 0o702])
def test_a_folder_that_others_may_write(place: Path, mode: int) -> None:
    place.chmod(mode)
    assert why_not(place) == "others may write there"


def test_a_folder_that_others_may_replace(place: Path) -> None:
    place.parent.chmod(0o777)
    assert "another folder in its place" in str(why_not(place))
    place.parent.chmod(0o1777)  # sticky
    assert why_not(place) is None


@as_root
def test_a_folder_of_anothers(place: Path) -> None:
    os.chown(place, OTHER, OTHER)
    assert "others own it" in str(why_not(place))


@as_root
def test_a_link_of_anothers(place: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(place)
    assert why_not(link) is None
    os.lchown(link, OTHER, OTHER)
    assert "others own it" in str(why_not(link))


def test_what_is_refused_is_said_and_not_used(
    place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place.parent.chmod(0o777)
    cache_dir.SAID.pop("cache", None)
    assert cache_dir.usable(place) is None
    assert "is not used: others may put another folder" in caplog.text
    assert list(place.iterdir()) == []


def test_a_link_in_the_place_of_a_file_is_not_loaded(
    fresh: Config, compiler: object, tmp_path: Path
) -> None:
    assert kernel(group(), fresh) is not None
    (made,) = libraries(fresh)
    moved = tmp_path / "elsewhere.so"
    made.rename(moved)
    made.symlink_to(moved)
    cache.loaded.cache_clear()
    assert check(graph, [X], fresh)
    assert made.is_file() and not made.is_symlink()


def test_files_are_private(fresh: Config, compiler: object) -> None:
    before = os.umask(0)
    try:
        assert kernel(group(), fresh) is not None
    finally:
        os.umask(before)
    assert fresh.cache_dir is not None
    assert stat.S_IMODE(fresh.cache_dir.stat().st_mode) == 0o700


@pytest.mark.parametrize("relative", ["", ".", "bin"])
def test_no_compiler_from_where_the_program_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, relative: str
) -> None:
    (tmp_path / "bin").mkdir()
    for made in (tmp_path / "cc", tmp_path / "bin" / "cc"):
        made.write_text("#!/bin/sh\nexit 1\n")
        made.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{relative}{os.pathsep}")
    assert toolchain.which("cc") is None


def test_no_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stranger = tmp_path / "made by a shell"
    named = f"cc;touch {stranger}"
    assert list(toolchain.compilers(named)) == []
    with pytest.raises(CompileError):
        run(("/bin/false", f"; touch '{stranger}'", "$(id)"), "")
    assert not stranger.exists()


UNSAFE = {"pickle", "marshal", "shelve", "dill", "cloudpickle"}
SHELLS = {"system", "popen", "getoutput", "getstatusoutput"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_no_pickle_and_no_shell_in_the_sources(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                assert not UNSAFE & {alias.name.split(".")[0] for alias in names}
            case ast.ImportFrom(module=str(module)):
                assert module.split(".")[0] not in UNSAFE
            case ast.keyword(arg="shell"):
                pytest.fail(f"line {node.value.lineno}: a shell")
            case ast.Call(func=ast.Attribute(value=ast.Name(id="os" | "subprocess"), attr=name)):
                assert name not in SHELLS
