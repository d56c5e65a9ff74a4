"""Texts of JSON, written and read by the standard library, in Python where it is indented."""

import json

ROWS = [
    {"name": f"row {i}", "values": list(range(i % 17)), "ratio": i / 7, "on": i % 2 == 0}
    for i in range(60)
]


def run() -> int:
    size = 0
    for _ in range(5):
        size += len(json.dumps(ROWS, indent=1, sort_keys=True))
        size += len(json.loads(json.dumps(ROWS)))
    return size
