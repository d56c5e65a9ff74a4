"""Breaks J3xx: control flow."""

from jitcore.fallback.breaks.kind import COULD, row

LOOP_COST = "CPython runs the loop, jitcore its body"

# fmt: off
BRANCH = row(
    "J301", "branch", COULD,
    "a branch on a value that is only known at run time",
    runs="the test and the jump; both arms are compiled when they are reached",
    hint="where both arms are cheap, compute both and choose by np.where; a test that ends a loop "
    "or raises needs no change: the rest stays compiled",
)
LOOP_UNKNOWN = row(
    "J303", "loop-unknown", COULD,
    "a loop whose items are not known before it runs",
    runs="the loop's header; its body is compiled, and runs at each iteration",
    hint="loop over a list, a tuple or a range, or write the loop as an array expression",
)
LOOP_LONG = row(
    "J304", "loop-long", COULD,
    "a loop too long to unroll",
    runs="the loop's header; its body is compiled, and runs at each iteration",
    hint="leave out what the reason names, or write the loop as an array expression; else do more "
    "array work in each iteration",
    whole=True,
)
UNROLL_BUDGET = row(
    "J305", "unroll-budget", COULD,
    "unrolled loops would make the graph too large",
    runs="the loop's header; its body is compiled, and runs at each iteration",
    hint="write the inner loop as an array expression",
)
WHILE = row(
    "J306", "while", COULD,
    "CPython runs this while loop, jitcore its body",
    runs="the loop's test; its body is compiled, and runs at each iteration",
    hint="write it as a for loop over a range where the number of iterations is known, or leave "
    "out what the reason names; else nothing needs to change: its body stays compiled",
    whole=True,
)
ITERATOR_SHARED = row(
    "J307", "iterator-shared", COULD,
    "an iterator that is also used outside the compiled piece",
    runs="the step of the iterator",
    hint="go through it in one statement, or keep its items in a list",
)
GRAPH_TOO_LARGE = row(
    "J308", "graph-too-large", COULD,
    "the graph is at its size limit",
    runs="nothing: another graph starts here",
    hint="nothing needs to change; a loop in place of repeated code makes smaller graphs",
)
RUNTIME_VALUE = row(
    "J310", "runtime-value", COULD,
    "Python needs a value that is only computed at run time",
    runs="the instruction; compiled code goes on with the value",
    hint="keep it an array, or compute it outside and pass it in",
)
