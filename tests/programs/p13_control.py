"""Branches, loops, match: on constants, on data, with breaks in them."""

import numpy as np
from support.arrays import f8, positive
from support.program import program

LIMIT = 100


@program(lambda: (f8(4), True), lambda: (f8(4), False), lambda: (f8(4), []), lambda: (f8(4), 0.0))
def branch_on_an_argument(x, flag):
    if flag:
        y = x * 2
    else:
        y = x - 1
    return y + 1


@program(lambda: (f8(4),), lambda: (-f8(4),), lambda: (f8(4) * 0,))
def branch_on_data(x):
    if x.sum() > 0:
        y = x * 2
    elif x.sum() < 0:
        y = -x
    else:
        y = x + 100
    return y + 1


@program(lambda: (f8(4),))
def truth_of_an_array_raises(x):
    y = x + 1
    if y > 0:
        return y
    return x


@program(
    lambda: (np.array([2.0]),), lambda: (np.array([0.0]),), lambda: (np.array(3),), lambda: (f8(0),)
)
def truth_of_one_element(x):
    y = x * 1
    if y:
        return 1
    return 0


@program(lambda: (f8(3), 4), lambda: (f8(3), 0), lambda: (f8(3), 100))
def for_over_a_range(x, n):
    for i in range(n):
        x = x * 0.5 + i
    return x


@program(lambda: (f8(3), 3), lambda: (f8(3), 1), lambda: (f8(3), 60))
def for_with_a_print(x, n):
    for i in range(n):
        x = x * 0.5
        print("step", i, x.shape)
        x = x + 1
    return x


@program(lambda: (f8(5),), lambda: (f8(50),), lambda: (f8(0),))
def for_over_an_array(x):
    total = 0.0
    for v in x:
        if v > 0:
            total += v
    return total


@program(lambda: (f8(5),), lambda: (f8(50),))
def indexed_loop(x):
    y = np.zeros_like(x)
    for i in range(1, len(x) - 1):
        y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3
    return y


@program(lambda: (10.0,), lambda: (0.5,), lambda: (-3.0,))
def while_on_a_number(v):
    n = 0
    while v > 1:
        v = v / 2
        n += 1
    return v, n


@program(lambda: (f8(4),), lambda: (f8(4) * 1000,), lambda: (f8(4) * 0,))
def while_on_data(x):
    n = 0
    while abs(x).max() > 0.1:
        x = x * 0.5
        n += 1
        if n > 40:
            break
    return x, n


@program(lambda: (f8(4), 5), lambda: (f8(4), 100), lambda: (f8(4), 0))
def break_and_else(x, n):
    for i in range(n):
        x = x + 1
        if i == 7:
            print("broke")
            break
    else:
        print("else")
        x = x * 10
    return x


@program(lambda: (f8(4), 6), lambda: (f8(4), 30))
def continue_skips(x, n):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        x = x + i
        total += i
    return x, total


@program(lambda: (f8(2), 3, 2), lambda: (f8(2), 0, 5), lambda: (f8(2), 20, 20))
def nested_loops(x, n, m):
    for i in range(n):
        for j in range(m):
            if j > i:
                break
            x = x + i * j
        x = x * 0.9
    return x


@program(lambda: (3, 5), lambda: (0, 0))
def while_else_and_break_out_of_two(n, m):
    found = None
    i = 0
    while i < n:
        for j in range(m):
            if i * j == 4:
                found = (i, j)
                break
        else:
            i += 1
            continue
        break
    else:
        found = "none"
    return found, i


@program(lambda: (f8(3), 3), lambda: (f8(3), 9))
def early_return_from_a_loop(x, n):
    for i in range(5):
        x = x * 2
        if i == n:
            return x, i
    return x


@program(lambda: (f8(6),), lambda: (f8(60),))
def return_from_a_loop_on_data(x):
    for i, v in enumerate(x):
        y = x - v
        if y.max() > 3:
            return i, y
    return None


@program(lambda: (f8(3), "a"), lambda: (f8(3), "b"), lambda: (f8(3), 3), lambda: (f8(3), None))
def match_constants(x, kind):
    match kind:
        case "a" | "c":
            return x + 1
        case "b":
            return x * 2
        case int(n) if n > 2:
            return x * n
        case _:
            return x


@program(
    lambda: ((1, 2),),
    lambda: ([1, 2, 3],),
    lambda: ({"k": f8(2), "z": 1},),
    lambda: (1.5,),
    lambda: ((),),
)
def match_structures(value):
    match value:
        case (a, b):
            return a + b
        case [first, *rest]:
            return first, rest
        case {"k": array, **others}:
            return array * 2, others
        case float() as f:
            return f
        case []:
            return "empty"


class Pair:
    __match_args__ = ("left", "right")

    def __init__(self, left, right):
        self.left = left
        self.right = right


@program(lambda: (Pair(f8(2), 0),), lambda: (Pair(1, f8(2)),), lambda: (Pair(1, 2),), lambda: (3,))
def match_classes(value):
    match value:
        case Pair(np.ndarray() as a, 0):
            return a + 1
        case Pair(left=1, right=np.ndarray() as b):
            return b * 2
        case Pair(a, b) if a != b:
            return a, b
    return "no match"


@program(lambda: (f8(3), 1), lambda: (f8(3), 0))
def conditional_expressions(x, k):
    y = x * 2 if k else x - 1
    z = k and y
    w = k or x
    return y, z, w, not k, (x if x[0] > 0 else -x)


@program(lambda: (f8(3), 5), lambda: (f8(3), -5))
def assert_passes_or_raises(x, k):
    y = x * k
    assert k > 0, f"k is {k}"
    assert y.shape == (3,)
    return y


@program(lambda: (f8(3),), lambda: (-positive(3),))
def assert_on_data(x):
    y = x + 1
    assert (y > 0).any(), "all negative"
    return y


@program(lambda: (f8(3), [1, 2]), lambda: (f8(3), []), lambda: (f8(3), ["a"]))
def loop_over_a_list(x, items):
    for item in items:
        x = x + item
    return x


@program(
    lambda: ([1, 2, 3, 4],),
)
def list_changed_in_its_loop(items):
    for item in items:
        if item < 3:
            items.append(item + 10)
    return items


@program(lambda: ([f8(2), f8(2), f8(2)], f8(2)), lambda: ([], f8(2)))
def loop_over_zip_and_enumerate(arrays, x):
    out = []
    for i, (a, b) in enumerate(zip(arrays, range(9))):
        out.append(a * b + x[i % 2])
    return out


@program(lambda: (f8(3),))
def loop_variable_after_the_loop(x):
    for i in range(3):
        last = x * i
    return i, last


@program(lambda: (f8(3), 0), lambda: (f8(3), 2))
def loop_variable_may_be_unbound(x, n):
    for i in range(n):
        x = x + 1
    return x, i


@program(lambda: (f8(3), 40))
def prints_and_stores_in_a_long_loop(x, n):
    for i in range(n):
        x[i % 3] += i
        if i % 10 == 0:
            print(i, float(x.sum()) > 0)
    return x


@program(lambda: (300,), lambda: (1,))
def loop_over_python_ints(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@program(lambda: (f8(3), 30))
def integer_overflows_in_a_loop(x, n):
    k = 7
    for _ in range(n):
        k = k * k % 1000003 * 10**9
    return x, k


@program(lambda: (f8(3), 5))
def type_changes_in_a_loop(x, n):
    value = 0
    for i in range(n):
        value = value + x[0] if i == 2 else value + i
    return value, type(value)


@program(lambda: (f8(3), 5))
def loop_carried_shapes_grow(x, n):
    for i in range(n):
        x = np.append(x, x[-1] * i)
    return x


@program(lambda: ("abc",), lambda: ("",))
def loop_over_text_and_bytes(s):
    out = [c.upper() for c in s]
    for b in s.encode():
        out.append(b)
    return out


@program(lambda: (f8(3),))
def global_limit_in_a_while(x):
    n = 1
    while n < LIMIT:
        x = x + n
        n *= 2
    return x


@program(lambda: (f8(4),))
def stops_in_the_middle_of_an_expression(x):
    return (x * 2 + float(print("middle") is None)) * (x - 1)


@program(lambda: (f8(4),))
def several_breaks_in_a_row(x):
    x = x + 1
    print("a")
    print("b")
    x = x * 2
    print("c")
    return x - 1


@program(lambda: (f8(4), 3), lambda: (f8(4), 50))
def data_dependent_branch_in_a_loop(x, n):
    up = down = 0
    for _ in range(n):
        if x.sum() > 0:
            x = x - 0.7
            down += 1
        else:
            x = x + 0.5
            up += 1
    return x, up, down
