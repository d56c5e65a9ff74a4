"""Breaks J4xx: arrays."""

from jitcore.fallback.breaks.kind import COULD, NEVER, YOUR_ERROR, row

# fmt: off
SUBCLASS = row(
    "J401", "subclass", COULD,
    "an array of a subclass of ndarray (matrix, masked array, memmap, recarray, your own)",
    runs="the operation, with the methods of the subclass",
    hint="call the function with np.asarray(x), if the subclass's behaviour is not needed",
)
DTYPE_OBJECT = row(
    "J402", "dtype-object", NEVER,
    "an array of Python objects (dtype object)",
    runs="the operation, object by object",
    hint="each object does its own work: call the function with an array of a numeric dtype",
)
DTYPE_UNSUPPORTED = row(
    "J404", "dtype-unsupported", COULD,
    "an array of a dtype that jitcore does not capture",
    runs="the operation",
    hint="call the function with an array of bool, an integer, float16/32/64 or complex64/128: "
    "codes in place of strings, for example",
)
RESULT_TYPE_UNKNOWN = row(
    "J405", "result-type-unknown", COULD,
    "the type or shape of the result is only known at run time",
    runs="the operation; compiled code goes on with its result",
    hint="nothing needs to change: CPython runs this, the rest stays compiled; in a hot loop, call "
    "it before the loop and pass the result in",
)
TRUTH_AMBIGUOUS = row(
    "J406", "truth-ambiguous", YOUR_ERROR,
    "the truth value of an array with more than one element",
    runs="the test, which raises ValueError",
    hint="use .any() or .all(), or np.where",
)
STORE_INLINED = row(
    "J408", "store-inlined", COULD,
    "an inlined function writes into an array that its caller can see",
    runs="the call; the called function is compiled by itself",
    hint="return what is to be stored, and let the caller store it",
)
LOUD_INLINED = row(
    "J409", "loud-inlined", COULD,
    "an inlined function does something that may warn",
    runs="the call; the called function is compiled by itself",
    hint="put the operation into the compiled function itself",
)
ARRAY_PROTOCOL = row(
    "J410", "array-protocol", COULD,
    "an object that takes part in NumPy calls by a protocol "
    "(__array__, __array_ufunc__, __array_function__)",
    runs="the call, with the object's own methods",
    hint="pass a plain array, np.asarray(x), or a number, float(x)",
)
NUMPY_RAISES = row(
    "J411", "numpy-raises", YOUR_ERROR,
    "NumPy raises an exception for these operands",
    runs="the operation, which raises",
    hint="check shapes, dtypes and indices",
)
ARRAY_CHANGED = row(
    "J412", "array-changed", COULD,
    "an array's own shape, strides, dtype or flags are changed in place",
    runs="the statement; compiled code goes on with the changed array",
    hint="use reshape, view or astype, which make a new array",
)
MEMORY_ESCAPES = row(
    "J413", "memory-escapes", NEVER,
    "an array's memory is handed out (a buffer, a pointer, ctypes)",
    runs="the call",
    hint="only CPython can do this: take the pointer outside the compiled function; nbytes, shape "
    "and strides are the array's own",
)
