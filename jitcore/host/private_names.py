"""Names that CPython and NumPy promise to nobody → what they stand for, found when first asked for.

    from jitcore.host.private_names import umath

All that jitcore's Python code uses of them stands here. `vanished` names those that are gone, which
a test asks on each version: CPython 3.11 to 3.13, NumPy 2.3 to 2.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from jitcore import pristine

# Name here → module:attributes. NumPy is loaded by whoever asks for a name of it.
NAMES: Mapping[str, str] = {
    # CPython 3.11, 3.12, 3.13
    "binary_operators": "opcode:_nb_ops",
    "cache_entries": "opcode:_inline_cache_entries",  # by number on 3.11 and 3.12, by name on 3.13
    "parse_exception_table": "dis:_parse_exception_table",
    # NumPy 2.3, 2.4, 2.5
    "umath": "numpy._core.umath:",  # ufuncs as NumPy's own code calls them: np.… may be another
    "dot": "numpy._core.multiarray:dot",
    "matmul": "numpy._core.umath:matmul",
    "histogram_bin_edges": "numpy.lib._histograms_impl:histogram_bin_edges",
    "make_extobj": "numpy._core.umath:_make_extobj",  # error state, as ufuncs take it
    "extobj_contextvar": "numpy._core.umath:_extobj_contextvar",
    "no_value": "numpy:_NoValue",
    "writeable_no_warn": "numpy._core.multiarray:flagsobj._writeable_no_warn",
    "resolve_dtypes_and_context": "numpy:ufunc._resolve_dtypes_and_context",
    "get_strided_loop": "numpy:ufunc._get_strided_loop",
    "cpu_features": "numpy._core._multiarray_umath:__cpu_features__",
    "multiarray_file": "numpy._core._multiarray_umath:__file__",  # its BLAS is loaded with it
}
WARNING_HOOKS = ("_showwarnmsg", "_showwarnmsg_impl", "_formatwarnmsg", "_formatwarnmsg_impl")
LOADING = "_initializing"  # of a module's __spec__, while its code runs
RELIED_ON = (
    *(f"warnings:{name}" for name in WARNING_HOOKS),
    f"json:__spec__.{LOADING}",
    # jitcore/pristine.py and jitcore/switch.py, which are loaded before anything else of ours
    *("_frozen_importlib_external:FileFinder", "_frozen_importlib_external:SourceFileLoader"),
    "_frozen_importlib_external:_get_supported_file_loaders",
    "_frozen_importlib_external:PathFinder",
    # np.errstate, of which jitcore/symbolic/models/errstate.py is the model
    *("numpy:errstate._call", "numpy:errstate._token"),
)


def found(where: str) -> Any:
    """AttributeError or ModuleNotFoundError: it has vanished."""
    module, _, path = where.partition(":")
    value = pristine.own(import_module(module))
    for name in filter(None, path.split(".")):
        value = pristine.own(getattr(value, name))
    return value


def vanished(places: Iterable[str] = (*NAMES.values(), *RELIED_ON)) -> list[str]:
    gone = []
    for where in places:
        try:
            found(where)
        except (AttributeError, ModuleNotFoundError):
            gone.append(where)
    return gone


def __getattr__(name: str) -> Any:
    where = NAMES.get(name)
    if where is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = found(where)
    return value
