"""What users see of a run. Reads everything, changes nothing."""

import sys
from types import ModuleType
from typing import Any

from jitcore.lazy import Lazy

reports = Lazy("jitcore.report.reports")


class Package(ModuleType):
    """`jitcore.report` is this package, whoever imported it first, and what users call."""

    def __call__(self, to: Any = None, /) -> None:
        reports.report(to)


sys.modules[__name__].__class__ = Package
