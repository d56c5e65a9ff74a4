"""Does a Python that starts so read jitcore.pth? Tried: `site` does not look into the folders of
PYTHONPATH for it, and options may leave `site` out."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

ASKED = "import sys; sys.exit('jitcore.switch' not in sys.modules)"


def is_armed(start: Sequence[str]) -> bool:
    """`start`: the executable and its options. OSError: it does not start."""
    told = subprocess.run(
        (*start, "-c", ASKED),
        env={**os.environ, "JITCORE": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return told.returncode == 0
