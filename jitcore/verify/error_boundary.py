"""What C calls of verify mode, inside the program's frames: an error of ours stays ours."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from jitcore.host.user_exceptions import is_users

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger("jitcore")


def fenced(otherwise: T) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """`otherwise`: the answer that leaves the frame to CPython. What a signal's handler raised
    goes on to the program."""

    def fence(callback: Callable[P, T]) -> Callable[P, T]:
        @wraps(callback)
        def run(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                return callback(*args, **kwargs)
            except Exception as error:
                if is_users(error):
                    raise
                log.exception("internal error in verify mode: please report it")
                return otherwise

        return run

    return fence
