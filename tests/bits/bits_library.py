"""C texts of kernels → their functions, many in one library: starting a compiler costs most.

    kernel 0, kernel 1, ...  →   int k0(...) {...}   int k1(...) {...}   ...

The flags and the search for fused instructions are those of every kernel.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from jitcore.toolchain.abi import SYMBOL
from jitcore.toolchain.compiler import Compiler, build
from jitcore.toolchain.dlopen import Library, dlopen
from jitcore.toolchain.selftest import proven_flags

LEAST, MOST = 20, 150  # kernels in a library


def compiled(texts: Iterable[str], compiler: Compiler, folder: Path) -> dict[str, Library]:
    each = list(dict.fromkeys(texts))
    workers = os.cpu_count() or 1
    size = min(MOST, max(LEAST, -(-len(each) // workers)))
    batches = [each[at : at + size] for at in range(0, len(each), size)]
    with ThreadPoolExecutor(workers) as pool:
        made = pool.map(lambda batch: library(batch, compiler, folder), batches)
        return {text: code for one in made for text, code in one.items()}


def library(texts: Sequence[str], compiler: Compiler, folder: Path) -> dict[str, Library]:
    source = joined(texts)
    target = folder / f"{hashlib.sha256(source.encode()).hexdigest()}.so"
    build(compiler, proven_flags(compiler, None), source, target)
    return {text: dlopen(target, f"k{k}") for k, text in enumerate(texts)}


def joined(texts: Sequence[str]) -> str:
    return "\n".join(text.replace(SYMBOL, f"k{k}") for k, text in enumerate(texts))
