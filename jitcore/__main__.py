"""`python [options] -m jitcore script.py args` → `JITCORE=1 python [options] script.py args`; or a
command of jitcore's own: COMMANDS.

The interpreter starts anew in this process: whatever it does for a script, a module or a command,
it does, and no frame of jitcore's is below the program's.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from jitcore.auto.site_check import is_armed

NOT_INSTALLED = (
    "jitcore: not installed for this Python, which has not read jitcore.pth "
    "(it does not look for it on PYTHONPATH): pip install it"
)
# Loaded when they are asked for. A script of such a name is ./doctor, or cli/doctor.py.
COMMANDS = {
    "doctor": "jitcore.cli.doctor",
    "cache": "jitcore.cli.cache",
    "bugreport": "jitcore.cli.bugreport",
    "replay": "jitcore.cli.replay",
    "report": "jitcore.cli.report",
}
WORDS = "jitcore.cli.commands"
RUN, EXPLAIN, REPORT = "run", "explain", "--report"


def command(original: Sequence[str], executable: str, arguments: Sequence[str]) -> list[str]:
    """The command line without `-m jitcore`, which are one or two words before the arguments."""
    options = list(original[1 : len(original) - len(arguments)])
    last = options.pop()
    if last == "jitcore":
        last = options.pop()
    options.append(last.removesuffix("jitcore").removesuffix("m"))
    return [executable, *(word for word in options if word != "-"), *arguments]


def report_to(file: str) -> str | None:
    """As JITCORE_REPORT has it; None: a file of no kind that there is."""
    kind = os.path.splitext(file)[1].removeprefix(".")
    if not file:
        return "1"
    return f"{kind}:{file}" if kind in ("json", "html") else None


def answered(arguments: Sequence[str]) -> Callable[[], int] | None:
    """What to say, and to leave with; None: they name a program."""
    first = arguments[0] if arguments else ""
    command = first if first in (RUN, EXPLAIN) else ""
    asked = arguments[1:2] if command else arguments[:1]
    if asked in (["-h"], ["--help"]):
        return lambda: int(import_module(WORDS).show(command))
    is_word = bool(first) and first.isidentifier() and not command
    if not arguments or (is_word and not os.path.exists(first)):
        why = f"there is no command {first!r}, and no such file" if first else ""
        return lambda: int(import_module(WORDS).refuse(why))
    return None


def main() -> int:
    arguments = sys.argv[1:]
    if arguments and arguments[0] in COMMANDS:
        return int(import_module(COMMANDS[arguments[0]]).main(arguments[1:]))
    answer = answered(arguments)
    if answer is not None:
        return answer()
    original = sys.orig_argv[: len(sys.orig_argv) - len(arguments)]
    wanted: str | None = ""
    file = ""
    if arguments[0] in (RUN, EXPLAIN):
        wanted = EXPLAIN if arguments.pop(0) == EXPLAIN else ""
    if arguments and arguments[0].partition("=")[0] == REPORT:
        file = arguments.pop(0).partition("=")[2]
        wanted = report_to(file)
    if wanted is None:
        print(f"{REPORT}={file}: a name that ends in .json or .html is expected", file=sys.stderr)
        return 2
    if not arguments:
        return int(import_module(WORDS).refuse("no program is named"))
    words = command([*original, *arguments], sys.executable, arguments)
    if not is_armed(words[: len(words) - len(arguments)]):
        print(NOT_INSTALLED, file=sys.stderr)
        return 2
    if wanted:
        os.environ["JITCORE_REPORT"] = wanted
    os.environ["JITCORE"] = "1"
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, words)


if __name__ == "__main__":
    sys.exit(main())
