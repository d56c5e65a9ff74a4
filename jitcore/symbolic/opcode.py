"""The table of handlers: canonical opcode → what it does to the symbolic frame, with its stack
effect declared.

`@opcode("BINARY_OP", "lhs rhs -- res")` pops two, passes them, pushes what the handler returns.
`@opcode("CALL")` without an effect works on `frame.stack` itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jitcore.host.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Handler:
    run: Callable[..., Any]
    pops: int | None
    pushes: int


HANDLERS: dict[str, Handler] = {}


def opcode(name: str, effect: str | None = None) -> Callable[[Callable[..., Any]], Any]:
    def register(run: Callable[..., Any]) -> Callable[..., Any]:
        if effect is None:
            HANDLERS[name] = Handler(run, None, 0)
        else:
            pops, pushes = (len(side.split()) for side in effect.split("--"))
            HANDLERS[name] = Handler(run, pops, pushes)
        return run

    return register
