"""Breaks J2xx: calls."""

from jitcore.fallback.breaks.kind import COULD, NEVER, YOUR_ERROR, row

# fmt: off
UNKNOWN_BUILTIN = row(
    "J201", "unknown-builtin", COULD,
    "a call of a builtin that jitcore does not capture, or not with these arguments",
    runs="the call",
    hint="use a NumPy function for it, or move the call before or after the array work",
)
UNKNOWN_CALLABLE = row(
    "J202", "unknown-callable", COULD,
    "a call of an object that jitcore cannot look into",
    runs="the call",
    hint="call a plain function or a method of a plain class",
)
PRINT = row(
    "J204", "print", COULD,
    "output is written",
    runs="the call",
    hint="numbers and strings stay in the graph where standard output is a file, a pipe or a "
    "StringIO; print anything else after the array work, or where the function is called",
)
IO = row(
    "J205", "input-output", NEVER,
    "a file, a stream, a process or the like is read or written",
    runs="the call",
    hint="only CPython can do this: read before the compiled function and pass arrays in, write "
    "what it returns",
)
RANDOM = row(
    "J206", "random", NEVER,
    "random numbers are drawn",
    runs="the call, so that the stream of numbers stays the same",
    hint="only CPython can do this, as the stream of numbers stays the same: draw all in one call "
    "before the hot part and pass them in",
)
USER_BREAK = row(
    "J207", "graph-break", NEVER,
    "jitcore.graph_break() was called",
    runs="the call",
    hint="remove the call to compile across it",
)
DISABLED = row(
    "J208", "disabled", NEVER,
    "jitcore.disable applies: CPython runs this",
    runs="the call or block, and everything that it calls",
    hint="remove jitcore.disable to compile it",
)
RECURSION_LIMIT = row(
    "J209", "recursion-limit", COULD,
    "calls nest deeper than jitcore inlines",
    runs="the call; the called function is compiled by itself",
    hint="write the recursion as a loop",
)
GENERATOR_CALL = row(
    "J210", "generator-call", COULD,
    "a generator function is called",
    runs="the call; the generator's body is compiled by itself",
    hint="write the generator as a loop in place, or return a list",
)
CALLBACK = row(
    "J211", "callback", COULD,
    "a function that calls back into Python code",
    runs="the call; the function that is called back is compiled by itself",
    hint="write the loop or the array expression in place",
)
NUMPY_EFFECT = row(
    "J213", "numpy-effect", NEVER,
    "a NumPy function with effects outside its arguments",
    runs="the call",
    hint="only CPython can do this: call it once outside the compiled function",
)
NUMPY_UNSUPPORTED = row(
    "J214", "numpy-unsupported", COULD,
    "a NumPy function or a form of it that jitcore does not capture",
    runs="the call",
    hint="the rest stays compiled; a ufunc or an array method in its place would be captured",
)
BAD_ARGUMENTS = row(
    "J215", "bad-arguments", YOUR_ERROR,
    "the arguments do not fit the called function",
    runs="the call, which raises TypeError",
    hint="pass the arguments that the function declares",
)
NOT_CALLABLE = row(
    "J216", "not-callable", YOUR_ERROR,
    "the called object is not callable",
    runs="the call, which raises TypeError",
    hint="look at what was assigned to the name",
)
COROUTINE_CALL = row(
    "J217", "coroutine-call", NEVER,
    "a coroutine function is called",
    runs="the call; the coroutine's body is compiled by itself",
    hint="put the array work into a plain function",
)
CLASS_CALL = row(
    "J218", "class-call", COULD,
    "an instance is made of a class that jitcore does not model",
    runs="the call; the class's __init__ is compiled by itself",
    hint="make the object outside the hot part, or use a plain class or a dataclass",
)
OUTSIDE_WORLD = row(
    "J219", "outside-world", NEVER,
    "a value is read that differs from run to run (a clock, the id of an object)",
    runs="the call",
    hint="only CPython can do this: read it outside the compiled function and pass it in",
)
INTROSPECTION = row(
    "J220", "introspection", NEVER,
    "code that looks at its own frame or namespace (locals, globals, eval, exec, sys._getframe)",
    runs="the call, with every variable in its place",
    hint="only CPython has a frame to look at: pass the values as arguments",
)
WARN = row(
    "J221", "warn", NEVER,
    "a warning is issued",
    runs="the call",
    hint="nothing needs to change: the path that warns is CPython's; a warning that comes each "
    "time belongs where the function is called",
)
COMPILED_APART = row(
    "J222", "compiled-apart", COULD,
    "a call of a compiled function that cannot be in its caller's graph",
    runs="the call; the function is compiled by itself",
    hint="compile both with the same backend= and numerics=, and keep signature= for the function "
    "that others call",
)
