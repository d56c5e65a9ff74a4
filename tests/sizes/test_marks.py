"""mark_dynamic, mark_static: what an entry is made for, and nothing else."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import jitcore
from jitcore._C import static_axes
from jitcore.user.dynamic_axes import NONE, by_id, marks_of


def f(x, y):
    return np.sqrt(x * x + 1) * np.exp(-y)


def compiled(**options):
    return jitcore.compile(lambda x, y: f(x, y), **options)


def agree(fn, *args):
    assert fn(*args).tobytes() == f(*args).tobytes()


def data(*shape):
    return np.random.default_rng(shape).normal(size=shape)


@pytest.mark.parametrize("dynamic", [None, False])
def test_a_marked_axis_is_dynamic_from_the_first_call_on(dynamic):
    fn = compiled(dynamic=dynamic)
    x = data(20, 30)
    jitcore.mark_dynamic(x, 0)
    agree(fn, x, 2.0)
    for n in (5, 40, 400):
        agree(fn, data(n, 30), 2.0)
    info = fn.cache_info()
    assert info.compiles == 1
    assert [*info.details[0].dynamic] == ["x.shape[0]"] and info.details[0].sizes["x"][1] == 30


def test_attributes_and_several_axes():
    class Model:
        def __init__(self, w):
            self.w = w

        @jitcore.compile
        def run(self):
            return np.sqrt(self.w) * 2 + 1

    model = Model(np.ones((20, 30)))
    jitcore.mark_dynamic(model.w, (0, -1))
    for shape in ((20, 30), (50, 60), (7, 7)):
        model.w = model.w if shape == (20, 30) else np.ones(shape)
        assert model.run().tobytes() == (np.sqrt(model.w) * 2 + 1).tobytes()
    assert Model.run.cache_info().compiles == 1


def test_a_static_axis_has_an_entry_for_each_size():
    fn = compiled()
    arrays = [data(n, 30) for n in (20, 40, 60)]
    for x in arrays:
        jitcore.mark_static(x, 0)
        agree(fn, x, 2.0)
    info = fn.cache_info()
    assert info.compiles == 3 and not any(one.dynamic for one in info.details)
    agree(fn, data(80, 30), 2.0)  # this one has no marks
    assert "x.shape[0]" in fn.cache_info().details[-1].dynamic


def test_a_static_axis_beside_dynamic_ones():
    fn = compiled(dynamic=True)
    x = data(20, 30)
    jitcore.mark_static(x, 1)
    agree(fn, x, 2.0)
    assert [*fn.cache_info().details[0].dynamic] == ["x.shape[0]"]


def test_static_wins_over_an_entry_for_all_sizes():
    fn = compiled()
    for n in (20, 40, 60):
        agree(fn, data(n, 30), 2.0)
    assert fn.cache_info().compiles == 2
    x = data(80, 30)
    jitcore.mark_static(x, 0)
    for _ in range(3):
        agree(fn, x, 2.0)
    info = fn.cache_info()
    assert info.compiles == 3 and info.details[-1].hits >= 2 and not info.details[-1].dynamic
    agree(fn, data(80, 30), 2.0)
    agree(fn, data(100, 30), 2.0)
    jitcore.mark_dynamic(x, 0)
    agree(fn, x, 2.0)
    assert fn.cache_info().compiles == 3


def test_static_along_another_axis():
    fn = compiled()
    for n in (20, 40):
        agree(fn, data(n, 30), 2.0)
    x = data(80, 30)
    jitcore.mark_static(x, 1)
    agree(fn, x, 2.0)
    assert fn.cache_info().compiles == 2


def test_an_array_that_was_static():
    """Marks end with the array: at its address may be another one."""
    fn = compiled()
    for n in (20, 40):
        agree(fn, data(n, 30), 2.0)
    for _ in range(50):
        x = data(50, 30)
        jitcore.mark_static(x)
        del x
        agree(fn, data(50, 30), 2.0)
    assert fn.cache_info().compiles == 2 and not static_axes.keys() - by_id.keys()


def test_what_has_no_form_is_compiled_for_its_size():
    fn = compiled()
    x = np.ones((1, 5))
    jitcore.mark_dynamic(x, 0)
    agree(fn, x, 2.0)
    agree(fn, np.ones((4, 5)), 2.0)
    assert fn.cache_info().entries == 2


def test_the_last_mark_counts():
    x = data(4, 5)
    jitcore.mark_dynamic(x, 0)
    jitcore.mark_static(x)
    assert marks_of(x).static == {0, 1} and marks_of(x).dynamic == set()
    jitcore.mark_dynamic(x, [0])
    assert marks_of(x).static == {1} and marks_of(x).dynamic == {0}
    assert marks_of(x[:]) is NONE and marks_of(x.copy()) is NONE


def test_marks_end_with_their_arrays():
    before = len(by_id)
    arrays = [np.ones(3) for _ in range(50)]
    for x in arrays:
        jitcore.mark_dynamic(x, 0)
    assert len(by_id) == before + 50
    del arrays, x
    gc.collect()
    assert len(by_id) == before
    assert all(marks_of(np.ones(3)) is NONE for _ in range(100))


def test_marks_are_of_the_axes_that_there_were():
    f = jitcore.compile(lambda x: x * 2.0 + 1.0)
    x, y = np.ones((4, 5, 6)), np.ones((4, 5, 6))
    jitcore.mark_dynamic(x, 2)
    jitcore.mark_static(y, 2)
    for shape in ((4, 5, 6), (20, 6), (120,)):
        for array in (x, y):
            array.shape = shape
            assert f(array).tobytes() == f.eager(array).tobytes()
    assert not [stop for one in f.graphs for stop in one.breaks]


def test_wrong_marks():
    for wrong in ([1.0], 3, None):
        with pytest.raises(TypeError):
            jitcore.mark_dynamic(wrong, 0)
        with pytest.raises(TypeError):
            jitcore.mark_static(wrong)
    for axis in (2, -3, (0, 5)):
        with pytest.raises(IndexError, match="2 axes"):
            jitcore.mark_dynamic(np.ones((2, 2)), axis)
    with pytest.raises(TypeError):
        jitcore.mark_dynamic(np.ones(3), 1.5)
