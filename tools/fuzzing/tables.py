"""What random programs are made of: templates, most with a weight by how often they are listed.

In templates {a} {b} {c} are array expressions ({b} one that broadcasts with {a}, mostly), {s} a
scalar expression, {m} a Boolean array of {a}'s shape, {v} the name of an array, {k} an axis of {a},
{i} a small index, {t} a dtype.
"""

from __future__ import annotations

PRELUDE = '''\
import math

import numpy as np

G = 1.5
TABLE = np.array([3.0, -1.0, 0.5])
NAMES = {"k": 2, "x": 0.25}


class Box:
    kind = "box"

    def __init__(self, value, k):
        self.value = value
        self.k = k

    def scaled(self, by):
        return self.value * (self.k * by)

    @property
    def total(self):
        return self.value.sum()


def data(shape, dtype, seed, odd=False):
    values = np.random.default_rng(seed).normal(size=shape) * 3
    if np.dtype(dtype).kind == "u":
        values = np.abs(values)
    values = values.astype(dtype)
    if odd and values.size and values.ndim:
        values.flat[:: 5] = 0
        if values.dtype.kind in "fc":
            values.flat[1::7] = np.inf
            values.flat[2::7] = np.nan
    return values
'''  # fmt: skip

DTYPES = ("f8",) * 8 + ("f4", "f4", "i8", "i8", "i4", "u1", "bool", "c16", "f2")
CASTS = ("np.float32", "np.float64", "np.int64", "'i4'", "bool", "float", "int", "'c16'", "'f2'")
BINARY = ("+", "-", "*", "/") * 4 + ("//", "%", "**", "&", "|", "^", "<<", ">>", "@")
COMPARE = ("<", "<=", "==", "!=", ">", ">=")
UNARY = (
    "sin cos exp log sqrt tanh floor ceil abs square sign isnan isfinite negative reciprocal rint"
    " log1p expm1 cbrt arctan logical_not signbit conj exp2 log2 log10 trunc positive absolute fabs"
    " deg2rad sinh cosh arcsin isinf invert spacing arcsinh"
).split()
PAIRED = (
    "add subtract multiply divide true_divide maximum minimum fmax fmin hypot arctan2 power fmod"
    " remainder floor_divide logical_and logical_or logical_xor copysign nextafter heaviside"
    " left_shift bitwise_and greater less_equal equal float_power logaddexp"
).split()
REDUCED = "sum mean std var min max prod any all argmin argmax cumsum cumprod".split()
REDUCED_NP = (*REDUCED, "median", "ptp", "nansum", "nanmax", "count_nonzero", "average", "amax")

ARRAYS = (
    "np.where({m}, {a}, {b})",
    "np.where({m}, {a}, {s})",
    "np.where({a} > {s}, {a}, {n})",
    "np.clip({a}, {n}, {n})",
    "{a}.clip({n}, {n})",
    "np.maximum({a}, {n})",
    "({a} if {s} > {n} else {b})",
    "{a}.T",
    "{a}.T.copy()",
    "{a}[::-1]",
    "{a}[1:]",
    "{a}[:-1]",
    "{a}[::2]",
    "{a}[..., 0]",
    "{a}[:, 0]",
    "{a}[None]",
    "{a}[:, None]",
    "{a}[{i}]",
    "{a}[{i}, {i}]",
    "{a}[({i},)]",
    "{a}[()]",
    "{a}[{m}]",
    "{a}[[0, -1]]",
    "{a}[np.array([0, 1, 0])]",
    "{a}[slice({i}, None)]",
    "{a}.reshape(-1)",
    "{a}.reshape({a}.shape[::-1])",
    "{a}.reshape(1, -1)",
    "np.reshape({a}, -1)",
    "{a}.reshape(-1, order='F')",
    "{a}.ravel()",
    "{a}.flatten()",
    "{a}.transpose()",
    "np.transpose({a})",
    "{a}.swapaxes(0, -1)",
    "np.moveaxis({a}, 0, -1)",
    "{a}.squeeze()",
    "np.expand_dims({a}, {k})",
    "np.broadcast_to({a}, (2,) + {a}.shape)",
    "{a}.real",
    "{a}.imag",
    "np.real({a})",
    "{a}.copy()",
    "{a}.copy(order='F')",
    "{a}.astype({t})",
    "{a}.astype({t}, copy=False)",
    "{a}.view()",
    "np.asarray({a})",
    "np.asarray({a}, dtype={t})",
    "np.ascontiguousarray({a})",
    "np.asfortranarray({a})",
    "np.array({a})",
    "np.array([{s}, {s}])",
    "np.array([{s}, {n}, {s}], dtype={t})",
    "np.concatenate([{a}, {b}])",
    "np.concatenate(({a}, {a}), axis={k})",
    "np.stack([{a}, {b}])",
    "np.stack(({a}, {a}), axis={k})",
    "np.vstack([{a}, {b}])",
    "np.hstack([{a}, {b}])",
    "np.dot({a}, {b})",
    "np.dot({a}, {a}.T)",
    "{a}.dot({b})",
    "np.matmul({a}, {a}.T)",
    "np.outer({a}, {b})",
    "np.inner({a}, {a})",
    "np.einsum('ij,ij->i', {a}, {b})",
    "np.tensordot({a}, {b}, axes=0)",
    "np.sort({a})",
    "np.sort({a}, axis={k})",
    "np.argsort({a}, kind='stable')",
    "np.diff({a})",
    "np.diff({a}, axis={k})",
    "np.roll({a}, {i})",
    "np.flip({a})",
    "np.tile({a}, 2)",
    "np.repeat({a}, 2, axis={k})",
    "np.pad({a}, 1)",
    "np.unique({a})",
    "np.nonzero({a})[0]",
    "np.argwhere({a} > {n})",
    "np.arange({i})",
    "np.arange({a}.shape[0])",
    "np.linspace({n}, {n}, 5)",
    "np.zeros({a}.shape)",
    "np.zeros_like({a})",
    "np.ones_like({a}, dtype={t})",
    "np.ones(3, dtype={t})",
    "np.full({a}.shape, {s})",
    "np.full_like({a}, {s})",
    "np.eye(3)",
    "np.tril({a})",
    "np.isclose({a}, {b})",
    "np.nan_to_num({a})",
    "np.interp({a}, [0.0, 1.0], [2.0, 3.0])",
    "np.round({a}, 1)",
    "{a}.round(2)",
    "np.cross({a}, {b})",
    "np.take({a}, [0, 0])",
    "{a}.take(0, axis={k})",
    "np.add.reduce({a}, axis={k})",
    "np.multiply.accumulate({a})",
    "np.maximum.reduce({a})",
    "np.subtract.outer({a}, {b})",
    "np.add({a}, {b}, dtype={t})",
    "np.multiply({a}, {s}, where={m}, out=np.zeros({a}.shape))",
    "np.sqrt({a}, where={m}, out={a} * 1.0)",
    "np.divmod({a}, {n})[1]",
    "np.modf({a})[0]",
    "np.frexp({a})[1]",
    "np.ix_([0, 1], [0])[0]",
    "np.meshgrid({a}, {b})[0]",
    "np.linalg.norm({a}, axis={k})",
    "np.atleast_2d({a})",
    "np.select([{m}, {a} > {n}], [{a}, {b}], {n})",
    "np.piecewise({a}, [{m}], [1.0, -1.0])",
    "np.cumsum({a}, axis={k})",
    "np.sum([{s}, {s}], keepdims=True)",
    "np.fft.fft({a})",
    "np.convolve({a}, [1.0, 2.0])",
    "np.ldexp({a}, 2)",
    "helper({a}, {s})",
    "helper({a}, k={n})",
    "pair({a}, {b})[0]",
    "twice({a})",
    "box.value",
    "box.scaled({s})",
    "TABLE",
    "TABLE[{i}] * {a}",
    "sum([{a}, {b}])",
    "abs({a})",
    "[{a}, {b}][{i} % 2]",
    "(lambda q: q + {n})({a})",
    "np.array([q * 2 for q in {a}])",
    "{a} * {a}.shape[0]",
    "{a} + {a}.sum()",
    "{a} - {a}.mean(axis={k}, keepdims=True)",
    "{a} / {a}.max()",
    "({a} * {b} + {a}) / {n}",
    "np.exp(-{a} ** 2)",
    "{a} + {b} * {n} - {a}",
)

SCALARS = (
    "float({a}.sum())",
    "{a}.sum()",
    "{a}.max()",
    "{a}.mean()",
    "np.max({a})",
    "{a}.flat[0]",
    "{a}.item(0)",
    "{a}.ravel()[{i}]",
    "{a}[{i}, {i}]",
    "int({a}.size)",
    "len({a})",
    "{a}.shape[0]",
    "{a}.ndim",
    "{a}.size",
    "{a}.shape[-1] - 1",
    "({s} + {s})",
    "{s} * {s}",
    "({s} - {n})",
    "{s} / {n}",
    "{s} // {n}",
    "{s} % {n}",
    "-{s}",
    "abs({s})",
    "min({s}, {s})",
    "max({s}, {n})",
    "round({s})",
    "float({s})",
    "int({s})",
    "bool({s})",
    "math.sqrt(abs({s}))",
    "np.sqrt({s})",
    "np.float32({s})",
    "np.float64({s})",
    "np.int64({n})",
    "np.sin({s})",
    "G",
    "NAMES['k']",
    "NAMES.get('x', 0)",
    "box.k",
    "box.total",
    "Box.kind.count('b')",
    "({s} if {s} > {n} else {s})",
    "({s} and {s})",
    "({s} or {s})",
    "(not {s})",
    "np.isnan({s})",
    "np.dot({a}, {a})",
    "{a}.any()",
    "np.all({a} > {n})",
    "{a}.argmax()",
    "isinstance({a}, np.ndarray)",
    "({a}.dtype == np.float64)",
    "{a}.itemsize",
    "sum({a}.shape)",
    "np.allclose({a}, {b})",
    "np.array_equal({a}, {a})",
    "{a} is {b}",
    "complex({s}).real",
    "math.floor({s})",
)

# Statements; a line that ends in ":" is followed by a block.
SIMPLE = (
    "{new} = {x}",
    "{new} = {x}",
    "{new} = {x}",
    "{new} = {x}",
    "{new} = {x}",
    "{new} = {x}",
    "{new} = {y}",
    "{new} = {y}",
    "{v} = {x}",
    "{v} {op}= {b}",
    "{v} {op}= {s}",
    "{v} {op}= {n}",
    "{w} {op}= {s}",
    "{w} += 1",
    "{v}[{i}] = {s}",
    "{v}[...] = {b}",
    "{v}[:] = {n}",
    "{v}[1:] = {v}[:-1]",
    "{v}[{v} > {n}] = {n}",
    "{v}[{i}] {op}= {n}",
    "{v}[..., 0] {op}= {s}",
    "{v}[::2] {op}= {n}",
    "{v}[[0, 0]] {op}= 1",
    "{v}.fill({n})",
    "{v}.sort()",
    "{v}.flat[{i}] = {n}",
    "{v}.T[...] {op}= {n}",
    "np.add({v}, {n}, out={v})",
    "np.multiply({v}, {b}, {v})",
    "np.add.at({v}, [0, 0], 1)",
    "np.copyto({v}, {s}, casting='unsafe')",
    "np.sqrt(abs({v}), out={v})",
    "np.divide({v}, {b}, out={v}, where={m})",
    "{new}, {new2} = {x}, {x}",
    "{new}, {new2} = pair({x}, {y})",
    "{v}, {u} = {u}, {v}",
    "{new}, *rest = {a}, {s}, {n}",
    "box.value = {x}",
    "box.k = {y}",
    "box.k += {n}",
    "box.value {op}= {n}",
    "box.extra = {y}",
    "rows = [{a}, {s}]",
    "rows.append({x})",
    "rows[0] = {x}",
    "{new} = rows[0]",
    "{new} = [q * 2 for q in rows if q is not None]",
    "table = {{'p': {x}, 'q': {y}}}",
    "table['p'] = {x}",
    "table['q'] = table.get('q', 0) + {n}",
    "{new} = table['p']",
    "NAMES['k'] = {n}",
    "TABLE[{i}] = {s}",
    "TABLE[:] += {n}",
    "bump({n})",
    "fill({v}, {n})",
    "print({s})",
    "print('sum', {v}.shape, {s})",
    "print(f'{{{s}:.3f}}')",
    "print({v})",
    "del {v}",
    "{new} = [{a}, ({b}, {s})]",
    "assert {v}.size >= 0, 'size'",
    "assert {s} != 0",
    "{x}",
    "{new} = {new2} = {x}",
    "({new} := {x})",
    "{new} = lambda q, k={n}: q * k + {v}",
    "{new} = list(map(twice, [{a}, {n}]))",
    "{new} = {{k: {a} * k for k in (1, 2)}}",
    "{new} = np.empty_like({a}); {new}[...] = {s}",
    "pass",
    "import warnings; warnings.warn('told')",
)

BLOCKS = (
    "for _i in range({i}):",
    "for _i in range({i}):",
    "for _i in range({v}.shape[0]):",
    "for _i in range(30):",
    "for row in {v}:",
    "for q in ({a}, {s}):",
    "for _i, row in enumerate({v}):",
    "for p, q in zip({v}, {u}):",
    "for p in rows:",
    "while",
    "while",
    "if {s} > {n}:",
    "if {s}:",
    "if True:",
    "if {v}.sum() > {n}:",
    "if {v}.ndim == 2:",
    "if ({v} > {n}).any():",
    "if {v}.dtype.kind == 'f':",
    "if {v} is not None:",
    "ifelse",
    "ifelse",
    "ifelse",
    "try",
    "try",
    "finally",
    "with np.errstate({err}):",
    "with np.errstate({err}):",
    "closure",
    "closure",
    "early",
)

ERRSTATES = (
    "all='ignore'",
    "all='raise'",
    "divide='ignore', invalid='raise'",
    "over='warn'",
    "invalid='ignore'",
    "divide='raise'",
    "all='warn'",
)
NUMBERS = ("0", "1", "2", "3", "-1", "0.5", "2.0", "-1.5", "7", "1e3", "0.0", "1e300", "True") + (
    "np.float32(0.1)",
    "np.float64(-2.5)",
    "np.int64(3)",
    "np.pi",
    "1j",
    "255",
)
HELPERS = (
    ("helper", "def helper(p, k=2, *rest):"),
    ("pair", "def pair(p, q):"),
    ("twice", "def twice(p):"),
    ("fill", "def fill(p, k):"),
    ("bump", "def bump(k):"),
)
