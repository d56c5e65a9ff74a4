"""Code → the user's text of it.

Not by inspect.getsource: it asks all modules for their files, and they may answer with code of
their own (a module's __getattr__).
"""

from __future__ import annotations

import inspect
import linecache
from tokenize import TokenError
from types import CodeType


def source_of(code: CodeType) -> str:
    """Empty: it is not to be had."""
    lines = linecache.getlines(code.co_filename)
    if code.co_name == "<module>":
        return "".join(lines)
    own = lines[code.co_firstlineno - 1 :]
    try:
        return "".join(inspect.getblock(own)) if own else ""
    except (SyntaxError, TokenError):  # the file has changed
        return ""
