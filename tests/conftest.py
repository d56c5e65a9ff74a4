"""Tests run in the tree, raise jitcore's own errors, and keep compiled kernels between runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
for folder in (str(HERE), str(HERE.parent)):
    if folder not in sys.path:
        sys.path.insert(0, folder)

os.environ.setdefault("JITCORE_KEEP_ALL", "1")
os.environ.setdefault("JITCORE_CACHE_DIR", str(HERE.parent / ".pytest_cache" / "kernels"))
