"""jitcore: makes plain NumPy code fast and changes nothing but the speed."""

from jitcore.version import __version__

__all__ = ["__version__"]
