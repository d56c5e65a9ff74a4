"""C texts of kernels → their functions, many in one library: starting a compiler costs most.

    prelude + head + body of kernel 0      all preludes, each part once
    prelude + head + body of kernel 1  →   int k0(...) {...}   int k1(...) {...}   ...

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

from jitcore.codegen.abi import SYMBOL, runtime_text
from jitcore.codegen.emit_c import HEAD, QUIET, SELECT
from jitcore.codegen.kept import SINK
from jitcore.codegen.selftest import proven_flags
from jitcore.codegen.toolchain import Compiler, build

LEAST, MOST = 20, 150  # kernels in a library
PARTS = (QUIET, SELECT, SINK)


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
    heads, bodies = zip(*(text.split(HEAD) for text in texts), strict=True)
    parts = [part for part in PARTS if any(part in head for head in heads)]
    names = {line for head in heads for line in rest(head).splitlines() if line}
    assert all(line.startswith("#define ") for line in names), names
    functions = [HEAD.replace(SYMBOL, f"k{k}") + body for k, body in enumerate(bodies)]
    return "\n".join((runtime_text(), *sorted(names), *parts, *functions))


def rest(head: str) -> str:
    for part in (runtime_text(), *PARTS):
        head = head.replace(part, "")
    return head
