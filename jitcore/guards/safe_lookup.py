"""What may be looked at without running code of the user's: names that are str, classes that answer
as classes do."""

from __future__ import annotations

import types
from typing import Any

from jitcore import _C

has_plain_names = _C.keys_are_plain
"""Another key than a str in an object's dict may say that it is equal to one."""

own_attributes = _C.own_attributes
"""Asked for its __dict__, an object would get one, and be slower to read from then on."""


same_names = _C.same_names
"""Whether two have the same names for their own: a dict, or what has it for its __dict__."""


def answers_itself(obj: Any) -> bool:
    """Looking at such an object, or at its class, would run code of the user's."""
    cls = type(obj)
    if not _C.is_plain_class(cls) or (issubclass(cls, type) and not _C.is_plain_class(obj)):
        return True
    if not issubclass(cls, types.ModuleType):
        return False
    answer: Any = cls.__getattribute__
    return answer is not types.ModuleType.__getattribute__
