"""Breaks J9xx: whole frames."""

from jitcore.fallback.breaks.kind import COULD, NEVER, OUR_BUG, YOUR_ERROR, row

# fmt: off
TRACED = row(
    "J901", "traced", NEVER,
    "a tracer, profiler or monitoring tool watches this thread",
    runs="the whole function, as long as it is watched",
    hint="run without the debugger, coverage or profiler to see jitcore's speed",
)
CODE_TOO_LARGE = row(
    "J902", "code-too-large", COULD,
    "the function is too long to be analysed",
    runs="the whole function",
    hint="write what repeats as a loop, or split it into several functions",
)
CACHE_LIMIT = row(
    "J903", "cache-limit", COULD,
    "this code was compiled for as many kinds of input as the limit allows",
    runs="the piece, for other kinds of input",
    hint="give it the same kinds of arrays and objects: f.cache_info().recompiles says what"
    " differed each time",
)
ERROR_STATE = row(
    "J904", "error-state", NEVER,
    "floating-point errors or warnings are set to raise, call or log",
    runs="all code up to the next start or end of a with block, so that each error names its line",
    hint="only CPython raises at the right line: call it under np.errstate(...='warn') or "
    "'ignore'",
)
INTERNAL = row(
    "J906", "internal", OUR_BUG,
    "jitcore failed on this piece",
    runs="the piece; its result is CPython's",
    hint="please report it with the text above and the function",
)
BACKEND_FAILED = row(
    "J908", "backend-failed", YOUR_ERROR,
    "the backend raised an exception or returned something that cannot be called",
    runs="the piece",
    hint="a backend takes (graph, example inputs) and returns a callable",
)
NO_CODE = row(
    "J909", "no-code", NEVER,
    "there is no Python code to compile",
    runs="the whole call",
    hint="there is nothing to capture: put jitcore.compile on the Python function that calls it",
)
NO_ARRAYS = row(
    "J910", "no-arrays", COULD,
    "there is no array work here that compiling would make faster",
    runs="the whole function",
    hint="nothing needs to change; put jitcore.compile on the function that does the array work",
)
COMPILE_TIME = row(
    "J912", "compile-time", COULD,
    "compiling this piece takes longer than its code has run so far",
    runs="the piece, until its code has run for much longer",
    hint="loop over an array or a range, since loops over short lists are unrolled; or compile it"
    " before it is needed, by f.warmup(...)",
)
