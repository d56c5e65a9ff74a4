"""The docstrings of what users call → docs/api.md. `--check` only says whether the file is current.

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
from jitcore import controls, settings
from jitcore.report.explain import Explanation

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
OF = dict.fromkeys(GROUPS["A compiled function"].split(), "f")
ITEM = re.compile(r"(\S.*?) {2,}(\S.*)")


def names() -> set[str]:
    return {name for name in jitcore.__all__ if not name.startswith("_")} | {"Explanation", *OF}


def object_of(name: str) -> Any:
    if name == "config":  # a module that can be called
        return settings.config
    if name in OF:
        return getattr(controls, name)
    return Explanation if name == "Explanation" else getattr(jitcore, name)


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
    return "\n".join(parts)


if __name__ == "__main__":
    sys.exit(written_or_checked(PAGE, page(), sys.argv[1:]))
