"""C text → the same with comments that name the user's lines, for people. Kernels are compiled, and
kept, without: the same loop of two functions is one kernel.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from jitcore.kernels.chains.chain_c import stage_text
from jitcore.kernels.emit.kernel_c import HEAD
from jitcore.kernels.group import FusionGroup
from jitcore.toolchain.symbol_names import comment

MADE = re.compile(r"^\s*(?:const \w+ )?[vr](\d+) = ")
CALL = re.compile(r"^\s*if \(loop\[(\d+)\]\.fn\(")


def of_kernel(group: FusionGroup, source: str) -> str:
    """Behind each line that computes a variable, or calls a loop of NumPy's."""
    if group.chain is None:
        prelude, head, body = source.partition(HEAD)
        return prelude + head + marked(body, group.program.places, inner_places(group.program))
    for k, stage in enumerate(group.chain.stages):
        text = stage_text(group.chain, stage, k)
        own = marked(text, stage.program.places, inner_places(stage.program))
        source = source.replace(text, own)
    return source


def inner_places(program: Any) -> list[Any]:
    """Of NumPy's loops, as the text numbers them."""
    called = [step for step in program.steps if step.inner is not None]
    return [program.places.get(step.outs[0]) for step in called]


def marked(text: str, places: Mapping[int, Any], calls: list[Any]) -> str:
    lines = []
    for line in text.split("\n"):
        made, call = MADE.match(line), CALL.match(line)
        where = places.get(int(made[1])) if made else None
        if call and int(call[1]) < len(calls):
            where = calls[int(call[1])]
        lines.append(line if where is None else f"{line}    {comment(where)}")
    return "\n".join(lines)
