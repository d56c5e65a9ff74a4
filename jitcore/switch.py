"""JITCORE=1 → once the program has imported NumPy, what runs is compiled.

Imported by jitcore.pth when the interpreter starts. Until NumPy is imported nothing else of jitcore
is loaded but its C part: a finder waits at the head of sys.meta_path, and leaves it when NumPy is
there. NumPy's module, its spec and its loader stay as they would be.
"""

import sys
from _frozen_importlib_external import PathFinder
from _thread import get_ident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType
    from typing import Any

AWAITED = "numpy"
refused = False
early = False  # the C part is being loaded, and NumPy is not to be
HIDDEN = "<frozen importlib._bootstrap>"  # such frames are left out where an import fails


class Arrival:
    """A finder that finds nothing itself, and says when NumPy has been executed."""

    def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "ModuleSpec | None":
        if name != AWAITED:
            return None
        spec = found_by_others(name, path, target)
        if spec is not None and spec.loader is not None:
            announce(self, spec.loader)
        return spec


def found_by_others(name: str, path: "Any", target: "Any") -> "ModuleSpec | None":
    for finder in sys.meta_path[:]:
        find = getattr(finder, "find_spec", None)
        if isinstance(finder, Arrival) or find is None:
            continue
        spec: ModuleSpec | None = find(name, path, target)
        if spec is not None:
            return spec
    return None


def announce(finder: Arrival, loader: "Any") -> None:
    """Begin when this loader has executed the module. It has a method of its own only until it is
    called."""
    execute = loader.exec_module

    def exec_module(module: "ModuleType") -> None:
        vars(loader).pop("exec_module", None)
        execute(module)
        leave(finder)
        begin()

    exec_module.__code__ = exec_module.__code__.replace(co_filename=HIDDEN)
    try:
        loader.exec_module = exec_module
    except AttributeError:  # a loader that takes no attributes: this program stays CPython's
        leave(finder)


def leave(finder: Arrival) -> None:
    if finder in sys.meta_path:
        sys.meta_path.remove(finder)


def begin() -> None:
    """What fails here is not the program's: it then runs without us."""
    try:
        __import__("jitcore.auto.global_mode", fromlist=["begin"]).begin()
    except Exception as error:
        print(f"jitcore: JITCORE=1 has no effect: {error}", file=sys.stderr)


def is_armed() -> bool:
    return any(isinstance(finder, Arrival) for finder in sys.meta_path)


def arm() -> None:
    """Again and again: where lib64 is a link to lib, `site` reads jitcore.pth twice."""
    if "t" in sys.abiflags:
        refuse()
    elif AWAITED in sys.modules:
        begin()
    elif not is_armed():
        sys.meta_path.insert(0, Arrival())
        await_script()


def refuse() -> None:
    """Builds without the GIL have no room for the evaluation function. Said once a process."""
    global refused
    if not refused:
        refused = True
        print("jitcore: JITCORE=1 has no effect: this Python has no GIL", file=sys.stderr)


def await_script() -> None:
    """The C part, which in other interpreters is not to be had, looks for the script's frame."""
    global early
    early = True
    try:
        native = __import__("jitcore._C", fromlist=["await_script"])
    except ImportError:
        return
    finally:
        early = False
    if not native.everywhere():  # a program may have forgotten NumPy, and `site` read us again
        native.set_prepare(prepare)
        native.await_script()


class LibraryFinder:
    """A finder that leaves out the program's own folder, for the thread that loads our modules;
    others meanwhile import theirs. `found`: the names that it was asked for."""

    def __init__(self, path: list[str]) -> None:
        self.path = path
        self.thread = get_ident()
        self.found: set[str] = set()

    def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "ModuleSpec | None":
        if path is not None or get_ident() != self.thread:
            return None
        self.found.add(name)
        return PathFinder.find_spec(name, self.path)


def prepare(code: "CodeType") -> None:
    """A frame that imports NumPy and loops gets its points now, as it cannot be moved later. What
    fails here is not the program's, nor are modules of the program's that have names of the
    library's ours."""
    try:
        own, finders, library = sys.path[:1], sys.meta_path, LibraryFinder(sys.path[1:])
        at = finders.index(PathFinder) if PathFinder in finders else len(finders)
        # another list: an import that goes through this one would miss a finder
        sys.meta_path = [*finders[:at], library, *finders[at:]]
        try:
            waiting = __import__("jitcore.auto.cold_points", fromlist=["place_points"])
        finally:
            sys.meta_path = finders
        give_back(library.found, own)
        waiting.place_points(waiting.decode(code))
    except Exception:
        return


def give_back(names: "set[str]", own: list[str]) -> None:
    """Modules that we have imported, of whose names the program has its own: its `import copy`
    finds that one, and we keep the library's."""
    for name in names:
        spec = None if "." in name else PathFinder.find_spec(name, own)
        if spec is not None and spec.loader is not None:
            sys.modules.pop(name, None)
