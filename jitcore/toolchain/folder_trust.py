"""A folder → who but this user could put a file there, or another folder in its place.

What lies in it is loaded as code. root may do all; a sticky folder, as /tmp is, lets nobody rename
or remove what is another's.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path


def why_not(folder: Path) -> str | None:
    """None: nobody but this user and root. OSError where it cannot be looked at."""
    ours = (0, os.geteuid())
    if os.lstat(folder).st_uid not in ours:
        return "others own it, or the link to it"
    found = os.stat(folder)
    if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o022:
        return "others may write there"
    for above in Path(os.path.realpath(folder)).parents:
        found = os.stat(above)
        open_to_all = found.st_mode & 0o002 and not found.st_mode & stat.S_ISVTX
        if found.st_uid not in ours or open_to_all:
            return f"others may put another folder in its place, in {above}"
    return None
