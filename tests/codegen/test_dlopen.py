"""Libraries on disk are mapped while somebody holds them."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from jitcore.toolchain.compiler import build, find
from jitcore.toolchain.dlopen import dlopen


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = find("")
    if compiler is None:
        pytest.skip("no C compiler")
    path = tmp_path_factory.mktemp("library") / "söven.so"
    text = '__attribute__((visibility("default"))) int seven(void) { return 7; }'
    build(compiler, ("-O1", "-fPIC", "-shared"), text, path)
    return path


def is_mapped(path: Path) -> bool:
    return str(path) in Path("/proc/self/maps").read_text(encoding="utf-8")


def test_the_address_is_the_symbol_s_while_the_handle_lives(library: Path) -> None:
    one, two = dlopen(library, "seven"), dlopen(library, "seven")
    assert one.address == two.address
    assert ctypes.CFUNCTYPE(ctypes.c_int)(one.address)() == 7
    del one
    assert is_mapped(library)
    del two
    assert not is_mapped(library)


def test_what_is_missing_is_an_os_error(library: Path, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"söven\.so has no eight"):
        dlopen(library, "eight")
    assert not is_mapped(library)
    with pytest.raises(OSError, match="nothing"):
        dlopen(tmp_path / "nothing.so", "seven")
    (tmp_path / "text.so").write_text("no library", encoding="utf-8")
    with pytest.raises(OSError, match=r"text\.so"):
        dlopen(tmp_path / "text.so", "seven")
