"""The library, NumPy and builtins as they were when we first met them: what our modules see.

A program may put another function in the place of `np.array`, `open` or `time.perf_counter`: a
shim, a spy, a mock that counts its calls. jitcore loads most of its modules later, and neither
calls such a function nor takes it for NumPy's own:

    jitcore/ir/ops/__init__.py   import numpy as np   ─▶ __import__ of PRIVATE ─▶ Copy("numpy")
    sys.path_importer_cache[folder of ours]  ─▶ Loader: PRIVATE is the module's __builtins__

Where another importer finds our modules (a bundle), they see the names of the moment. What the
library's own functions call is the program's: `os.stat` under `pathlib`, `time.sleep` under
`subprocess`, `np.empty` under NumPy's generators. A test that replaces a function for us names our
module: `monkeypatch.setattr("jitcore.toolchain.cache_dir.os.replace", full)`.

Imported before anything else of ours, also by programs that never import NumPy: so this module
imports what every interpreter has loaded.
"""

import builtins
import sys
from _frozen_importlib_external import (  # type: ignore[attr-defined]
    FileFinder,
    SourceFileLoader,
    _get_supported_file_loaders,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType
    from typing import Any
else:
    ModuleType = type(sys)

LIBRARY = frozenset(
    """_thread argparse array ast atexit base64 builtins collections
    contextlib contextvars copy ctypes dataclasses difflib dis enum fnmatch fractions
    functools gc hashlib heapq html importlib inspect io itertools json logging math numbers
    opcode operator os pathlib platform posix posixpath re reprlib resource shutil signal
    stat string struct subprocess sysconfig tempfile textwrap threading time tokenize
    traceback types typing unicodedata weakref zlib""".split()
)
"""Top-level modules that are copied. Left out is what has state that others rebind: `sys.stdout`,
`warnings.filters`, `linecache.cache`."""

NUMPY = "numpy"
HOMES = {
    NUMPY: ("numpy._core", "numpy.lib._", "numpy._core.", "numpy.matrixlib."),
    "numpy.lib.stride_tricks": ("numpy.lib._stride_tricks_impl",),
    "numpy.random": ("numpy.random.",),
}
"""Modules in which NumPy defines what its namespaces have, the first that has the name counts:
`numpy.lib._` is all whose names begin so. `numpy.linalg`: `numpy.linalg._linalg`."""
RAW = "_umath"  # in the names of modules that have C functions under the names of their wrappers

copies: "dict[int, Copy]" = {}  # by the module: a program may have its own `dataclasses`


class Copy(ModuleType):
    """The names of a module, as they were. Those that came later are the module's."""

    __slots__ = ("_copied",)

    def __init__(self, module: "ModuleType") -> None:
        super().__init__(module.__name__)
        self._copied = module

    def __getattr__(self, name: str) -> "Any":
        value = own(getattr(self._copied, name))
        setattr(self, name, value)
        return value


def own(value: "Any") -> "Any":
    """Of a module its copy, if it has one; anything else as it is."""
    found = copies.get(id(value))
    if found is not None:
        return found
    if type(value) is not ModuleType or not is_copied(value.__name__):
        return value
    return copies.setdefault(id(value), copied(value.__name__, value))


def is_copied(name: str) -> bool:
    top = name.partition(".")[0]
    return top in LIBRARY or top == NUMPY


def copied(name: str, module: "ModuleType") -> Copy:
    """Modules among the names are copied when they are asked for."""
    copy = Copy(module)
    names = {**vars(module)}
    if name.startswith(NUMPY) and "._" not in name:
        names |= replaced(name, names)
    later = [each for each, value in names.items() if type(value) is ModuleType]
    for each in (*later, "__getattr__", "__builtins__"):
        names.pop(each, None)
    vars(copy).update(names)
    return copy


def replaced(name: str, names: "dict[str, Any]") -> "dict[str, Any]":
    """Names of one of NumPy's namespaces that are not NumPy's any more → NumPy's own."""
    homes = [*homes_of(name)]
    left = {*names}
    for home in homes:
        left = {each for each in left if home.get(each, left) is not names[each]}
    found = {}
    for each in left:
        if not each.startswith("_") and type(names[each]) is not ModuleType:
            own = next((home[each] for home in homes if each in home), names[each])
            found[each] = own
    return found


def homes_of(name: str) -> "Iterator[dict[str, Any]]":
    numpys = [(each, one) for each, one in [*sys.modules.items()] if each.startswith("numpy.")]
    for start in HOMES.get(name, (f"{name}._",)):
        for each, module in numpys:
            fits = each.startswith(start) if start[-1] in "._" else each == start
            if fits and RAW not in each and type(module) is ModuleType:
                yield vars(module)


def take() -> None:
    """Copy what is loaded of the library: where jitcore is imported, and again with its API. NumPy
    can be copied later, since `replaced` finds its own."""
    for name in LIBRARY:
        own(sys.modules.get(name))


def imports(
    name: str,
    names: "Any" = None,
    locals: "Any" = None,
    fromlist: "Any" = (),
    level: int = 0,
) -> "Any":
    """`__import__` of our modules."""
    module = original(name, names, locals, fromlist, level)
    return module if level or name.startswith("jitcore") else own(module)


class Loader(SourceFileLoader):
    def exec_module(self, module: "ModuleType") -> None:
        vars(module)["__builtins__"] = PRIVATE
        for folder in getattr(module, "__path__", ()):
            adopt(folder)
        super().exec_module(module)


def adopt(folder: str) -> None:
    """Modules in this folder are loaded by us, unless somebody else finds them there."""
    if type(sys.path_importer_cache.get(folder)) not in (FileFinder, type(None)):
        return
    kinds = _get_supported_file_loaders()
    ours = [(Loader if kind is SourceFileLoader else kind, ends) for kind, ends in kinds]
    sys.path_importer_cache[folder] = FileFinder(folder, *ours)


original = builtins.__import__
PRIVATE: "dict[str, Any]" = {**vars(builtins), "__import__": imports}
take()
vars(own(builtins)).update(PRIVATE)
