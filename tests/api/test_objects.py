"""Objects with arrays: what is compiled for one of them serves the others."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest

import jitcore


class Plain:
    scale = 2.0

    def __init__(self, w: Any, b: Any) -> None:
        self.w, self.b = w, b

    @property
    def both(self) -> Any:
        return self.w * self.scale + self.b


class Slots:
    __slots__ = ("b", "w")
    scale = 2.0

    def __init__(self, w: Any, b: Any) -> None:
        self.w, self.b = w, b

    @property
    def both(self) -> Any:
        return self.w * self.scale + self.b


@dataclasses.dataclass(frozen=True)
class Frozen:
    w: Any
    b: Any
    scale: float = 2.0

    @property
    def both(self) -> Any:
        return self.w * self.scale + self.b


class Pair(NamedTuple):
    w: Any
    b: Any


class Holder:
    """Of nested containers."""

    scale = 2.0

    def __init__(self, w: Any, b: Any) -> None:
        self.parts = {"w": [w, (w, b)], "pair": Pair(w, b)}

    @property
    def both(self) -> Any:
        pair = self.parts["pair"]
        return self.parts["w"][0] * self.scale + pair.b  # type: ignore[attr-defined,index]


CLASSES = (Plain, Slots, Frozen, Holder)


def step(model: Any, x: Any) -> Any:
    return np.tanh(x * model.both) + model.both


def arrays(seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.random(5), rng.random(5)


@pytest.mark.parametrize("cls", CLASSES)
def test_a_hundred_instances_share_an_entry(cls: Any) -> None:
    compiled = jitcore.compile(step, backend="numpy")
    x = np.arange(5.0)
    for seed in range(100):
        model = cls(*arrays(seed))
        assert compiled(model, x).tobytes() == step(model, x).tobytes()
    counts = compiled.cache_info()
    assert counts.compiles <= 2
    assert counts.hits == 100


def test_methods_of_a_hundred_instances() -> None:
    class Model(Plain):
        @jitcore.compile
        def forward(self, x: Any) -> Any:
            return np.tanh(x * self.both)

    x = np.arange(5.0)
    for seed in range(100):
        model = Model(*arrays(seed))
        assert model.forward(x).tobytes() == np.tanh(x * model.both).tobytes()
    assert vars(Model)["forward"].cache_info().compiles <= 2


@pytest.mark.parametrize("cls", CLASSES)
def test_weights_that_change_in_place(cls: Any) -> None:
    """Or are replaced by others like them, where that can be done."""
    compiled = jitcore.compile(step, backend="numpy")
    w, b = arrays(1)
    model, x = cls(w, b), np.arange(5.0)
    for _ in range(20):
        assert compiled(model, x).tobytes() == step(model, x).tobytes()
        w -= 0.1 * b
        b *= 1.5
        if cls in (Plain, Slots):
            model.b = b = b.copy()
    assert compiled.cache_info().compiles <= 2
    assert compiled.cache_info().hits == 20


def test_a_hundred_arrays_in_one_object() -> None:
    class Model:
        pass

    space: dict[str, Any] = {}
    exec("def f(m):\n    return " + " + ".join(f"m.w{i}" for i in range(100)), space)
    f = space["f"]
    compiled = jitcore.compile(f, backend="numpy")
    for seed in range(3):
        model = Model()
        for i in range(100):
            setattr(model, f"w{i}", np.full(3, seed + i / 7))
        assert compiled(model).tobytes() == f(model).tobytes()
    model.w57 = model.w57.astype("f4")  # type: ignore[attr-defined]
    assert compiled(model).tobytes() == f(model).tobytes()
    assert compiled.cache_info().compiles == 2
