"""Data classes made, compared, replaced and sorted."""

from dataclasses import dataclass, field, replace
from itertools import pairwise


@dataclass(order=True)
class Point:
    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list, compare=False)


@dataclass(frozen=True, slots=True)
class Box:
    low: Point
    high: Point

    def area(self) -> int:
        return (self.high.x - self.low.x) * (self.high.y - self.low.y)


def run() -> int:
    points = [Point(i * 37 % 101, i) for i in range(1500)]
    points.sort()
    boxes = [Box(a, replace(b, y=a.y + 2)) for a, b in pairwise(points)]
    return sum(box.area() for box in boxes)
