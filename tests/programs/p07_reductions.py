"""Reductions, statistics, cumulative functions."""

import numpy as np
from support.arrays import b1, c16, f4, f8, fortran, i1, i4, i8, positive
from support.program import program


@program(
    lambda: (f8(3, 4),),
    lambda: (i8(3, 4),),
    lambda: (f4(300),),
    lambda: (b1(7),),
    lambda: (c16(5),),
)
def the_four(x):
    return x.sum(), x.prod(), x.mean(), np.sum(x)


@program(lambda: (f8(3, 4),), lambda: (i4(3, 4),), lambda: (fortran(f8(3, 4)),))
def extremes(x):
    return x.min(), x.max(), x.argmin(), x.argmax(), np.ptp(x), x.max(axis=0), x.argmin(axis=1)


@program(lambda: (f8(3, 4, 5),), lambda: (f4(2, 3, 4),), lambda: (i1(2, 2, 2),))
def axes_and_keepdims(x):
    return (
        x.sum(axis=0),
        x.sum(axis=-1, keepdims=True),
        x.sum(axis=(0, 2)),
        x.mean(axis=1),
        x.mean((0, 1), keepdims=True),
        x.sum(axis=()),
    )


@program(lambda: (f8(3, 4), 5), lambda: (f8(3, 4), 1))
def axis_out_of_bounds(x, axis):
    return (x + 1).sum(axis=axis)


@program(lambda: (i1(50),), lambda: (f4(50),), lambda: (b1(50),))
def dtype_of_the_sum(x):
    return (
        x.sum(dtype="f8"),
        x.sum(dtype=x.dtype),
        np.add.reduce(x, dtype="i4", initial=3) if x.dtype.kind != "f" else 0,
    )


@program(lambda: (f8(3, 4), np.zeros(4)), lambda: (f8(3, 4), np.zeros(3)))
def reduction_into_out(x, out):
    return x.sum(axis=0, out=out) is out


@program(lambda: (f8(3, 4), b1(3, 4)))
def where_and_initial(x, m):
    return (
        x.sum(where=m),
        x.max(where=m, initial=-10),
        x.mean(where=m),
        x.min(axis=0, where=m, initial=9),
    )


@program(lambda: (f8(3, 4),), lambda: (i8(6),), lambda: (c16(4),))
def spread(x):
    return x.std(), x.var(), x.std(ddof=1), x.var(axis=0)


@program(lambda: (f8(1),))
def too_few_for_ddof_warns(x):
    return x.std(ddof=1)


@program(lambda: (np.array([1.0, np.nan, 3.0]),), lambda: (np.array([np.nan, np.nan]),))
def nan_functions(x):
    return np.nansum(x), np.nanmean(x), np.nanmax(x), np.nanstd(x), np.isnan(x).any()


@program(lambda: (b1(4),), lambda: (f8(4),), lambda: (b1(2, 3),), lambda: (f8(0),))
def any_and_all(x):
    return x.any(), x.all(), np.any(x, axis=0), np.all(x > 0), np.count_nonzero(x)


@program(lambda: (f8(6),), lambda: (i1(6),), lambda: (f8(2, 3),))
def cumulative(x):
    return x.cumsum(), np.cumprod(x), np.cumsum(x, axis=-1), np.diff(x), np.ediff1d(x)


@program(lambda: (f8(7),), lambda: (f8(2, 4),), lambda: (i8(6),))
def order_statistics(x):
    return np.median(x), np.percentile(x, 30), np.quantile(x, [0.1, 0.9]), np.average(x)


@program(lambda: (f8(5), positive(5)), lambda: (f8(5), np.zeros(5)))
def weighted_average(x, w):
    return np.average(x, weights=w)


@program(lambda: (f8(5), f8(5, seed=1)), lambda: (f8(2, 5), f8(2, 5, seed=1)))
def correlations(x, y):
    return np.corrcoef(x, y), np.cov(x, y), np.correlate(x.ravel(), y.ravel())


@program(
    lambda: (f8(1000),),
    lambda: (f4(1000),),
    lambda: (f8(10, 100),),
    lambda: (f8(129),),
    lambda: (f8(8),),
)
def pairwise_summation(x):
    return x.sum(), (x * x).sum(), np.sqrt((x * x).mean()), x.sum(axis=-1)


@program(lambda: (f8(20, 30),), lambda: (fortran(f8(20, 30)),), lambda: (f8(20, 30)[::2, ::3],))
def summation_order_depends_on_layout(x):
    return x.sum(), x.sum(axis=0), x.sum(axis=1), (x * 1.1).sum(0)


@program(lambda: (f8(6),))
def fused_with_a_reduction(x):
    return np.exp(x).sum(), (x**2).sum() ** 0.5, (x > 0).mean(), abs(x).max()


@program(lambda: (f8(4, 3),))
def normalise_columns(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


@program(lambda: (f8(4, 3),), lambda: (f4(4, 3),))
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@program(lambda: (f8(4, 3),))
def logsumexp(x):
    m = x.max(axis=1)
    return m + np.log(np.exp(x - m[:, None]).sum(axis=1))


@program(lambda: (f8(5), 5), lambda: (f8(5), 0))
def sum_of_python_lists(x, n):
    return sum([1.5] * n), sum(x), sum(list(x), 10), max(x), min(x), sum(range(n))


@program(lambda: (np.array([3e38, 3e38], "f4"),), lambda: (np.array([1e308, 1e308]),))
def overflow_in_a_sum_warns(x):
    y = x * 1
    return y.sum()


@program(lambda: (np.array([np.inf, -np.inf]),))
def invalid_in_a_sum_warns(x):
    return x.sum(), x.mean()


@program(lambda: (f8(5), np.array([0, 2, 2, 4, 1])), lambda: (i8(5), np.array([0, 2, 2, 4, 1])))
def bincount_and_histogram(x, groups):
    return np.bincount(groups), np.bincount(groups, weights=x), np.histogram(x, bins=3)


@program(lambda: (f8(5),))
def reduction_methods_by_name(x):
    return [getattr(x, name)() for name in ("sum", "min", "max", "mean", "any", "argmax")]


@program(lambda: (f8(3, 0),), lambda: (f8(0, 3),))
def empty_axes(x):
    return x.sum(axis=0), x.prod(axis=1), x.sum()
