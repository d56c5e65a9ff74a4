"""A small graph, libraries that are nothing but a function, and what a cache folder holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from codegen_harness import build, groups_of

from jitcore.config import Config
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import OPS, Builder, Value
from jitcore.kernels.group import FusionGroup
from jitcore.passes.window import fused
from jitcore.toolchain import cache
from jitcore.toolchain.c_source import CSource

X = np.arange(1.0, 400.0)
SOURCE = """__attribute__((visibility("default"))) int jitcore_kernel(void) {{ return {}; }}
"""


def numbered(what: object) -> CSource:
    return CSource(SOURCE.format(what))


def graph(b: Builder, x: Value) -> Value:
    return b.emit(OP["+"], (b.emit(OP["*"], (x, x)), b.emit(OPS["sqrt"], (x,))))


def group() -> FusionGroup:
    b, _, results = build(graph, [X])
    return groups_of(fused(b.nodes, set(results)))[0]


def files(config: Config) -> list[Path]:
    assert config.cache_dir is not None
    return sorted(config.cache_dir.glob("*"))


def libraries(config: Config) -> list[Path]:
    return [path for path in files(config) if path.suffix != ".note" and path.name != cache.GROWN]
