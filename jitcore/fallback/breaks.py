"""THE BREAK TABLE: kind × place → the text that a user reads.

One row per reason to leave a piece of a program to CPython. The code (`J301`) is stable: it may be
retired, but never means anything else. `J1xx` instructions · `J2xx` calls · `J3xx` control flow ·
`J4xx` arrays · `J5xx` objects and effects · `J9xx` whole frames.

    vm.stop(KIND, detail)  raises BreakSignal, from any depth
            one except     signal.at(place) → Break, from then on a value

`docs/breaks.md` is generated from the rows (`make docs`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from types import CodeType

from jitcore.fallback.hints import closer, from_outside


class HintClass(Enum):
    """Whose move it is."""

    OUR_BUG = "our bug"
    YOUR_ERROR = "your program fails here too"
    COULD = "can be supported"
    NEVER = "can never be compiled"


@dataclass(frozen=True)
class BreakKind:
    """A row: what happened, what CPython runs because of it, and the way out."""

    code: str
    name: str
    what: str
    hint: str
    runs: str
    hint_class: HintClass


@dataclass(frozen=True)
class Place:
    """Where in a source file; lines count from 1, columns from 0, None: not known."""

    filename: str
    lineno: int | None
    end_lineno: int | None
    col: int | None
    end_col: int | None
    function: str

    def __str__(self) -> str:
        if not self.filename:
            return self.function
        return f"{self.filename}:{self.lineno or '?'} in {self.function}"


@dataclass(frozen=True)
class Break:
    """A break that happened; `via` are the inlined calls that led to it, outermost first."""

    kind: BreakKind
    detail: str
    place: Place
    via: tuple[Place, ...] = ()

    @property
    def code(self) -> str:
        return self.kind.code

    @property
    def filename(self) -> str:
        return self.place.filename

    @property
    def lineno(self) -> int | None:
        return self.place.lineno

    @property
    def function(self) -> str:
        return self.place.function

    @property
    def where(self) -> str:
        """The place, and for an inlined function the call that led there."""
        return f"{self.place}, called from {self.via[0]}" if self.via else str(self.place)

    @property
    def reason(self) -> str:
        return f"{self.kind.what}: {self.detail}" if self.detail else self.kind.what

    @property
    def hint(self) -> str:
        """The closest way out (jitcore/fallback/hints.py)."""
        callers = [(place.filename, f"{place.filename}:{place.lineno}") for place in self.via]
        outside = from_outside(self.filename, callers)
        return outside or closer(self.code, self.detail) or self.kind.hint

    def __str__(self) -> str:
        return f"{self.code} {self.where}: {self.reason}. Hint: {self.hint}"


class BreakSignal(Exception):
    """Raised by `vm.stop`, caught in one place; never reaches a user."""

    def __init__(self, kind: BreakKind, detail: str = "", fence: int | None = None) -> None:
        super().__init__(f"{kind.code} {kind.name}: {detail}")
        self.kind = kind
        self.detail = detail
        self.fence = fence  # the instruction of the outermost frame that is to be CPython's

    def at(self, place: Place, via: Sequence[Place] = ()) -> Break:
        return Break(self.kind, self.detail, place, tuple(via))


Position = tuple[int | None, int | None, int | None, int | None]
"""(lineno, end_lineno, col, end_col), the order of `dis.Positions` and `co_positions()`."""


def place_of(code: CodeType, position: Position | None = None) -> Place:
    """The place of an instruction of `code`; without a position, the function's first line."""
    line, end_line, col, end_col = position or (code.co_firstlineno, None, None, None)
    line = code.co_firstlineno if line is None else line
    return Place(code.co_filename, line, end_line, col, end_col, code.co_qualname)


KINDS: dict[str, BreakKind] = {}

OUR_BUG, YOUR_ERROR, COULD, NEVER = HintClass


def _row(
    code: str, name: str, hint_class: HintClass, what: str, *, runs: str, hint: str
) -> BreakKind:
    kind = BreakKind(code, name, what, hint, runs, hint_class)
    assert code not in KINDS, code
    KINDS[code] = kind
    return kind


# fmt: off
# J1xx: instructions

UNSUPPORTED_OPCODE = _row(
    "J101", "unsupported-opcode", COULD,
    "an instruction that jitcore does not capture",
    runs="the instruction",
    hint="it costs only itself; in a hot loop, move the statement out of the loop",
)
YIELD = _row(
    "J102", "yield", NEVER,
    "the generator hands a value to its caller",
    runs="the yield; the next region starts where the generator goes on",
    hint="nothing needs to change: code between two yields is compiled; put more array work "
    "between them, or return a list of the results",
)
AWAIT = _row(
    "J103", "await", NEVER,
    "the coroutine waits for something",
    runs="the await; the next region starts where the coroutine goes on",
    hint="nothing needs to change: code between two awaits is compiled; "
    "put the array work into a plain function",
)
IMPORT = _row(
    "J104", "import", NEVER,
    "an import inside a function",
    runs="the import statement",
    hint="move the import to the top of the module",
)
NAMESPACE = _row(
    "J105", "namespace", COULD,
    "a name in a namespace dict that is bound for the first time, or not a module's own",
    runs="the access",
    hint="move the code into a function",
)
RAISE = _row(
    "J108", "raise", NEVER,
    "an exception is raised that leaves the function, is kept, or is looked at",
    runs="the raise statement, with the traceback that it should have",
    hint="nothing needs to change: a path that raises is CPython's; the others are compiled, and "
    "so is an exception that is caught here if nothing but its arguments is used",
)
WITH = _row(
    "J110", "with", COULD,
    "a with block on a context manager that is not written in Python, or on an np.errstate that "
    "does more than ignore and warn, or that CPython has entered",
    runs="entering and leaving the block; its body is compiled",
    hint="nothing needs to change: its body is compiled; in a hot loop, enter the block once "
    "around the loop, or where the function is called",
)
ASYNC = _row(
    "J111", "async", NEVER,
    "an async for, async with or async comprehension",
    runs="the statement; plain code in its body is compiled",
    hint="only CPython can do this: put the array work into a plain function",
)
CLASS_DEFINITION = _row(
    "J112", "class-definition", NEVER,
    "a class is defined inside a function",
    runs="the class statement",
    hint="define the class at module level",
)
GENERATOR_ESCAPES = _row(
    "J113", "generator-escapes", COULD,
    "a generator expression that is not consumed in place",
    runs="making the generator; its body has regions of its own",
    hint="pass it directly to the function that consumes it, or write a list comprehension",
)
FUNCTION_ESCAPES = _row(
    "J114", "function-escapes", COULD,
    "a function made here outlives the compiled piece",
    runs="the def or lambda",
    hint="define it outside and pass what it captures as arguments",
)
PATTERN = _row(
    "J115", "pattern", COULD,
    "a match pattern that jitcore does not capture",
    runs="the match statement; its case bodies are compiled",
    hint="test with isinstance and plain comparisons",
)
UNBOUND = _row(
    "J116", "unbound", YOUR_ERROR,
    "a name that is not bound here",
    runs="the instruction, which raises NameError",
    hint="look for a misspelt name, and assign the variable on every path that leads here",
)

# J2xx: calls

UNKNOWN_BUILTIN = _row(
    "J201", "unknown-builtin", COULD,
    "a call of a function written in C that jitcore does not know",
    runs="the call",
    hint="use a NumPy function for it, or move the call before or after the array work",
)
UNKNOWN_CALLABLE = _row(
    "J202", "unknown-callable", COULD,
    "a call of an object that jitcore cannot look into",
    runs="the call",
    hint="call a plain function or a method of a plain class",
)
PRINT = _row(
    "J204", "print", COULD,
    "output is written",
    runs="the call",
    hint="numbers and texts stay in the graph where standard output is a file, a pipe or a "
    "StringIO; print anything else after the array work, or where the function is called",
)
IO = _row(
    "J205", "input-output", NEVER,
    "a file, stream, process or other outside thing is read or written",
    runs="the call",
    hint="only CPython can do this: read before the compiled function and pass arrays in, write "
    "what it returns",
)
RANDOM = _row(
    "J206", "random", NEVER,
    "random numbers are drawn",
    runs="the call, so that the stream of numbers stays the same",
    hint="only CPython can do this, as the stream of numbers stays the same: draw all in one call "
    "before the hot part and pass them in",
)
USER_BREAK = _row(
    "J207", "graph-break", NEVER,
    "jitcore.graph_break() was called",
    runs="the call",
    hint="remove the call to compile across it",
)
DISABLED = _row(
    "J208", "disabled", NEVER,
    "jitcore.disable leaves this to CPython",
    runs="the call or block, and everything that it calls",
    hint="remove jitcore.disable to compile it",
)
RECURSION_LIMIT = _row(
    "J209", "recursion-limit", COULD,
    "calls nest deeper than jitcore inlines",
    runs="the call; the called function has regions of its own",
    hint="write the recursion as a loop",
)
GENERATOR_CALL = _row(
    "J210", "generator-call", COULD,
    "a generator function is called",
    runs="the call; the generator's body has regions of its own",
    hint="write the generator as a loop in place, or return a list",
)
CALLBACK = _row(
    "J211", "callback", COULD,
    "a function that calls back into Python code",
    runs="the call; the function that is called back has regions of its own",
    hint="write the loop or the array expression in place",
)
NUMPY_EFFECT = _row(
    "J213", "numpy-effect", NEVER,
    "a NumPy function with effects outside its arguments",
    runs="the call",
    hint="only CPython can do this: call it once outside the compiled function",
)
NUMPY_UNSUPPORTED = _row(
    "J214", "numpy-unsupported", COULD,
    "a NumPy function or a form of it that jitcore does not capture",
    runs="the call",
    hint="the call costs only itself; a ufunc or an array method in its place would be captured",
)
BAD_ARGUMENTS = _row(
    "J215", "bad-arguments", YOUR_ERROR,
    "the arguments do not fit the called function",
    runs="the call, which raises TypeError",
    hint="pass the arguments that the function declares",
)
NOT_CALLABLE = _row(
    "J216", "not-callable", YOUR_ERROR,
    "the called object is not callable",
    runs="the call, which raises TypeError",
    hint="look at what was assigned to the name",
)
COROUTINE_CALL = _row(
    "J217", "coroutine-call", NEVER,
    "a coroutine function is called",
    runs="the call; the coroutine's body has regions of its own",
    hint="put the array work into a plain function",
)
CLASS_CALL = _row(
    "J218", "class-call", COULD,
    "an object is made of a class that jitcore does not model",
    runs="the call; the class's __init__ has regions of its own",
    hint="make the object outside the hot part, or use a plain class or a dataclass",
)
OUTSIDE_WORLD = _row(
    "J219", "outside-world", NEVER,
    "a value of the outside world is read (a clock, the id of an object)",
    runs="the call",
    hint="only CPython can do this: read it outside the compiled function and pass it in",
)
INTROSPECTION = _row(
    "J220", "introspection", NEVER,
    "code that looks at its own frame or namespace (locals, globals, eval, exec, sys._getframe)",
    runs="the call, with every variable in its place",
    hint="only CPython has a frame to look at: pass the values as arguments",
)
WARN = _row(
    "J221", "warn", NEVER,
    "a warning is issued",
    runs="the call",
    hint="nothing needs to change: the path that warns is CPython's; a warning that comes each "
    "time belongs where the function is called",
)
COMPILED_APART = _row(
    "J222", "compiled-apart", COULD,
    "a call of a compiled function that cannot be in its caller's graph",
    runs="the call; the function has graphs of its own",
    hint="compile both with the same backend= and numerics=, and keep signature= for the function "
    "that others call",
)

# J3xx: control flow

BRANCH = _row(
    "J301", "branch", COULD,
    "a branch on a value that is known only at run time",
    runs="the test and the jump; both arms are compiled when they are reached",
    hint="where both arms are cheap, compute both and choose by np.where; the test that ends a "
    "loop or raises costs only itself: do more array work between two of them",
)
LOOP_UNKNOWN = _row(
    "J303", "loop-unknown", COULD,
    "a loop over an iterable whose length is not known before it runs",
    runs="the loop's header; its body is compiled and hit on every iteration",
    hint="loop over a list, a tuple or a range, or write the loop as an array expression",
)
LOOP_LONG = _row(
    "J304", "loop-long", COULD,
    "a loop too long to unroll",
    runs="the loop's header; its body is compiled and hit on every iteration",
    hint="leave out what the reason names, or write the loop as an array expression; else do more "
    "array work in each iteration",
)
UNROLL_BUDGET = _row(
    "J305", "unroll-budget", COULD,
    "unrolled loops would make the graph too large",
    runs="the loop's header; its body is compiled and hit on every iteration",
    hint="write the inner loop as an array expression",
)
WHILE = _row(
    "J306", "while", COULD,
    "a while loop",
    runs="the loop's test; its body is compiled and hit on every iteration",
    hint="write it as a for loop over a range where the number of rounds is known",
)
ITERATOR_SHARED = _row(
    "J307", "iterator-shared", COULD,
    "an iterator that is also used outside the compiled piece",
    runs="the step of the iterator",
    hint="go through it in one statement, or keep its items in a list",
)
GRAPH_TOO_LARGE = _row(
    "J308", "graph-too-large", COULD,
    "the graph has reached its largest size",
    runs="nothing: the next region starts here",
    hint="nothing needs to change; a loop in place of repeated code makes smaller graphs",
)
RUNTIME_VALUE = _row(
    "J310", "runtime-value", COULD,
    "Python needs the value of something that is computed at run time",
    runs="the instruction; the next region starts with the value",
    hint="keep it an array, or compute it outside and pass it in",
)

# J4xx: arrays

SUBCLASS = _row(
    "J401", "subclass", COULD,
    "an array of a subclass of ndarray (matrix, masked array, memmap, recarray, your own)",
    runs="the operation, with the methods of the subclass",
    hint="call the function with np.asarray(x), if the subclass's behaviour is not needed",
)
DTYPE_OBJECT = _row(
    "J402", "dtype-object", NEVER,
    "an array of Python objects (dtype object)",
    runs="the operation, object by object",
    hint="each object does its own work: call the function with an array of a numeric dtype",
)
DTYPE_UNSUPPORTED = _row(
    "J404", "dtype-unsupported", COULD,
    "an array of a dtype that jitcore does not capture",
    runs="the operation",
    hint="call the function with an array of bool, an integer, float16/32/64 or complex64/128: "
    "codes in place of strings, for example",
)
RESULT_TYPE_UNKNOWN = _row(
    "J405", "result-type-unknown", COULD,
    "the type or shape of the result is known only when it is there",
    runs="the operation; the next region starts with its result",
    hint="it costs only itself; in a hot loop, call it before the loop and pass the result in",
)
TRUTH_AMBIGUOUS = _row(
    "J406", "truth-ambiguous", YOUR_ERROR,
    "the truth value of an array with more than one element",
    runs="the test, which raises ValueError",
    hint="use .any() or .all(), or np.where",
)
STORE_INLINED = _row(
    "J408", "store-inlined", COULD,
    "an inlined function writes into an array that its caller can see",
    runs="the call; the called function has regions of its own",
    hint="return what is to be stored, and let the caller store it",
)
LOUD_INLINED = _row(
    "J409", "loud-inlined", COULD,
    "an inlined function does something that may warn",
    runs="the call; the called function has regions of its own",
    hint="put the operation into the compiled function itself",
)
ARRAY_PROTOCOL = _row(
    "J410", "array-protocol", COULD,
    "an object that takes part in NumPy calls by a protocol "
    "(__array__, __array_ufunc__, __array_function__)",
    runs="the call, with the object's own methods",
    hint="pass a plain array, np.asarray(x), or a number, float(x)",
)
NUMPY_RAISES = _row(
    "J411", "numpy-raises", YOUR_ERROR,
    "NumPy raises an exception for these operands",
    runs="the operation, which raises",
    hint="check shapes, dtypes and indices",
)
ARRAY_CHANGED = _row(
    "J412", "array-changed", COULD,
    "an array's own shape, strides, dtype or flags are changed in place",
    runs="the statement; the next region starts with the changed array",
    hint="use reshape, view or astype, which make a new array",
)
MEMORY_ESCAPES = _row(
    "J413", "memory-escapes", NEVER,
    "an array's memory is handed out (a buffer, a pointer, ctypes)",
    runs="the call",
    hint="only CPython can do this: take the pointer outside the compiled function; nbytes, shape "
    "and strides are the array's own",
)

# J5xx: objects and effects

ATTRIBUTE = _row(
    "J501", "attribute", COULD,
    "an attribute of an object that jitcore does not model",
    runs="the access",
    hint="read it before the hot part and pass the value in",
)
CUSTOM_ATTRIBUTE = _row(
    "J502", "custom-attribute", COULD,
    "a class with its own __getattr__, __getattribute__ or __setattr__",
    runs="the access; the method has regions of its own",
    hint="use a plain attribute or a property",
)
DESCRIPTOR = _row(
    "J503", "descriptor", COULD,
    "an attribute whose access runs code that jitcore does not know",
    runs="the access",
    hint="use a plain attribute, a property or a method",
)
MISSING_ATTRIBUTE = _row(
    "J504", "missing-attribute", YOUR_ERROR,
    "the object has no such attribute",
    runs="the access, which raises AttributeError",
    hint="set the attribute before, or use getattr with a default",
)
CONTAINER_MUTATION = _row(
    "J505", "container-mutation", COULD,
    "a container is changed in a way that jitcore cannot hold back",
    runs="the statement",
    hint="build a new container, or change it outside the hot part",
)
GLOBAL_WRITE = _row(
    "J507", "global-write", COULD,
    "a global variable is written in a way that jitcore does not capture",
    runs="the statement",
    hint="return the value and let the caller store it",
)
UNGUARDABLE = _row(
    "J508", "unguardable", COULD,
    "a value that jitcore cannot check cheaply on the next call",
    runs="the use of the value",
    hint="pass it as an array, a number, a string or a plain object",
)
FORMAT = _row(
    "J509", "format", COULD,
    "text is made of a value that is computed at run time",
    runs="the formatting",
    hint="a number's text stays in the graph, if it is only printed, kept or returned; of anything "
    "else return the value, and make the text where it is called",
)
OPERATOR = _row(
    "J510", "operator", COULD,
    "an operator on objects that jitcore does not model",
    runs="the operation; Python methods that it calls have regions of their own",
    hint="do it before and pass what comes out in, or write it on arrays and numbers",
)
CONTAINER_TYPE = _row(
    "J511", "container-type", COULD,
    "a container of a type that jitcore does not model",
    runs="the access",
    hint="use a list, tuple, dict or set",
)
PYTHON_RAISES = _row(
    "J512", "python-raises", YOUR_ERROR,
    "Python raises an exception here",
    runs="the instruction, which raises",
    hint="check keys, indices, lengths and operand types",
)
ATTRIBUTE_WRITE = _row(
    "J513", "attribute-write", COULD,
    "an attribute is set on an object where that may run code or fail",
    runs="the statement",
    hint="set plain attributes of plain objects",
)
TYPE_UNSUPPORTED = _row(
    "J514", "type-unsupported", COULD,
    "a value of a type that jitcore does not model",
    runs="the instruction",
    hint="pass arrays, numbers, strings, tuples, lists, dicts or plain objects, or what is asked "
    "of the value",
)

# J9xx: whole frames

TRACED = _row(
    "J901", "traced", NEVER,
    "a tracer, profiler or monitoring tool watches this thread",
    runs="the whole function, as long as it is watched",
    hint="run without the debugger, coverage or profiler to see jitcore's speed",
)
CODE_TOO_LARGE = _row(
    "J902", "code-too-large", COULD,
    "the function is too long to be analysed",
    runs="the whole function",
    hint="write what repeats as a loop, or split it into several functions",
)
CACHE_LIMIT = _row(
    "J903", "cache-limit", COULD,
    "this place was compiled for as many kinds of input as are allowed",
    runs="the piece, for other kinds of input",
    hint="keep ranks and dtypes the same, pass changing numbers as arrays,"
    " leave extents out of branches, and dynamic=False out of the options",
)
ERROR_STATE = _row(
    "J904", "error-state", NEVER,
    "floating-point errors or warnings are set to raise, call or log",
    runs="all up to where a with block begins or ends, so that each error names its own line",
    hint="only CPython raises at the right line: call it under np.errstate(...='warn') or "
    "'ignore'",
)
INTERNAL = _row(
    "J906", "internal", OUR_BUG,
    "jitcore failed on this piece",
    runs="the piece; its result is CPython's",
    hint="please report it with the text above and the function",
)
BACKEND_FAILED = _row(
    "J908", "backend-failed", YOUR_ERROR,
    "the backend raised an exception or returned something that cannot be called",
    runs="the piece",
    hint="a backend takes (graph, example inputs) and returns a callable",
)
NO_CODE = _row(
    "J909", "no-code", NEVER,
    "there is no Python code to compile",
    runs="the whole call",
    hint="there is nothing to capture: put jitcore.compile on the Python function that calls it",
)
NO_ARRAYS = _row(
    "J910", "no-arrays", COULD,
    "there is no array work here that compiling would make faster",
    runs="the whole function",
    hint="nothing needs to change; put jitcore.compile on the function that does the array work",
)
# fmt: on
