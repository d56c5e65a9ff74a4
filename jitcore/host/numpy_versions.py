"""The versions of NumPy that kernels agree with, bit for bit: those that the tests were run with.

NumPy's loops change: 2.0 multiplies complex numbers in another order than 2.3, and has other norms.
With a version that nobody has compared, nothing is compiled.
"""

from __future__ import annotations

import re

FIRST, LAST = (2, 3), (2, 5)


def check(version: str) -> None:
    """ImportError if it is none of them: "2.5.1" and "2.5.0.dev0" are 2.5."""
    if not agrees(version):
        raise ImportError(
            f"jitcore has the bits of NumPy {shown(FIRST)} to {shown(LAST)}, and this is NumPy "
            f"{version}: pip install 'numpy>={shown(FIRST)},<{shown(after(LAST))}'"
        )


def agrees(version: str) -> bool:
    found = re.match(r"(\d+)\.(\d+)", version)
    return found is not None and FIRST <= (int(found[1]), int(found[2])) <= LAST


def after(release: tuple[int, int]) -> tuple[int, int]:
    return release[0], release[1] + 1


def shown(release: tuple[int, int]) -> str:
    return f"{release[0]}.{release[1]}"
