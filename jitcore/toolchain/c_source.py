"""C text, and how it is compiled.

    c_source(text)                   a kernel
    c_source(text, "Model_step_12")  its symbol says where it is from: symbol_names.py
    c_source(text, quick=True)       long: -O3 would take the compiler several times as long

The text says both, since a library is found by its text: nobody reads it to know them.
"""

from __future__ import annotations

from jitcore.host.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CSource:
    text: str
    label: str = ""
    quick: bool = False


def c_source(text: str, label: str = "", quick: bool = False) -> CSource:
    begin = "#define RT_LONG\n" if quick else ""
    end = f"/* label: {label} */\n" if label else ""
    return CSource(f"{begin}{text}{end}", label, quick)
