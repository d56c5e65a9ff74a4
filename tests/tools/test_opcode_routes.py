"""Every instruction of the running CPython has a handler or a row in the break table."""

from __future__ import annotations

import opcode_routes


def test_no_instruction_without_a_route():
    without = [name for name in opcode_routes.native_names() if opcode_routes.route(name) is None]
    assert not without


def test_a_missing_route_is_seen():
    assert opcode_routes.route("NO_SUCH_INSTRUCTION") is None
