"""The docstrings of what users call, the variables and the commands → docs/api.md. `--check` only
says whether the file is current.

A docstring is prose, and lists of `name   text` with continuation lines that are indented.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from generated import written_or_checked

import jitcore
from jitcore import api, config
from jitcore.api import function_methods
from jitcore.report.explain import Explanation
from jitcore.user import config_scope

PAGE = Path(__file__).parent.parent / "docs" / "api.md"
HEAD = """\
# API reference

Written by `tools/api_page.py` from the docstrings (`make docs`); do not edit.

What is compiled takes and gives any NumPy array: shapes and dtypes are the program's own, and so
are the exceptions that it raises. What is said here is what jitcore's own functions take and raise.
"""
GROUPS: dict[str, str] = {
    "Compiling": "compile enable disable ignore_module stance graph_break is_compiling config",
    "Looking": "explain Explanation report CacheInfo CachedEntry",
    "Sizes and types": "ArraySpec mark_dynamic mark_static assume_constant_result allow_in_graph",
    "A compiled function": "cache_info cache_clear warmup graphs",
    "The process": "reset wait set_num_threads get_num_threads register_backend",
    "Errors": "JitcoreError GraphBreakError SignatureError InternalError",
}
# Of jitcore/config.py, in the order of the page.
VARIABLES: dict[str, str] = {
    "JITCORE": "`0`: everything off. `1`: compile without a decorator ([how](switch.md))",
    "JITCORE_INCLUDE": "what `JITCORE=1` may compile: modules (`pkg.mod`), paths, globs of either,"
    " between commas",
    "JITCORE_EXCLUDE": "what `JITCORE=1` may not compile, likewise",
    "JITCORE_REPORT": "`1`: when the program ends, print where CPython had to go on and why, the"
    " place that cost most time first, and where the time went. `json:FILE`, `html:FILE`: into a"
    " file (`%p` in its name: the process); the page opens without a network. `explain`: also the"
    " source with what runs each line, and the graphs",
    "JITCORE_LOGS": "topics to tell of, with the standard `logging`: `graph,+kernels`"
    " ([logs](logs.md))",
    "JITCORE_DUMP": "a folder: write what was made of each function there, bytecode with its"
    " regions, graphs and C beside your lines",
    "JITCORE_PERF": "`1`: kernels have names with your functions and lines, for `perf` and gdb",
    "JITCORE_VERIFY": "`1`: run compiled code and CPython both, compare, keep CPython's result"
    " ([verify mode](verify.md))",
    "JITCORE_STRICT": "`1`: raise errors of jitcore's own, which else are logged",
    "JITCORE_REPORTS": "the folder for bug reports",
    "JITCORE_REPORT_VALUES": "which arrays bug reports include: `small`, `all`, `none`",
    "JITCORE_CACHE_DIR": "where compiled kernels are kept",
    "JITCORE_COMPILE": "`eager`: the first call waits for its kernels. `background`: NumPy serves"
    " until a thread has compiled them",
    "JITCORE_CC": "the C compiler, maybe with flags, and no other. Else `CC`, `cc`, `gcc`, `clang`,"
    " and the one of the extra `jitcore[compiler]` (zig's) in turn",
    "JITCORE_NUM_THREADS": "threads that one large loop may use. Else `OMP_NUM_THREADS`, else the"
    " processors that affinity and control groups leave",
    "JITCORE_POOL_MB": "what idle buffers of large results may hold"
    " ([the pool](performance.md#the-pool-of-large-results)); `0`: nothing",
    "JITCORE_HEAP_MB": "what malloc may keep at the top of its heap for the next arrays, up to 64"
    " ([the heap](performance.md#mallocs-heap)); `0`: what glibc keeps by itself",
    "JITCORE_BACKEND": "the back end of functions for which `jitcore.compile` was told none",
    "JITCORE_KEEP_ALL": "for tests. `1`: keep regions that do not pay",
    "JITCORE_STRESS": "for tests. `1`: `JITCORE=1` compiles every frame at its first point",
}
ENVIRONMENT = (
    "## Environment",
    "",
    "A value that a variable cannot have is left out, and so is another name that begins with"
    " `JITCORE`; jitcore says so once.",
    "",
    "| variable | |",
    "| --- | --- |",
)
COMMANDS = """\
## Commands

```
python -m jitcore [run] [--report[=FILE]] app.py   without a decorator, and the report at its end
python -m jitcore -m module, -c command            the same of a module or a text
python -m jitcore explain app.py                   and each line with what runs it, graphs, guards
python -m jitcore report run.json [run.html]       a report that was written as JSON: to read
python -m jitcore doctor                           what jitcore finds here, what to install
python -m jitcore cache [size | list | clear]      the kernels that are kept on disk
python -m jitcore bugreport [script.py args]       what to send: the script in verify mode
python -m jitcore replay FILE [--minify]           does what a bug report tells of happen here?
```
"""
OF = dict.fromkeys(GROUPS["A compiled function"].split(), "f")
ITEM = re.compile(r"(\S.*?) {2,}(\S.*)")


def names() -> set[str]:
    return {name for name in jitcore.__all__ if not name.startswith("_")} | {"Explanation", *OF}


def object_of(name: str) -> Any:
    if name == "config":  # a module that can be called
        return config_scope.config
    if name in OF:
        return getattr(function_methods, name)
    # `jitcore.report` may be the package of that name, whoever imported it first
    return Explanation if name == "Explanation" else getattr(api, name)


def groups() -> Iterator[tuple[str, list[str]]]:
    known = names()
    for title, text in GROUPS.items():
        yield title, [name for name in text.split() if name in known]
    left = known - {name for text in GROUPS.values() for name in text.split()}
    yield "Others", sorted(left)


def signature(name: str, obj: Any) -> str:
    if isinstance(obj, type) and issubclass(obj, BaseException):
        return f"class {name}({obj.__base__.__name__})"
    try:
        text = str(inspect.signature(obj))
    except ValueError:
        text = "(...)"
    text = text.replace("dispatcher: 'Any', /, ", "").replace("(dispatcher: 'Any')", "()")
    text = "" if name == "graphs" else text
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text).replace(" -> None", "")
    prefix = "class " if isinstance(obj, type) else ""
    return f"{prefix}{OF.get(name, 'jitcore')}.{name}{text}"


def paragraphs(text: str) -> Iterator[str]:
    for blank, lines in groupby(text.splitlines(), lambda line: not line.strip()):
        if not blank:
            yield rendered(list(lines))


def rendered(lines: list[str]) -> str:
    """A list of names with what they are, or prose."""
    items = [ITEM.fullmatch(line.rstrip()) for line in lines if not line.startswith(" ")]
    if any(item is None or "   " in item[2] for item in items):
        aligned = any("   " in line.strip() for line in lines)
        text = "\n".join(lines)
        return f"```\n{text}\n```" if aligned else " ".join(line.strip() for line in lines)
    out: list[str] = []
    for line in lines:
        item = ITEM.fullmatch(line.rstrip()) if not line.startswith(" ") else None
        if item is not None:
            out.append(f"- `{item[1]}`: {item[2].strip()}")
        else:
            out[-1] += f" {line.strip()}"
    return "\n".join(out)


def entry(name: str) -> str:
    obj = object_of(name)
    shown = f"### {name}\n\n```\n{signature(name, obj)}\n```"
    doc = inspect.cleandoc(obj.__doc__ or "")
    return "\n\n".join([shown, *paragraphs(doc)]) + "\n"


def page() -> str:
    parts = [HEAD]
    for title, members in groups():
        if members:
            parts.append(f"## {title}\n")
            parts.extend(entry(name) for name in members)
    return "\n".join([*parts, environment(), COMMANDS])


def environment() -> str:
    """Every variable of jitcore/config.py, and no other."""
    known = {*config.ALLOWED, *config.FREE}
    if known != VARIABLES.keys():
        raise ValueError(f"not told of, or no variable: {sorted(known ^ VARIABLES.keys())}")
    rows = [f"| `{name}` | {text} |" for name, text in VARIABLES.items()]
    return "\n".join([*ENVIRONMENT, *rows, ""])


if __name__ == "__main__":
    sys.exit(written_or_checked(PAGE, page(), sys.argv[1:]))
