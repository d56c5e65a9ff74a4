"""Rows without a rule of their own, and the names that break a graph.

QUIET   pure; floating-point flags at most. What they give may share memory with an argument
LOUD    pure, but may emit Python warnings
STORES  write to their first argument and give None
BREAKS  files, random numbers, printing, global state, subclasses, functions that call the user's
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np

from jitcore.ir.infer.by_sample import asked, in_miniature, only_operands, trial
from jitcore.ir.op import Args, Effect, Inferred, Kind, Kwargs, Op
from jitcore.ir.types import NONE

QUIET: Mapping[str, str] = {
    "numpy": """append argpartition argwhere array_split asarray_chkfinite astype base_repr
        binary_repr
        block broadcast_shapes busday_count busday_offset can_cast choose common_type
        compress datetime_as_string datetime_data delete diag diag_indices diag_indices_from
        diagflat dsplit ediff1d einsum_path extract flatnonzero format_float_positional
        format_float_scientific hsplit imag insert intersect1d is_busday isdtype isfortran isscalar
        issubdtype iterable ix_ lexsort may_share_memory meshgrid min_scalar_type mintypecode
        nonzero packbits pad partition poly polyadd polyder polyint polymul polysub polyval
        promote_types ravel_multi_index real real_if_close require resize result_type roots
        select setdiff1d setxor1d shares_memory split trapezoid tril_indices tril_indices_from
        triu_indices triu_indices_from typename union1d unique unique_all unique_counts
        unique_inverse unique_values unpackbits unravel_index unstack vander vsplit""",
    "numpy.linalg": "diagonal eig eigh eigvals eigvalsh multi_dot outer qr slogdet svd svdvals"
    " tensordot trace vecdot matrix_rank cond matmul matrix_transpose tensorinv tensorsolve",
    "numpy.fft": "fftfreq rfftfreq fftshift ifftshift",
}

LOUD: Mapping[str, str] = {
    "numpy": """broadcast_arrays corrcoef cov cross fix histogram2d
        histogram_bin_edges histogramdd median nanargmax nanargmin nancumprod nancumsum nanmax
        nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar percentile
        polydiv polyfit quantile row_stack trim_zeros fromstring""",
    "numpy.linalg": "lstsq cross pinv",
    "numpy.fft": "hfft ihfft irfft irfft2 irfftn rfft2 rfftn fft2 ifft2 fftn ifftn",
}

STORES = "copyto put place putmask fill_diagonal put_along_axis"

BREAKS: Mapping[str, str] = {
    "numpy": """apply_along_axis array2string array_repr array_str asmatrix bmat from_dlpack
        frombuffer
        fromfile fromfunction fromiter frompyfunc fromregex genfromtxt get_include get_printoptions
        getbufsize geterr geterrcall info load loadtxt mask_indices nested_iters piecewise
        printoptions save savetxt savez savez_compressed set_printoptions setbufsize seterr
        seterrcall show_config show_runtime test apply_over_axes""",
    "numpy.linalg": "test",
    "numpy.fft": "test",
}

# Square matrices that have an inverse and a Cholesky factor stand for all that do.
_REGULAR = "inv solve det cholesky norm matrix_norm vector_norm matrix_power"


def regular(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    if op.effect_of(args, kwargs) > Effect.FLAGS or not only_operands(op, args, kwargs):
        return None
    return in_miniature(op, args, kwargs, "eye")


def transformed(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """A length of its own among the arguments is tried at full size only."""
    plain = len(args) == 1 and kwargs.keys() <= {"axis", "norm"}
    return asked(op, args, kwargs) if plain else trial(op, args, kwargs)


def gives_none(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    return NONE


def rows_of(
    module: ModuleType, names: str, kind: Kind, effect: Effect, rule: Any = None, **more: Any
) -> list[Op]:
    """A row for each name that this release has; an alias is the function of its first name."""
    prefix = module.__name__.removeprefix("numpy").lstrip(".")
    found = []
    for name in names.split():
        target = getattr(module, name, None)
        if callable(target) and not isinstance(target, np.ufunc):
            title = f"{prefix}.{name}" if prefix else name
            found.append(Op(title, target, kind, effect, rule, **more))
    return found


def opaque_rows(module: ModuleType) -> list[Op]:
    name = module.__name__
    return [
        *rows_of(module, QUIET[name], Kind.OPAQUE, Effect.FLAGS),
        *rows_of(module, LOUD[name], Kind.OPAQUE, Effect.LOUD),
    ]


def fft_rows(module: ModuleType) -> list[Op]:
    """numpy.fft is loaded when it is first used: these rows are made then."""
    return [
        *rows_of(module, "fft ifft", Kind.OPAQUE, Effect.FLAGS, transformed),
        *rows_of(module, "rfft", Kind.OPAQUE, Effect.FLAGS, trial),
        *opaque_rows(module),
    ]


ROWS: tuple[Op, ...] = (
    *rows_of(np.linalg, _REGULAR, Kind.LINALG, Effect.FLAGS, regular, operands=2),
    *rows_of(np, "einsum", Kind.VIEW, Effect.FLAGS, asked, operands=100),
    *rows_of(np, STORES, Kind.STORE, Effect.STORE, gives_none, stores=(0,)),
    *opaque_rows(np),
    *opaque_rows(np.linalg),
)


# ---------------------------------------------------------------- methods of ufuncs


def ufunc_method(ufunc: np.ufunc, name: str) -> Op | None:
    """The row of np.add.reduce and its kin."""
    target = getattr(ufunc, name)
    title = f"{ufunc.__name__}.{name}"
    match name:
        case "reduce":
            return Op(title, target, Kind.REDUCE, Effect.FLAGS, asked, ufunc=ufunc)
        case "accumulate":
            return Op(title, target, Kind.OPAQUE, Effect.FLAGS, asked, ufunc=ufunc)
        case "outer":
            return Op(title, target, Kind.OPAQUE, Effect.FLAGS, asked, operands=2, ufunc=ufunc)
        case "reduceat":
            return Op(title, target, Kind.OPAQUE, Effect.FLAGS, ufunc=ufunc)
        case "at":
            return Op(title, target, Kind.STORE, Effect.STORE, gives_none, ufunc=ufunc, stores=(0,))
    return None
