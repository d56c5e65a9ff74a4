"""Whose code is captured as frames of its own: the user's, not a library's.

Functions of these files may still be inlined or modelled; they get no region points when they are merely called.
"""

from __future__ import annotations

import os
import sysconfig
from types import CodeType

import numpy as np

PATHS = tuple(
    os.path.realpath(path) + os.sep
    for path in (
        sysconfig.get_path("stdlib"),
        os.path.dirname(np.__file__),
        os.path.dirname(os.path.dirname(__file__)),
    )
)
SITE = ("site-packages" + os.sep, "dist-packages" + os.sep)


def leaves_alone(code: CodeType) -> bool:
    name = code.co_filename
    if name.startswith("<"):
        return name.startswith("<frozen")
    return name.startswith(PATHS) and not any(site in name for site in SITE)
