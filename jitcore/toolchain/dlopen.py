"""A shared library on disk → the address of its kernel."""

from __future__ import annotations

from pathlib import Path

import _cffi_backend  # type: ignore[import-untyped]

from jitcore.host.fast_dataclass import dataclass

FFI = _cffi_backend.FFI()
FUNCTION = FFI.typeof("int(*)(void)")


@dataclass(frozen=True, slots=True)
class Library:
    """Mapped code. The address is good while `handle` lives."""

    address: int
    handle: object


def dlopen(path: Path, symbol: str) -> Library:
    """Map a library; OSError where it cannot be, or has no such kernel."""
    handle = _cffi_backend.load_library(str(path), FFI.RTLD_NOW | FFI.RTLD_LOCAL)
    try:
        function = handle.load_function(FUNCTION, symbol)
    except AttributeError as error:
        raise OSError(f"{path} has no {symbol}") from error
    return Library(int(FFI.cast("uintptr_t", function)), handle)
