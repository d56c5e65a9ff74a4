"""Heat in a plate with two hot spots: explicit steps in place, and the field as a picture."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
from demo import show

import jitcore

SIZE = 384
STEPS = 400


@jitcore.compile
def diffuse(u, steps, c):
    for _ in range(steps):
        inner = u[1:-1, 1:-1]
        u[1:-1, 1:-1] = inner + c * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * inner
        )
    return u


def plate():
    u = np.zeros((SIZE, SIZE))
    u[SIZE // 3 : SIZE // 3 + 40, SIZE // 4 : SIZE // 4 + 60] = 1.0
    u[-90:-50, -150:-70] = 0.8
    return u


def picture(field: np.ndarray, path: Path) -> None:
    """A PNG of values from 0 to the largest: black, red, yellow, white."""
    t = np.sqrt(field / field.max())
    rgb = np.stack([np.clip(3 * t - k, 0, 1) for k in range(3)], axis=-1)
    rows = np.round(255 * rgb).astype(np.uint8)
    raw = b"".join(b"\0" + row.tobytes() for row in rows)  # filter 0 before each row
    height, width = field.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b""))
    with path.open("wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n")
        for kind, data in chunks:
            crc = struct.pack(">I", zlib.crc32(kind + data))
            out.write(struct.pack(">I", len(data)) + kind + data + crc)


def main() -> None:
    field = show(f"Heat, {SIZE} x {SIZE}, {STEPS} steps", diffuse, lambda: (plate(), STEPS, 0.2), 3)
    folder = Path("demo-output")
    folder.mkdir(exist_ok=True)
    picture(field, folder / "heat.png")
    print(f"  the field: {folder / 'heat.png'}")


if __name__ == "__main__":
    main()
