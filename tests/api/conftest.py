"""Each test finds nothing compiled."""

from support.fresh import fresh

__all__ = ["fresh"]
