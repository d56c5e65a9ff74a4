"""Two kernels of a weather model, on fields of rows, columns and levels."""

import numpy as np

from benchmarks.registry import loop


def winds(rows, columns, levels, rng):
    shape = (rows, columns, levels)
    wcon = rng.random((rows + 1, columns, levels))
    return rng.random(shape), rng.random(shape), wcon, rng.random(shape), rng.random(shape), 0.15


@loop(
    winds,
    small=(3, 4, 5),
    medium=(112, 112, 80),
    large=(180, 180, 100),
    writes=(0,),
    npbench="vadv",
)
def vadv(stage, wind, vertical, now, tendency, rate):
    """Vertical advection, implicit: a system of three diagonals for each column of air, by
    Thomas's algorithm over all columns at once."""
    rows, columns, levels = stage.shape
    c = np.empty((rows, columns, levels))
    d = np.empty((rows, columns, levels))
    for k in range(levels):
        known = rate * now[:, :, k] + tendency[:, :, k] + stage[:, :, k]
        if k == 0:
            up = 0.125 * (vertical[1:, :, 1] + vertical[:-1, :, 1])
            known = known - up * (wind[:, :, 1] - wind[:, :, 0])
            scale = 1.0 / (rate - up)
            c[:, :, 0] = up * scale
            d[:, :, 0] = known * scale
        elif k < levels - 1:
            down = -0.125 * (vertical[1:, :, k] + vertical[:-1, :, k])
            up = 0.125 * (vertical[1:, :, k + 1] + vertical[:-1, :, k + 1])
            known = known - down * (wind[:, :, k - 1] - wind[:, :, k])
            known = known - up * (wind[:, :, k + 1] - wind[:, :, k])
            scale = 1.0 / (rate - down - up - c[:, :, k - 1] * down)
            c[:, :, k] = up * scale
            d[:, :, k] = (known - d[:, :, k - 1] * down) * scale
        else:
            down = -0.125 * (vertical[1:, :, k] + vertical[:-1, :, k])
            known = known - down * (wind[:, :, k - 1] - wind[:, :, k])
            scale = 1.0 / (rate - down - c[:, :, k - 1] * down)
            d[:, :, k] = (known - d[:, :, k - 1] * down) * scale
    above = d[:, :, -1]
    stage[:, :, -1] = rate * (above - now[:, :, -1])
    for k in range(levels - 2, -1, -1):
        above = d[:, :, k] - c[:, :, k] * above
        stage[:, :, k] = rate * (above - now[:, :, k])


def fields(rows, columns, levels, rng):
    shape = (rows, columns, levels)
    return rng.random((rows + 4, columns + 4, levels)), rng.random(shape), rng.random(shape)


@loop(
    fields,
    small=(3, 4, 5),
    medium=(128, 128, 160),
    large=(256, 256, 160),
    writes=(1,),
    npbench="hdiff",
)
def hdiff_in_place(field, out, coefficient):
    """Horizontal diffusion of fourth order, with a limit on its fluxes."""
    rows, columns, _ = out.shape
    laplacian = 4.0 * field[1:-1, 1:-1] - (
        field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2]
    )
    along = laplacian[1:, 1:-1] - laplacian[:-1, 1:-1]
    uphill = along * (field[2:-1, 2:-2] - field[1:-2, 2:-2]) > 0.0
    along = np.where(uphill, 0.0, along)
    across = laplacian[1:-1, 1:] - laplacian[1:-1, :-1]
    uphill = across * (field[2:-2, 2:-1] - field[2:-2, 1:-2]) > 0.0
    across = np.where(uphill, 0.0, across)
    flux = along[1:] - along[:-1] + across[:, 1:] - across[:, :-1]
    out[:] = field[2 : rows + 2, 2 : columns + 2] - coefficient * flux
