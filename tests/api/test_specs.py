"""jitcore.compile(fn, signature=[...]): compiled ahead, and inputs are looked at."""

from __future__ import annotations

import numpy as np
import pytest

import jitcore
from jitcore import ArraySpec

POINTS = ArraySpec((None, 3), np.float32)


def lengths(points, scale=1.0):
    return np.sqrt((points * points).sum(axis=1)) * scale


class Tagged(np.ndarray):
    pass


def points(n, kind="f4"):
    return np.linspace(-1, 1, 3 * n).astype(kind).reshape(n, 3)


def test_it_is_compiled_before_the_first_call():
    f = jitcore.compile(lengths, signature=[POINTS])
    assert f.cache_info().entries == 1
    for n in (3, 40, 500):
        assert f(points(n)).tobytes() == lengths(points(n)).tobytes()
    info = f.cache_info()
    assert (info.compiles, info.misses, info.hits) == (1, 0, 3)
    assert "points.shape[0]" in info.details[0].dynamic


@pytest.mark.parametrize(
    ("args", "kwargs", "got"),
    [
        ((points(4, "f8"),), {}, "an array float64 of shape (4, 3)"),
        ((points(4)[:, :2],), {}, "an array float32 of shape (4, 2)"),
        ((points(4)[0],), {}, "an array float32 of shape (3,)"),
        ((points(4).tolist(),), {}, "list"),
        ((), {"points": 3}, "int"),
        ((points(4).astype(">f4"),), {}, "an array >f4 of shape (4, 3)"),
    ],
)
def test_what_is_something_else_is_refused(args, kwargs, got):
    f = jitcore.compile(lengths, signature=[POINTS])
    expected = "expected an array float32 of shape (None, 3)"
    for _ in range(3):
        with pytest.raises(jitcore.SignatureError) as caught:
            f(*args, **kwargs)
        assert str(caught.value) == f"lengths() argument 'points': {expected}, got {got}"
    assert isinstance(caught.value, TypeError | jitcore.JitcoreError)


def test_what_is_allowed():
    f = jitcore.compile(lengths, signature=[POINTS])
    transposed = np.ones((3, 5), "f4").T
    fixed = points(4)
    fixed.flags.writeable = False
    for x in (transposed, fixed, points(8)[::2], points(0), points(1), points(4).view(Tagged)):
        assert f(x).tobytes() == lengths(x).tobytes()
    assert f(points(4), scale=2.0).tobytes() == lengths(points(4), 2.0).tobytes()
    assert f(points(4), 2).tobytes() == lengths(points(4), 2).tobytes()


def test_errors_of_binding_are_python_s():
    f = jitcore.compile(lengths, signature=[POINTS])
    for args, kwargs in [((), {}), ((points(3), 1, 2), {}), ((points(3),), {"other": 1})]:
        with pytest.raises(TypeError) as wanted:
            lengths(*args, **kwargs)
        with pytest.raises(TypeError) as got:
            f(*args, **kwargs)
        assert str(got.value) == str(wanted.value)


def test_by_name_and_by_class():
    def f(a, /, x, n=1, *rest, gain=1.0, **more):
        return x * gain + n + len(more)

    f = jitcore.compile(f, signature={"x": ArraySpec((3,)), "gain": float, "n": None})
    x = np.ones(3)
    assert f(0, x, "n" and 2, gain=2.0).tolist() == [4.0] * 3
    assert f(0, x, 1, "rest", a="more").tolist() == [3.0] * 3
    with pytest.raises(jitcore.SignatureError, match=r"'gain': expected float, got int"):
        f(0, x, gain=2)
    with pytest.raises(jitcore.SignatureError, match=r"'x': .* of shape \(3,\), got .*\(2,\)"):
        f(0, x=np.ones(2))


def test_methods():
    class Model:
        @jitcore.compile(signature=[POINTS])
        def run(self, p):
            return p * 2 + 1

        @staticmethod
        @jitcore.compile(signature=[POINTS])
        def of(p):
            return p * 2 + 1

    for call in (Model().run, Model.of):
        assert call(points(3)).tobytes() == (points(3) * 2 + 1).tobytes()
        with pytest.raises(jitcore.SignatureError, match=r"argument 'p'"):
            call(np.ones(3))


@pytest.mark.parametrize(
    ("signature", "text"),
    [
        ([POINTS, None, None], "for 3 arguments, and the function takes 2"),
        ({"other": POINTS}, "names 'other': no such parameter"),
        ([3], "an ArraySpec, a class or None for 'points', not 3"),
        ([jitcore.ArraySpec], "an ArraySpec, a class or None for 'points', not <class"),
        (5, "lengths: a signature is a sequence or a dict by name of .*, not 5"),
        (POINTS, r"a signature is a sequence .*, not ArraySpec\("),
        ("points", "a signature is a sequence .*, not 'points'"),
    ],
)
def test_a_signature_that_does_not_fit(signature, text):
    with pytest.raises(TypeError, match=text):
        jitcore.compile(lengths, signature=signature)


def three(x, y, gain=1.0):
    return (x + y) * gain


def test_a_signature_for_fewer_parameters():
    text = "three: the signature is for 1 argument, and the function takes 3: 'y' without a default"
    with pytest.raises(TypeError, match=text):
        jitcore.compile(three, signature=[ArraySpec((3,))])
    with pytest.raises(TypeError, match=r"for 0 arguments, .* takes 3: 'x', 'y' without"):
        jitcore.compile(three, signature=[])
    two = jitcore.compile(three, signature=[ArraySpec((3,)), None])
    assert two(np.ones(3), 2.0).tobytes() == np.full(3, 3.0).tobytes()


def test_a_signature_of_a_method_for_fewer_parameters():
    class Model:
        def run(self, p, q):
            return p * 2 + q

    with pytest.raises(TypeError, match=r"run: .* for 1 argument, and the function takes 2: 'q'"):
        jitcore.compile(Model.run, signature=[ArraySpec((3,))])


def test_a_break_is_told_of_when_it_is_called():
    f = jitcore.compile(lambda x: print(x * 2 + 1), signature=[ArraySpec((3,))], fullgraph=True)
    with pytest.raises(jitcore.GraphBreakError):
        f(np.ones(3))


def test_two_signatures_of_one_function():
    small = jitcore.compile(lengths, signature=[ArraySpec((2, 3))])
    large = jitcore.compile(lengths, signature=[ArraySpec((9, 3))])
    assert small(points(2, "f8")).shape == (2,) and large(points(9, "f8")).shape == (9,)
    with pytest.raises(jitcore.SignatureError):
        small(points(9, "f8"))
    plain = jitcore.compile(lengths)
    assert plain(points(5)).shape == (5,)


def test_specs():
    assert ArraySpec([None, 3], "f4") == POINTS
    assert str(ArraySpec(())) == "an array float64 of shape ()"
    for wrong in (3, "ab", None, (1.5,)):
        with pytest.raises(TypeError):
            ArraySpec(wrong)
    with pytest.raises(TypeError):
        ArraySpec((3,), "no dtype")
    with pytest.raises(ValueError, match="negative"):
        ArraySpec((-1,))


def test_it_is_asked_where_jitcore_is_off():
    f = jitcore.compile(lengths, signature=[POINTS])
    f._off = True
    with pytest.raises(jitcore.SignatureError):
        f(np.ones(3))
    with jitcore.stance("eager"), pytest.raises(jitcore.SignatureError):
        f(np.ones(3))
