"""PolyBench 4.2: what is neither linear algebra nor a stencil."""

import numpy as np

from benchmarks.registry import loop


def samples(columns, rows, rng):
    i, j = np.ogrid[:rows, :columns]
    return (i * j / columns + i,)


@loop(
    samples,
    small=(4, 6),
    medium=(500, 600),
    large=(900, 1200),
    writes=(0,),
    npbench="correlation",
)
def correlation_by_rows(x):
    """x becomes its standard scores; the matrix of correlations of its columns."""
    rows, columns = x.shape
    spread = x.std(axis=0)
    spread[spread <= 0.1] = 1.0
    x -= x.mean(axis=0)
    x /= np.sqrt(rows) * spread
    result = np.eye(columns)
    for i in range(columns - 1):
        result[i, i + 1 :] = x[:, i] @ x[:, i + 1 :]
        result[i + 1 :, i] = result[i, i + 1 :]
    return result


def products(columns, rows, rng):
    i, j = np.ogrid[:rows, :columns]
    return (i * j / columns,)


@loop(
    products,
    small=(4, 6),
    medium=(500, 600),
    large=(900, 1200),
    writes=(0,),
    npbench="covariance",
)
def covariance_by_rows(x):
    """x becomes its differences from the mean; the matrix of covariances of its columns."""
    rows, columns = x.shape
    x -= x.mean(axis=0)
    result = np.zeros((columns, columns))
    for i in range(columns):
        result[i, i:] = x[:, i] @ x[:, i:] / (rows - 1.0)
        result[i:, i] = result[i, i:]
    return result


@loop(
    products,
    small=(4, 6),
    medium=(1400, 1800),
    large=(2000, 2600),
    npbench="covariance2",
)
def covariance_cov(x):
    return np.cov(x, rowvar=False)


def picture(width, height, rng):
    i, j = np.ogrid[:width, :height]
    return 0.25, ((313 * i + 991 * j) % 65_536) / 65_535.0


@loop(picture, small=(6, 5), medium=(1500, 1000), large=(2500, 2000), npbench="deriche")
def deriche(alpha, image):
    """R. Deriche's recursive filter, forwards and backwards along both axes; the constants are
    PolyBench's."""
    decay = np.exp(-alpha)
    k = (1.0 - decay) ** 2 / (1.0 + alpha * decay - np.exp(2.0 * alpha))
    now, before = k, k * decay * (alpha - 1.0)
    next_, after = k * decay * (alpha + 1.0), -k * decay * decay
    b1, b2 = 2.0**-alpha, -decay * decay

    width, height = image.shape
    forward = np.empty_like(image)
    forward[:, 0] = now * image[:, 0]
    forward[:, 1] = now * image[:, 1] + before * image[:, 0] + b1 * forward[:, 0]
    for j in range(2, height):
        forward[:, j] = now * image[:, j] + before * image[:, j - 1]
        forward[:, j] += b1 * forward[:, j - 1] + b2 * forward[:, j - 2]
    backward = np.empty_like(image)
    backward[:, -1] = 0.0
    backward[:, -2] = next_ * image[:, -1]
    for j in range(height - 3, -1, -1):
        backward[:, j] = next_ * image[:, j + 1] + after * image[:, j + 2]
        backward[:, j] += b1 * backward[:, j + 1] + b2 * backward[:, j + 2]
    result = forward + backward

    forward[0] = now * result[0]
    forward[1] = now * result[1] + before * result[0] + b1 * forward[0]
    for i in range(2, width):
        forward[i] = now * result[i] + before * result[i - 1]
        forward[i] += b1 * forward[i - 1] + b2 * forward[i - 2]
    backward[-1] = 0.0
    backward[-2] = next_ * result[-1]
    for i in range(width - 3, -1, -1):
        backward[i] = next_ * result[i + 1] + after * result[i + 2]
        backward[i] += b1 * backward[i + 1] + b2 * backward[i + 2]
    return forward + backward


def roads(n, rng):
    i, j = np.ogrid[:n, :n]
    none = ((i + j) % 13 == 0) | ((i + j) % 7 == 0) | ((i + j) % 11 == 0)
    return (np.where(none, 999, i * j % 7 + 1).astype(np.int32),)


@loop(roads, small=(6,), medium=(400,), large=(700,), writes=(0,), npbench="floyd_warshall")
def floyd_warshall(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path, np.add.outer(path[:, k], path[k]))


def bonds(one, other):
    return 1 if one + other == 3 else 0


@loop(
    lambda n, rng: (((np.arange(n) + 1) % 4).astype(np.int32),),
    small=(8,),
    medium=(90,),
    large=(180,),
    npbench="nussinov",
)
def nussinov(bases):
    """The most pairs that a strand of RNA can form with itself, of all its parts."""
    n = bases.shape[0]
    table = np.zeros((n, n), dtype=np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            best = max(table[i, j - 1], table[i + 1, j])
            if i < j - 1:
                best = max(best, table[i + 1, j - 1] + bonds(bases[i], bases[j]))
            for k in range(i + 1, j):
                best = max(best, table[i, k] + table[k + 1, j])
            table[i, j] = best
    return table
