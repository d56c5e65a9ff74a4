"""One process that checks programs: JSON lines in, JSON lines out. It may crash or hang; whoever
started it notices.

    in   {"text": program}
    out  {"field": null | "result" | …, "difference": text, "raised": bool, "failed": text}
"""

from __future__ import annotations

import dataclasses
import faulthandler
import json
import logging
import os
import sys
from typing import Any

import jitcore
from fuzzing.compare import compare

RESET_EVERY = 20  # programs; what earlier ones left behind must not disturb later ones


class Complaints(logging.Handler):
    """Internal errors are logged, and CPython goes on; here they are finds."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(logging.Formatter().format(record))


def answer(request: dict[str, Any], complaints: Complaints) -> dict[str, Any]:
    text = request["text"]
    complaints.texts.clear()
    try:
        verdict = compare(text)
    except Exception as error:  # the program's own top level: not a find, useless to the shrinker
        return {"field": None, "failed": repr(error)}
    if complaints.texts:
        return {"field": "internal error", "difference": complaints.texts[0]}
    if verdict.difference is None:
        counts = dataclasses.asdict(verdict) if verdict.steps else {}
        return {**counts, "field": None, "raised": verdict.raised}
    difference = str(verdict.difference)
    return {"field": verdict.difference.field, "difference": difference, "raised": verdict.raised}


def main() -> None:
    faulthandler.enable()
    complaints = Complaints()
    logging.getLogger("jitcore").addHandler(complaints)
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # a program that prints past sys.stdout must not break the protocol
    for number, line in enumerate(sys.stdin):
        if number % RESET_EVERY == 0:
            jitcore.reset()
        print(json.dumps(answer(json.loads(line), complaints)), file=replies, flush=True)


if __name__ == "__main__":
    main()
