"""Breaks J1xx: instructions."""

from jitcore.fallback.breaks.kind import COULD, NEVER, YOUR_ERROR, row

# fmt: off
UNSUPPORTED_OPCODE = row(
    "J101", "unsupported-opcode", COULD,
    "an instruction that jitcore does not capture",
    runs="the instruction",
    hint="nothing needs to change: CPython runs this, the rest stays compiled; in a hot loop, move "
    "the statement out of the loop",
)
YIELD = row(
    "J102", "yield", NEVER,
    "the generator hands a value to its caller",
    runs="the yield; compiled code goes on where the generator resumes",
    hint="nothing needs to change: code between two yields is compiled; put more array work "
    "between them, or return a list of the results",
)
AWAIT = row(
    "J103", "await", NEVER,
    "the coroutine waits for something",
    runs="the await; compiled code goes on where the coroutine resumes",
    hint="nothing needs to change: code between two awaits is compiled; "
    "put the array work into a plain function",
)
IMPORT = row(
    "J104", "import", NEVER,
    "an import inside a function",
    runs="the import statement",
    hint="move the import to the top of the module",
)
NAMESPACE = row(
    "J105", "namespace", COULD,
    "a name in a namespace dict is bound for the first time, or the dict is not a module's own",
    runs="the access",
    hint="move the code into a function",
)
RAISE = row(
    "J108", "raise", NEVER,
    "an exception leaves the function, is kept, or is looked at",
    runs="the raise statement, so that its traceback is right",
    hint="nothing needs to change: a path that raises is CPython's; the others are compiled, and "
    "so is an exception that is caught here if nothing but its arguments is used",
)
WITH = row(
    "J110", "with", COULD,
    "a with block on a context manager that is not written in Python, or on an np.errstate that "
    "does more than ignore and warn, or that CPython has entered",
    runs="entering and leaving the block; its body is compiled",
    hint="nothing needs to change: its body is compiled; in a hot loop, enter the block once "
    "around the loop, or where the function is called",
)
ASYNC = row(
    "J111", "async", NEVER,
    "an async for, async with or async comprehension",
    runs="the statement; plain code in its body is compiled",
    hint="only CPython can do this: put the array work into a plain function",
)
CLASS_DEFINITION = row(
    "J112", "class-definition", NEVER,
    "a class is defined inside a function",
    runs="the class statement",
    hint="define the class at module level",
)
GENERATOR_ESCAPES = row(
    "J113", "generator-escapes", COULD,
    "a generator expression that is not consumed in place",
    runs="making the generator; its body is compiled by itself",
    hint="compute on the whole array, x.mean(axis=1) in place of a generator over the rows of x; "
    "else nothing needs to change: its body stays compiled",
)
FUNCTION_ESCAPES = row(
    "J114", "function-escapes", COULD,
    "a function made here must exist outside the compiled piece",
    runs="the def or lambda",
    hint="define it outside and pass what it captures as arguments",
)
PATTERN = row(
    "J115", "pattern", COULD,
    "a match pattern that jitcore does not capture",
    runs="the match statement; its case bodies are compiled",
    hint="test with isinstance and plain comparisons",
)
UNBOUND = row(
    "J116", "unbound", YOUR_ERROR,
    "a name that is not bound here",
    runs="the instruction, which raises NameError",
    hint="look for a misspelt name, and assign the variable on every path that leads here",
)
