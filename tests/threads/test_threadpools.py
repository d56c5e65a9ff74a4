"""threadpoolctl sees and limits jitcore's threads, and is imported by nobody but the program."""

from __future__ import annotations

import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore import _C
from jitcore.runtime.threadpools import FUNCTIONS, registered
from jitcore.version import __version__


class Library:
    """What is known of threadpoolctl.LibController."""

    def __init__(self) -> None:
        self.dynlib = types.SimpleNamespace(
            jitcore_get_num_threads=_C.threads, jitcore_set_num_threads=_C.set_threads
        )


def test_the_class() -> None:
    found: list[Any] = []
    module: Any = types.ModuleType("threadpoolctl")
    module.LibController, module.register = Library, found.append
    registered(module)
    registered(module)
    (cls,) = found
    assert cls.check_symbols == FUNCTIONS
    assert Path(_C.__file__).name.lower().startswith(cls.filename_prefixes)
    controller = cls()
    controller.set_num_threads(5)
    assert controller.get_num_threads() == jitcore.get_num_threads() == 5
    assert controller.get_version() == __version__


def test_threadpoolctl() -> None:
    threadpoolctl = pytest.importorskip("threadpoolctl")
    fast = jitcore.compile(lambda x: x * x + 1.0)
    fast(np.arange(10.0))
    jitcore.set_num_threads(6)
    (info,) = threadpoolctl.ThreadpoolController().select(user_api="jitcore").info()
    assert (info["num_threads"], info["version"]) == (6, __version__)
    with threadpoolctl.threadpool_limits(1):
        assert jitcore.get_num_threads() == 1
    with threadpoolctl.threadpool_limits({"jitcore": 2}):
        assert jitcore.get_num_threads() == 2
    assert jitcore.get_num_threads() == 6


def test_nobody_imports_it() -> None:
    code = """
import sys, numpy, jitcore
jitcore.compile(lambda x: x * x + 1.0)(numpy.arange(10.0))
assert "threadpoolctl" not in sys.modules
"""
    root = Path(jitcore.__file__).parent.parent
    subprocess.run([sys.executable, "-c", code], cwd=root, timeout=60, check=True)
