"""A shared library on disk → the address of its kernel."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import _cffi_backend  # type: ignore[import-untyped]


@dataclass(frozen=True, slots=True)
class Library:
    """Mapped code. The address is good while `handle` lives."""

    address: int
    handle: object


def dlopen(path: Path, symbol: str) -> Library:
    """Map a library; OSError where it cannot be, or has no such kernel."""
    ffi = _cffi_backend.FFI()
    handle = _cffi_backend.load_library(str(path), ffi.RTLD_NOW | ffi.RTLD_LOCAL)
    try:
        function = handle.load_function(ffi.typeof("int(*)(void)"), symbol)
    except AttributeError as error:
        raise OSError(f"{path} has no {symbol}") from error
    return Library(int(ffi.cast("uintptr_t", function)), handle)
