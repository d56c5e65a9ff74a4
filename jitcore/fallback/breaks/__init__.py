"""THE BREAK TABLE: kind × place → the text that a user reads.

One row per reason why a piece of a program runs in CPython. The code (`J301`) is stable: it may be
retired, but never means anything else. A module holds the rows of one area, and all of them are
names of this package: `breaks.BRANCH`.

    instructions.py  J1xx       calls.py    J2xx       control.py  J3xx
    arrays.py        J4xx       objects.py  J5xx       frames.py   J9xx

    kind.py    BreakKind, one row         place.py   file, line, function

    vm.stop(KIND, detail)  raises BreakSignal, from any depth
            one except     signal.at(place) → Break, from then on a value    (signal.py)

`docs/breaks.md` is generated from the rows (`make docs`).
"""

from jitcore.fallback.breaks.arrays import *
from jitcore.fallback.breaks.calls import *
from jitcore.fallback.breaks.control import *
from jitcore.fallback.breaks.frames import *
from jitcore.fallback.breaks.instructions import *
from jitcore.fallback.breaks.kind import *
from jitcore.fallback.breaks.objects import *
from jitcore.fallback.breaks.place import *
from jitcore.fallback.breaks.signal import *
