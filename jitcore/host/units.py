"""Numbers as people read them."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def seconds(number: float) -> str:
    """Three digits, in the unit of which there is one."""
    if number >= 59.95:
        return f"{int(number // 60)} min {number % 60:.0f} s"
    for unit, times in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if number * times >= 0.9995:
            return f"{number * times:.3g} {unit}"
    return f"{number * 1e9:.0f} ns"


def share(part: float, whole: float) -> str:
    if whole <= 0:
        return "0%"
    percent = 100 * part / whole
    return f"{percent:.0f}%" if percent >= 9.95 or not percent else f"{percent:.1f}%"


def binary(count: int) -> str:
    """Bytes in the largest unit in which there is one of them."""
    size, units = float(count), ["KiB", "MiB", "GiB"]
    if size < 1024:
        return counted(count, "byte")
    while size >= 1024 and units:
        size, unit = size / 1024, units.pop(0)
    return f"{size:.4g} {unit}"
