"""Names for profilers and debuggers (JITCORE_PERF=1): jitcore_Model_step_12_multiply_sqrt_3f2a9c01

    Model_step 12     where the kernel's first node stands
    multiply_sqrt     what it does
    3f2a9c01          of its file in the cache

A kernel's symbol is made of its text, so that the same loop in two functions is one kernel, in
memory and on disk. A name that says where a kernel is from cannot be shared: so the label is a part
of the text, but only where it is asked for.
"""

from __future__ import annotations

import re
from typing import Any

from jitcore.toolchain.abi import SYMBOL
from jitcore.toolchain.c_source import CSource

LONGEST = 80
SHOWN = 16  # characters of a file's name, in symbols without a label
FEW = 8  # and with one
UNSAFE = re.compile(r"\W+", re.ASCII)  # in users' names


def label_of(function: str, line: int | None, what: str) -> str:
    own = function.replace("<locals>.", "")
    return UNSAFE.sub("_", f"{own}_{line or 0}_{what}").strip("_")[:LONGEST]


def symbol_of(source: CSource, name: str) -> str:
    """Of this kernel, in the file of this name."""
    label = source.label
    return f"jitcore_{label}_{name[:FEW]}" if label else f"{SYMBOL}_{name[:SHOWN]}"


def own_symbol(source: CSource, name: str) -> str:
    """The text with a symbol that no other kernel has."""
    return source.text.replace(SYMBOL, symbol_of(source, name))


def comment(where: Any) -> str:
    return f"/* {str(where).replace('*/', '* /')} */"
