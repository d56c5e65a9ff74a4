"""How many times one function is compiled, and what is asked first."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

import jitcore
from jitcore.attach import attach
from jitcore.config import environment
from jitcore.fallback import breaks
from jitcore.runtime.records import records

KEPT = replace(environment(), keep_all=True)


def wave(x, y):
    return np.sqrt(x * x + 1) * np.exp(-y)


def broken(x, y):
    z = np.sqrt(x * x + 1)
    jitcore.graph_break()
    return z * np.exp(-y)


def made(fn, **options):
    return attach(fn, replace(KEPT, **options))


def regions(fn):
    return [region for region in records.find(fn.__code__).regions if region.entry is not None]


def hits_of_calls(fn, arrays, times):
    """Every call runs compiled, to the end."""
    before = sum(region.entry.hits for region in regions(fn))
    wanted = [fn.eager(x, x).tobytes() for x in arrays]
    for _ in range(times):
        for x, bits in zip(arrays, wanted, strict=True):
            assert fn(x, x).tobytes() == bits
    return sum(region.entry.hits for region in regions(fn)) - before


PAIRS = {
    "shapes": (np.ones(10), np.ones(20)),
    "ranks": (np.ones(10), np.ones((4, 5))),
    "dtypes": (np.ones(10), np.ones(10, "f4")),
    "one": (np.ones(1), np.ones(20)),
}


@pytest.mark.parametrize("dynamic", [None, False])
@pytest.mark.parametrize("what", PAIRS)
def test_two_that_alternate(what, dynamic):
    fn = made(wave, dynamic=dynamic)
    for x in PAIRS[what]:
        fn(x, x)
    assert hits_of_calls(fn, PAIRS[what], 500) == 1000
    assert len(regions(fn)) == 2
    assert not records.find(fn.__code__).breaks


def test_two_that_alternate_with_a_break():
    fn = made(broken)
    for x in PAIRS["dtypes"]:
        fn(x, x)
    assert hits_of_calls(fn, PAIRS["dtypes"], 500) == 2 * 1000
    assert len(regions(fn)) == 4


def test_two_that_alternate_in_two_threads():
    fn = made(broken)
    barrier = threading.Barrier(2)
    wrong = []

    def run(x):
        bits = broken(x, x).tobytes()
        barrier.wait()
        wrong.extend(n for n in range(500) if fn(x, x).tobytes() != bits)

    threads = [threading.Thread(target=run, args=(x,)) for x in PAIRS["shapes"]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(regions(fn)) <= 2 * 3


@pytest.mark.parametrize("fn", [wave, broken])
def test_what_holds_most_of_late_is_asked_first(fn):
    fn = made(fn)
    kinds = [np.ones(10, kind) for kind in ("f8", "f4", "i4")]
    for x in kinds:
        fn(x, x)
    first = [region.entry for region in regions(fn) if region.offset == regions(fn)[0].offset]

    def order():
        point = records.find(fn.__code__).points[regions(fn)[0].offset]
        entries = fn._entries or point.entries
        return [first.index(entry) for entry in entries]

    assert order() == [0, 1, 2]
    hits_of_calls(fn, kinds[2:], 70)
    assert order()[0] == 2
    kept = order()
    for _ in range(20):  # these two hold as often as each other
        hits_of_calls(fn, kinds[:2], 50)
    assert {*order()[:2]} == {0, 1} and sorted(kept) == [0, 1, 2]
    settled = order()
    hits_of_calls(fn, kinds[:2], 10)
    assert order() == settled


def test_a_function_has_a_limit_beside_that_of_its_places():
    lines = "".join("    y = np.sqrt(y[:k]) + 1\n    jitcore.graph_break()\n" for _ in range(11))
    names = {"np": np, "jitcore": jitcore}
    exec(f"def f(y, k):\n{lines}    return y", names)
    fn = made(names["f"], cache_limit=4)
    for k in range(2, 9):
        x = np.ones(40)
        assert fn(x, k).tobytes() == fn.eager(x, k).tobytes()
    record = records.find(fn.__code__)
    assert len(regions(fn)) <= 12 + 8 * 4, "12 places, each with up to 4"
    limits = [stop.detail for stop in record.breaks if stop.kind is breaks.CACHE_LIMIT]
    assert any("of its graphs, besides the first" in text for text in limits)


def often_warns(x):
    return np.log(x) * 2 + 1


def test_an_entry_that_fails_every_second_time_rests():
    """It warns: each such call is made twice, once in vain."""
    fn = made(often_warns)
    good, bad = np.ones(10), np.zeros(10)
    fn(good)
    (region,) = regions(fn)
    with np.errstate(divide="warn"), pytest.warns(RuntimeWarning) as seen:
        for _ in range(60):
            fn(good)
            fn(bad)
    assert len(seen) == 60
    assert 10 < region.entry.failures < 40, "it rests after a while"
    assert records.find(fn.__code__).points[region.offset].penalty or region.entry.penalty


def test_an_entry_that_fails_now_and_then_does_not_rest():
    fn = made(often_warns)
    good, bad = np.ones(10), np.zeros(10)
    fn(good)
    (region,) = regions(fn)
    with pytest.warns(RuntimeWarning):
        for _ in range(40):
            for _ in range(9):
                fn(good)
            fn(bad)
    assert region.entry.failures == 40 and region.entry.hits >= 360


def test_facts_whose_hashes_are_one_are_two():
    @jitcore.compile
    def total(x, axis):
        return (x * 2.0).sum(axis=axis)

    x = np.arange(60_000.0).reshape(200, 300)
    assert hash(-1) == hash(-2)
    for axis in (-1, -2, -1, -2):
        assert total(x, axis).tobytes() == (x * 2.0).sum(axis=axis).tobytes()
    assert total.cache_info().entries == 2
