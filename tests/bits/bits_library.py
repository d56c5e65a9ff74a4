"""C texts of kernels → their functions, many in one library: starting a compiler costs most.

    kernel 0, kernel 1, ...  →   int k0(...) {...}   int k1(...) {...}   ...

The flags and the search for fused instructions are those of every kernel.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import _cffi_backend

from jitcore.toolchain.abi import SYMBOL
from jitcore.toolchain.compiler import Compiler, build
from jitcore.toolchain.selftest import proven_flags

LEAST, MOST = 20, 150  # kernels in a library


@dataclass(frozen=True)
class Code:
    address: int
    handle: object


def compiled(texts: Iterable[str], compiler: Compiler, folder: Path) -> dict[str, Code]:
    each = list(dict.fromkeys(texts))
    workers = os.cpu_count() or 1
    size = min(MOST, max(LEAST, -(-len(each) // workers)))
    batches = [each[at : at + size] for at in range(0, len(each), size)]
    with ThreadPoolExecutor(workers) as pool:
        made = pool.map(lambda batch: library(batch, compiler, folder), batches)
        return {text: code for one in made for text, code in one.items()}


def library(texts: Sequence[str], compiler: Compiler, folder: Path) -> dict[str, Code]:
    source = joined(texts)
    target = folder / f"{hashlib.sha256(source.encode()).hexdigest()}.so"
    build(compiler, proven_flags(compiler, None), source, target)
    ffi = _cffi_backend.FFI()
    handle = _cffi_backend.load_library(str(target), ffi.RTLD_NOW | ffi.RTLD_LOCAL)
    kind = ffi.typeof("int(*)(void)")
    addresses = (handle.load_function(kind, f"k{k}") for k in range(len(texts)))
    return {
        text: Code(int(ffi.cast("uintptr_t", address)), handle)
        for text, address in zip(texts, addresses, strict=True)
    }


def joined(texts: Sequence[str]) -> str:
    return "\n".join(text.replace(SYMBOL, f"k{k}") for k, text in enumerate(texts))
