"""Modules that load when they are first used, so that `import jitcore` costs next to nothing."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any


def lazy(name: str) -> Any:
    """The module, loaded at the first access to one of its attributes
    (importlib.util.LazyLoader)."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(name, name=name)
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
