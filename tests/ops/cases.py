"""Calls to try for each row, as text: x is an array, y one like it, i indices, F and I scalars."""

REDUCE = (
    "x",
    "x, 0",
    "x, axis=-1",
    "x, axis=1, keepdims=True",
    "x, axis=(0, 1)",
    "x, keepdims=True",
)
DTYPE = ("x, dtype='f4'", "x, 0, 'd'")
SCAN = ("x", "x, 0", "x, axis=-1")

CALLS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("sum", "prod", "ndarray.sum", "ndarray.prod"), REDUCE + DTYPE + ("x, 0, None, y",)
    ),
    **dict.fromkeys(("mean", "ndarray.mean"), REDUCE + DTYPE),
    **dict.fromkeys(
        ("var", "std", "ndarray.var", "ndarray.std"), (*REDUCE, "x, ddof=1", "x, 0, ddof=1")
    ),
    **dict.fromkeys(("max", "min", "any", "all", "ndarray.max", "ndarray.min"), REDUCE),
    **dict.fromkeys(("ndarray.any", "ndarray.all", "amax", "ptp", "count_nonzero"), REDUCE),
    **dict.fromkeys(("max", "ndarray.min"), (*REDUCE, "x, initial=0", "x, 0, initial=3")),
    **dict.fromkeys(("argmax", "ndarray.argmin", "ndarray.argmax", "argmin"), REDUCE[:4]),
    **dict.fromkeys(("add.reduce", "maximum.reduce", "logical_or.reduce"), REDUCE),
    **dict.fromkeys(("add.accumulate", "multiply.accumulate"), SCAN),
    **dict.fromkeys(("add.outer", "multiply.outer", "outer"), ("x, y", "x, 2.0", "x, x")),
    **dict.fromkeys(
        ("cumsum", "cumprod", "ndarray.cumsum", "ndarray.cumprod"), (*SCAN, "x, 0, 'f8'")
    ),
    **dict.fromkeys(("sort", "argsort", "ndarray.argsort"), (*SCAN, "x, None")),
    **dict.fromkeys(("round", "around", "ndarray.round"), ("x", "x, 2", "x, decimals=1")),
    **dict.fromkeys(("trace", "ndarray.trace"), ("x", "x, 1")),
    **dict.fromkeys(("nan_to_num", "angle", "sinc", "unwrap", "sort_complex", "i0"), ("x",)),
    **dict.fromkeys(("iscomplex", "isreal", "isneginf", "isposinf", "ndarray.conj"), ("x",)),
    **dict.fromkeys(("tril", "triu"), ("x", "x, 1")),
    "average": ("x", "x, 0, y", "x, -1, y", "x, None, y"),
    "gradient": ("x", "x, axis=0"),
    "diff": ("x", "x, 2", "x, axis=0"),
    **dict.fromkeys(("clip", "ndarray.clip"), ("x, 0, 2", "x, None, 3", "x, y, 3", "x, 0.5, 2.5")),
    "where": ("x > 1, x, y", "x > 1, x, 0", "x > 1, 1.5, 0", "x, y, 1", "x > 1", "x > 2, x, F"),
    "searchsorted": ("x, y", "x, 1", "x, F"),
    "ndarray.searchsorted": ("x, y", "x, 1"),
    "digitize": ("x, y",),
    "isin": ("x, y", "x, [1, 2]"),
    "interp": ("x, y, y", "1.5, x, y", "F, x, y"),
    "convolve": ("x, y", "x, y, 'same'", "x, [1., 2.]"),
    "correlate": ("x, y",),
    **dict.fromkeys(("allclose", "array_equal", "array_equiv", "isclose"), ("x, y", "x, 1")),
    **dict.fromkeys(
        ("take", "ndarray.take"),
        ("x, 0", "x, i", "x, i, 0", "x, [0, 0], -1", "x, i, axis=1", "x, F"),
    ),
    "take_along_axis": ("x, np.argsort(x), -1", "x, i, 0", "x, x.argsort(0), 0"),
    **dict.fromkeys(
        ("dot", "ndarray.dot", "matmul", "vdot", "inner"), ("x, y", "x, x", "x, x.T", "x.T, x")
    ),
    "dot": ("x, y", "x, x.T", "x, 2.0", "2.0, x", "F, x", "x, x[0]", "x.T, x"),
    "tensordot": ("x, y", "x, x.T, 1", "x, y, 0", "x, y, axes=([0], [0])"),
    "kron": ("x, y",),
    "vecdot": ("x, y", "x, x"),
    "einsum": (
        "'ij,ij->i', x, y",
        "'ij,kj->ik', x, x",
        "'i,i', x, y",
        "'ijk->ki', x",
        "'ii->i', x",
    ),
    "concatenate": ("[x, y]", "(x, x), 1", "[x, y, x], -1", "[x, y], None", "[x, y], dtype='f4'"),
    "stack": ("[x, y]", "[x, x], 1", "[x, y], axis=-1", "[x]"),
    **dict.fromkeys(("vstack", "hstack", "dstack", "column_stack"), ("[x, y]", "(x, x, x)", "[x]")),
    **dict.fromkeys(("repeat", "ndarray.repeat"), ("x, 2", "x, 3, 0", "x, 2, axis=-1")),
    "tile": ("x, 2", "x, (2, 1)", "x, 1"),
    "roll": ("x, 1", "x, 1, 0", "x, (1, 2), (0, 1)"),
    **dict.fromkeys(("transpose", "ndarray.transpose"), ("x", "x, (1, 0)", "x, (2, 0, 1)")),
    "ndarray.transpose": ("x", "x, 1, 0"),
    **dict.fromkeys(("swapaxes", "ndarray.swapaxes"), ("x, 0, 1", "x, 0, -1")),
    "moveaxis": ("x, 0, -1", "x, [0, 1], [1, 0]"),
    "rollaxis": ("x, 1",),
    "expand_dims": ("x, 0", "x, -1", "x, (0, 1)"),
    **dict.fromkeys(("squeeze", "ndarray.squeeze"), ("x", "x, 0", "x, axis=1")),
    "broadcast_to": ("x, (2, 3, 4)", "x, (4,)", "x, (3, 4)"),
    **dict.fromkeys(("diagonal", "ndarray.diagonal"), ("x", "x, 1")),
    **dict.fromkeys(("flip", "fliplr", "flipud", "rot90", "matrix_transpose"), ("x",)),
    **dict.fromkeys(("atleast_1d", "atleast_2d", "atleast_3d"), ("x", "x, y")),
    "ndarray.view": ("x", "x, 'u1'", "x, np.float32"),
    **dict.fromkeys(
        ("reshape", "ndarray.reshape"),
        (
            "x, -1",
            "x, (-1, 2)",
            "x, (4, 3)",
            "x, (2, 6)",
            "x, (1, -1)",
            "x, (4, -1), order='F'",
            "x, ()",
        ),
    ),
    **dict.fromkeys(
        ("ravel", "ndarray.ravel", "ndarray.flatten"), ("x", "x, 'F'", "x, order='C'", "x, 'K'")
    ),
    "ndarray.astype": (
        *("x, 'f4'", "x, int", "x, float, copy=False", "x, x.dtype", "x, x.dtype, copy=False"),
        *(
            "x, 'f8', order='C'",
            "x, 'f8', 'F', copy=False",
            "x, complex",
            "x, 'i4', casting='safe'",
        ),
    ),
    **dict.fromkeys(("ndarray.copy", "copy"), ("x", "x, 'F'", "x, order='K'")),
    "array": (
        "x",
        "x, float",
        "x, copy=False",
        "x, order='F'",
        "[x, y]",
        "[1.0, F]",
        "x, ndmin=2",
        "[F, F]",
    ),
    **dict.fromkeys(
        ("asarray", "asanyarray"), ("x", "x, float", "x, order='F'", "[[1, 2]]", "[F, 1.0]")
    ),
    **dict.fromkeys(("ascontiguousarray", "asfortranarray"), ("x", "x, 'f4'")),
    **dict.fromkeys(
        ("zeros", "ones", "empty"), ("3", "(2, 3)", "(2, 3), 'i4'", "(2, 3), order='F'", "()")
    ),
    "full": ("3, 1.5", "(2, 3), 1", "(2, 3), F", "(2,), 1, 'f4'", "2, 2**63", "(2, 3), x"),
    **dict.fromkeys(
        ("zeros_like", "ones_like", "empty_like"),
        ("x", "x, 'i4'", "x, order='F'", "x, shape=(2, 2)"),
    ),
    "full_like": ("x, 1", "x, 1.5, 'f8'"),
    "arange": ("5", "1, 10, 2", "0.0, 1.0, 0.25", "5, dtype='f4'", "F"),
    **dict.fromkeys(("eye", "identity", "tri"), ("3", "4")),
    **dict.fromkeys(
        ("linspace", "logspace"), ("0, 1", "0, F, 5", "F, F, num=7", "0, 1, 5, dtype='f4'")
    ),
    "geomspace": ("1, 10", "F, 10., 5"),
    **dict.fromkeys(("hamming", "hanning", "bartlett", "blackman"), ("5",)),
    "indices": ("(2, 3)",),
    **dict.fromkeys(("ndim", "size", "shape", "iscomplexobj", "isrealobj", "op.len"), ("x",)),
    "sliding_window_view": ("x, 2", "x, (2, 2)"),
    **dict.fromkeys(("ndarray.T", "ndarray.mT", "ndarray.real", "ndarray.imag"), ("x",)),
    "getitem": (
        *("x, 0", "x, -1", "x, 99", "x, (0, 1)", "x, (0, 1, 2)", "x, slice(1, None)", "x, ..."),
        *(
            "x, slice(None, None, -1)",
            "x, (slice(None), 0)",
            "x, (..., None)",
            "x, (None, 0)",
            "x, ()",
        ),
        *("x, (slice(1, 3), slice(None, None, 2))", "x, (0, ...)", "x, x > 1", "x, I", "x, (I, 0)"),
        *(
            "x, i",
            "x, (slice(None), i)",
            "x, (i, i)",
            "x, (i, slice(None), i)",
            "x, [0, 0]",
            "x, (0, i)",
        ),
        *("x, (i, 0)", "x, (i[:, None], i)", "x, (i, slice(None, None, -1))", "x, True", "x, 'f'"),
    ),
    "setitem": ("x, 0, 1", "x, slice(1), y[:1]", "x, x > 1, 0", "x, ..., 2.5"),
    **dict.fromkeys(("linalg.inv", "linalg.det", "linalg.cholesky"), ("S", "S.T", "x")),
    "linalg.solve": ("S, S", "S, S[0]", "S, S.T"),
    **dict.fromkeys(
        ("linalg.norm", "linalg.vector_norm"), ("x", "x, axis=0", "x, axis=-1", "x, 1")
    ),
    "linalg.matrix_power": ("S, 2", "S, -1"),
    **dict.fromkeys(("fft.fft", "fft.ifft", "fft.rfft"), ("x", "x, axis=0", "x, 8")),
    **dict.fromkeys(
        ("scalar.float32", "scalar.int64", "scalar.complex128"), ("x", "F", "1", "1.5", "1j")
    ),
    "scalar.bool": ("x", "F", "1", "1.5"),
    "ndarray.fill": ("x, 1",),
    "ndarray.sort": ("x",),
    "copyto": ("x, y",),
    "add.at": ("x, 0, 1",),
    **dict.fromkeys(
        ("op.iadd", "op.imul", "op.isub"),
        ("x, y", "x, 1", "x, 2.5", "x, F", "x, I", "x, 1j", "x, x[:1]"),
    ),
    **dict.fromkeys(("op.itruediv", "op.ipow", "op.ifloordiv"), ("x, y", "x, 2", "x, F")),
    **dict.fromkeys(
        ("op.pow",), ("x, 2", "x, 0.5", "x, -1", "x, F", "x, y", "2, x", "x, 2.0", "x, 3")
    ),
    **dict.fromkeys(
        ("op.truth", "op.not_", "op.float", "op.int", "op.complex"), ("x", "F", "I", "2", "1.5")
    ),
}
