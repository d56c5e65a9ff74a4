"""Functions in verify mode, with a compiler that may be made to do wrong."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FunctionType
from typing import Any

from jitcore.attach import attach
from jitcore.config import Config
from jitcore.runtime.adopt import twin


@dataclass
class Bench:
    """`told`: what the log says. `wrong`: text in C → what is compiled in its place."""

    config: Config
    folder: Path
    told: list[str] = field(default_factory=list)
    wrong: dict[str, str] = field(default_factory=dict)

    def compiled(self, fn: Callable[..., Any], **options: Any) -> Any:
        assert isinstance(fn, FunctionType)
        return attach(twin(fn), replace(self.config, **options))

    def files(self) -> list[Path]:
        return sorted(self.folder.glob("jitcore-*.txt"))


class Told(logging.Handler):
    def __init__(self, texts: list[str]) -> None:
        super().__init__(logging.WARNING)
        self.texts = texts

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(logging.Formatter().format(record))
