"""A break → the way out that its user reads: its row's, or a closer one where the detail says more.

    Break ─▶ inside a library, called from the user's line  →  FROM_OUTSIDE
          └▶ the first row of CLOSER with its code and a pattern that is found in the detail
          └▶ the row's own

Each row has an example, and what it became, in tests/breaks/.
"""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Iterable
from functools import cache

FROM_OUTSIDE = "this is inside {library}, which {place} calls: {way}"
WAYS = {
    "logging": "call it after the array work, or under `if log.isEnabledFor(logging.DEBUG):`",
    "copy": "copy arrays by x.copy()",
}
ELSE = "move that call out of the hot part, or write what it does with arrays"
LIBRARIES = tuple(
    sysconfig.get_path(name) + "/" for name in ("stdlib", "platstdlib", "purelib", "platlib")
)

NUMBERED_LOOPS = "write it as loops over ranges, one in the other: they are compiled"
SIZED = (
    "take sizes from an array's shape, or from arguments that are ints; "
    "one that is computed from an array's elements is only known at run time"
)
AFTER = "format strings after the array work, or outside the loop"
STAYS = "nothing needs to change: CPython makes this call, the rest stays compiled"
WHOLE = (
    "compute on the whole array, x.mean(axis=1) in place of a generator over the rows of x; else "
    "nothing needs to change: the loop's body stays compiled"
)
AT_THE_END = (
    "assign what the next iteration reads before the test, leave the loop by break, and use that "
    "name after it: `x = new`, `if done: break`, `return x`"
)
STRINGS = (
    "nothing needs to change: NumPy's functions of strings run in CPython, the rest stays "
    "compiled; in a hot loop, call them before the loop and pass the result in"
)
LARGE_DICT = (
    "a dict is compiled where it has at most 64 keys, all of them strings or numbers: read what is "
    "needed before the hot part"
)
BEGUN = "its body is compiled; in a function of its own, the loop is compiled from its start"
OBJECTS = "use a numeric dtype; keep arrays that belong together in a list or a dict"

CLOSER: tuple[tuple[str, str, str], ...] = (
    ("J201", r"^sorted\(|^list\.sort", "np.sort and np.argsort sort an array; sort a list of "
     "Python's numbers or arrays before the hot part"),
    ("J201", r"^(max|min)\(\) with key", "compute the keys as an array, and choose by np.argmax or "
     "np.argmin"),
    ("J201", r"^(str|repr|format)\b|^str\.", AFTER),
    ("J201", r"^isinstance\(", "compare the class itself, type(x) is C: no object can override "
     "that"),
    ("J202", "_lru_cache_wrapper", "call it before the hot part and pass the result in, or call "
     "the function behind the cache: f.__wrapped__(x)"),
    ("J202", "jitcore's own$", "call it where the compiled function is called"),
    ("J201", r"^(list|dict|set|tuple)\.\w+\(\)$", STAYS),
    ("J201", r"^len\(\) of ", "the length of a list, a tuple, a dict or an array is known: use one "
     "of these, or pass the length in"),
    ("J202", r"^ufunc ", f"{STAYS}; NumPy's own ufuncs are compiled"),
    ("J214", "dtype object", OBJECTS),
    ("J214", r"^the result of .* on a list$", STAYS),
    ("J214", "with a list, whose result", "give it an array, np.array([…]) of numbers"),
    ("J218", r"^(nditer|ndindex|ndenumerate|product|permutations|combinations)$", NUMBERED_LOOPS),
    ("J303", r"\b(nditer|ndindex|ndenumerate|product|permutations|combinations)\b",
     NUMBERED_LOOPS),
    ("J303", r"^all items of", "have NumPy do it on an array, np.sort(x) for example, or do it "
     "before and pass the result in"),
    ("J303", r"\b(frozen)?set\b", "a set has no fixed order: go through a list or a tuple "
     "of its items, made before"),
    ("J303", r"^it had begun", BEGUN),
    ("J303", r"^over an ndarray object", "jitcore does not look into arrays of objects: use a "
     "numeric dtype, or pass them in as a list, made by x.tolist() before the hot part"),
    ("J303", r"\b(generator|filter|map) object|^over an iterator that was made before", WHOLE),
    ("J304", "only the last iteration makes|an array with two names", AT_THE_END),
    ("J306", "only the last iteration makes|an array with two names", AT_THE_END),
    ("J304", "may be unset when", "give each variable that an iteration reads a value before the "
     "loop"),
    ("J304", r"^more than \d+ items", "have NumPy do it on an array: np.sort(x), x.max()"),
    ("J405", r"ndarray\.tolist", "elements of the array are numbers too: go through the array, "
     "and make the list after the array work"),
    ("J405", r"ndarray\.item", "x[i] is the element, and float(x[i]) or int(x[i]) Python's number"),
    ("J405", r"\bboolean indexing$", "np.where keeps the shape and stays in one graph, and so does "
     "a[mask] = f(b[mask]); np.count_nonzero(mask) counts"),
    ("J405", r"(nonzero|argwhere|unique\w*|where)$", "their number depends on the values: go on "
     "with the mask itself and np.where, or call it before the hot part"),
    ("J405", r"(^a slice|(zeros|ones|empty|full|arange|linspace|eye|reshape|repeat|tile))", SIZED),
    ("J501", r"^module numpy( has no char|\.char has no )", STRINGS),
    ("J501", r"^module .* has no", "write `from package import part` at the top of the file, or "
     "pass it in"),
    ("J501", r" of a deque object$", "keep the window in an array with an index, w[i % n] = value, "
     "or take it from the array, x[i - n : i]"),
    ("J501", r"^\.flat\b", "x.ravel() is a view of x with one axis where x is contiguous"),
    ("J501", r" of a dict object$", LARGE_DICT),
    ("J511", r"^a dict object\[", LARGE_DICT),
    ("J511", r"^a list object\[", "jitcore does not look into a list that Python makes at run "
     "time: go on with an array, np.sort(x) in place of sorted(x)"),
    ("J511", r"not a plain dict$", "pass a plain dict"),
    ("J903", r"sizes under dynamic=False$", "leave dynamic=False out of the options: one version "
     "then serves all sizes"),
    ("J903", r"sizes$", "keep to few sizes, or put what depends on them into a function of its own:"
     " a branch on an extent, a number of iterations; JITCORE_LOGS=+recompiles names it"),
    ("J903", r"dtypes or ranks$", "convert to one dtype and rank before the call, by x.astype(...) "
     "and x.reshape(...)"),
    ("J903", r"numbers$", "pass a number that changes as an array of one element, or use it where "
     "it makes no shape, slice or branch"),
    ("J903", r"objects$", "pass the same objects each time: a function that is made once, settings "
     "that keep their values"),
    ("J510", r"^\* of a (list|tuple) and", "np.zeros(n) and np.full(n, value) make what is then "
     "filled; a list that is known beforehand, [0] * 8, is compiled"),
)  # fmt: skip


@cache
def closer(code: str, detail: str) -> str | None:
    found = (hint for of, part, hint in CLOSER if of == code and re.search(part, detail))
    return next(found, None)


def from_outside(filename: str, callers: Iterable[tuple[str, str]]) -> str | None:
    """`callers` are the inlined calls' files and places, outermost first; None: the break is in
    the user's own file, or nobody's."""
    library = library_of(filename)
    mine = [where for file, where in callers if not library_of(file)]
    if not library or not mine:
        return None
    way = WAYS.get(library, ELSE)
    return FROM_OUTSIDE.format(library=library, place=mine[-1], way=way)


@cache
def library_of(filename: str) -> str:
    """The name of the library that a file belongs to; "" for a file of the user's."""
    if filename.startswith("<frozen "):
        return filename[len("<frozen ") : -1].split(".")[0]
    roots = [root for root in LIBRARIES if filename.startswith(root)]
    rest = filename[len(max(roots, key=len)) :] if roots else ""
    if "site-packages/" in filename:
        rest = filename.rsplit("site-packages/", 1)[1]
    return rest.split("/")[0].removesuffix(".py")
