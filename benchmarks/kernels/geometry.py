"""Points on the sphere and turns in space."""

import numpy as np

from benchmarks.registry import kernel


def places(n, rng, dtype=np.float64):
    return tuple(rng.uniform(-limit, limit, n).astype(dtype) for limit in (1.5, 3.1, 1.5, 3.1))


@kernel(places, medium=12_000, large=1_000_000)
def haversine(lat1, lon1, lat2, lon2):
    a = (
        np.sin((lat2 - lat1) * 0.5) ** 2
        + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) * 0.5) ** 2
    )
    return 12742.0 * np.arcsin(np.sqrt(np.minimum(a, 1.0)))


@kernel(lambda n, rng: places(n, rng, np.float32))
def haversine_f32(lat1, lon1, lat2, lon2):
    a = (
        np.sin((lat2 - lat1) * 0.5) ** 2
        + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) * 0.5) ** 2
    )
    return 12742.0 * np.arcsin(np.sqrt(np.minimum(a, 1.0)))


def quaternions(n, rng):
    count = max(2, n // 4)
    return rng.normal(size=(count, 4)), rng.normal(size=(count, 4))


@kernel(quaternions, large=3_000_000)
def quaternion_product(p, q):
    a, b, c, d = p[:, 0], p[:, 1], p[:, 2], p[:, 3]
    e, f, g, h = q[:, 0], q[:, 1], q[:, 2], q[:, 3]
    return np.stack(
        [
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ],
        axis=-1,
    )
