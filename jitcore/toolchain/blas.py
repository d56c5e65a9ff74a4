"""The BLAS library that NumPy has loaded."""

from __future__ import annotations

import ctypes

from jitcore.host.private_names import multiarray_file

THREADS = ("scipy_openblas_get_num_threads64_", "scipy_openblas_get_num_threads")


def threads_of_blas() -> int | None:
    """The address of the function that says how many NumPy's OpenBLAS has."""
    try:
        numpys = ctypes.CDLL(multiarray_file)
    except OSError:
        return None
    for name in THREADS:
        function = getattr(numpys, name, None)
        if function is not None:
            return ctypes.cast(function, ctypes.c_void_p).value
    return None
