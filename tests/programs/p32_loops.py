"""Loops of scalar code: numbers carried from round to round, elements of arrays, ways out."""

import math

import numpy as np
from support.arrays import c16, f4, f8, fortran, i4, i8, ints, special, strided, u1
from support.program import program


@program(lambda: (f8(50), 50), lambda: (f4(50), 50), lambda: (i8(50), 40), lambda: (f8(50), 0))
def sum_from_int(x, n):
    s = 0
    for i in range(n):
        s += x[i]
    return s


@program(lambda: (f8(50), 50), lambda: (f8(50), -3), lambda: (f8(2), 2))
def sum_where_positive(x, n):
    s = 0.0
    for i in range(n):
        if x[i] > 0:
            s += x[i]
    return s


@program(lambda: (f8(5), 9))
def index_runs_out(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
        x[i] = -1.0
    return s


@program(lambda: (f8(7, 9),), lambda: (fortran(f8(7, 9)),), lambda: (strided(f8(7, 9)),))
def nested(x):
    n, m = x.shape
    best = -1e300
    at = (0, 0)
    for i in range(n):
        for j in range(m):
            if x[i, j] > best:
                best = x[i, j]
    return best, at


@program(lambda: (f8(40),), lambda: (np.abs(f8(40)) + 9,))
def break_leaves_with_else(x):
    found = -1
    for i in range(40):
        if x[i] < -1.5:
            found = i
            break
    else:
        found = 1000
    return found, i


@program(lambda: (f8(60),))
def continue_skips(x):
    s = 0.0
    count = 0
    for i in range(60):
        if x[i] < 0:
            continue
        s += x[i]
        count += 1
    return s, count


@program(lambda: (f8(60), -1.0), lambda: (f8(60), -100.0))
def return_from_within(x, limit):
    for i in range(60):
        for j in range(3):
            if x[i] + j < limit:
                return i, j
    return None


@program(lambda: (1.5, 40), lambda: (-0.3, 2000), lambda: (0.2, 10), lambda: (3, 5))
def logistic(x, n):
    k = 0
    while x * x < 4.0 and k < n:
        x = x * x - 0.7
        k += 1
    return x, k


@program(lambda: (27,), lambda: (97,), lambda: (1,), lambda: (0,))
def collatz(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@program(lambda: (200,), lambda: (30,), lambda: (0,), lambda: (-1,))
def fibonacci_grows_beyond_64_bits(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@program(lambda: (f8(9, 9) + 9 * np.eye(9),))
def cholesky(a):
    n = a.shape[0]
    a = a @ a.T
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(i):
            a[i, i] -= a[i, k] * a[i, k]
        a[i, i] = np.sqrt(a[i, i])
    return a


@program(
    lambda: (f8(12, 12), 4),
)
def gauss_seidel(a, steps):
    n = a.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i, j] + a[i, j + 1] + a[i + 1, j]) / 5.0


@program(lambda: (u1(64),))
def crc16(data):
    crc = 0xFFFF
    for k in range(len(data)):
        byte = int(data[k])
        current = 0xFF & byte
        for _ in range(8):
            if (crc & 0x0001) ^ (current & 0x0001):
                crc = (crc >> 1) ^ 0x8408
            else:
                crc >>= 1
            current >>= 1
    crc = ~crc & 0xFFFF
    return (crc << 8) | ((crc >> 8) & 0xFF)


@program(lambda: (ints(8, 8),))
def floyd_warshall(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, j] > d[i, k] + d[k, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


@program(lambda: ([3, 1, 2], [1, 2]), lambda: (i8(12), i8(9, seed=3)))
def levenshtein(a, b):
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1), dtype=np.int64)
    for i in range(n + 1):
        d[i, 0] = i
    for j in range(m + 1):
        d[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[n, m]


@program(lambda: (special(), 12), lambda: (special("f4"), 12))
def divisions_that_warn(x, n):
    s = np.float64(0)
    for i in range(n):
        for j in range(n):
            s = x[i] / x[j]
            if s == s:
                x[j] = s
    return s


@program(lambda: (f8(20), 0.0), lambda: (f8(20), 2.0))
def python_division_by_zero(x, d):
    s = 1.0
    for i in range(20):
        x[i] = 3.0
        s = s / d
        x[i] = s
    return s


@program(lambda: (i4(30), 2**31 - 5), lambda: (i4(30), 2**33), lambda: (i4(30), 1))
def int32_overflows(x, n):
    s = x[0]
    for i in range(30):
        s = s + x[i] + n
        x[i] = s
    return s


@program(lambda: (i8(30), 2**62), lambda: (i8(30), 2**64), lambda: (i8(30), -7))
def ints_beyond_64_bits(x, big):
    s = 0
    for i in range(30):
        s += big
        s -= int(x[i])
    return s


def classify(v, w):
    if v > w:
        return 1
    if v == w:
        return 0
    return -1


@program(lambda: (f8(40), 0.5), lambda: (i8(40), 0))
def calls_with_branches(x, limit):
    counts = 0
    for i in range(40):
        counts += classify(x[i], limit) * 3
    return counts


def power(base, n):
    out = 1
    for _ in range(n):
        out *= base
    return out


@program(lambda: (30, 2), lambda: (90, 3), lambda: (5, 1.5))
def calls_with_loops(n, base):
    s = 0
    for i in range(n):
        s += power(base, i)
    return s


@program(lambda: (f8(30),))
def prints_now_and_then(x):
    s = 0.0
    for i in range(30):
        s += x[i]
        if i % 10 == 0:
            print("at", i, s)
    return s


@program(lambda: (f8(30),), lambda: (-np.abs(f8(30)),))
def raises_now_and_then(x):
    s = 0.0
    for i in range(30):
        if x[i] < -3.5:
            raise ValueError(f"at {i}")
        s += math.sqrt(x[i] + 3.5)
    return s


@program(lambda: (f8(30),))
def catches_in_the_body(x):
    bad = 0
    for i in range(60):
        try:
            x[i] += 1.0
        except IndexError:
            bad += 1
    return bad


@program(lambda: (c16(20),))
def complex_numbers(z):
    s = 0j
    for i in range(20):
        w = z[i]
        for _ in range(9):
            if abs(w) > 2.0:
                break
            w = w * w + z[i]
        s += w
    return s


@program(lambda: (5, 40), lambda: (0, 3))
def reversed_ranges(a, b):
    s = 0
    for i in range(b, a, -3):
        for j in range(i, -i, -2):
            s = s * 3 % 1000003 + i - j
    return s


@program(lambda: (40,), lambda: (-40,))
def python_signs(n):
    s = 0
    for i in range(-20, 21):
        for j in range(-7, 8):
            if j:
                s += (i // j) * 3 + (i % j) + ((i * n) >> 2) + (abs(i) << 3) + (i ^ j) - (i & j)
    return s


@program(lambda: (40.5,), lambda: (-3.25,), lambda: (1e300,))
def float_signs(x):
    s = 0.0
    for i in range(1, 30):
        s += x // i + x % i + x % -i + float(int(x) % i) - round(x / i)
        x = -x
    return s


@program(lambda: (f8(6, 40),))
def math_functions(x):
    for i in range(40):
        a = float(x[0, i])
        x[1, i] = math.sin(a) + math.cos(a) * math.exp(a) - math.atan2(a, 2.0)
        x[2, i] = np.sin(x[0, i]) + np.exp(x[0, i])
        x[3, i] = math.floor(a) + math.ceil(a) + math.hypot(a, 1.0)
        x[4, i] = max(a, 0.25) - min(a, -0.25, 0.0)
        x[5, i] = abs(a) ** 1.5 + a**2 + x[0, i] ** 2


@program(lambda: (f8(3, 3), 10))
def captured_state_after_the_loop(x, n):
    last = None
    total = 0
    for i in range(n):
        total += i
    for i in range(n):
        last = i
        total -= x[0, i % 3]
    return last, total, i


@program(lambda: (10,), lambda: (0,))
def variable_of_an_empty_loop(n):
    for i in range(n):
        y = i * 2
    return i, y


@program(lambda: (np.zeros(30), 5), lambda: (np.zeros(30), 31))
def int_stored_as_float(x, n):
    for i in range(n):
        x[i] = i
        x[-i] = i * 0.5
        x[i] += i // 2


@program(lambda: (np.zeros(9, "i1"),), lambda: (np.zeros(9, "u1"),), lambda: (np.zeros(9, "f4"),))
def stores_that_do_not_fit(x):
    for i in range(9):
        x[i] = i * 40


@program(lambda: (f8(5, 6),), lambda: (i8(5, 6),))
def loop_with_rows(x):
    s = 0
    for i in range(5):
        row = x[i]
        for j in range(6):
            s += row[j]
    return s


@program(lambda: (f8(64), 300))
def flags_of_both_types(x, n):
    found = False
    hits = 0
    for i in range(n):
        if x[i % 64] > 2.9:
            found = x[i % 64] > 3.0
        if found:
            hits += 1
    return found, hits


@program(
    lambda: (np.array([-12, 0, -23, 1, 5]).astype("u8"), 9),
)
def unsigned_wraps_in_an_unrolled_loop(x, k):
    for _ in range(k):
        for j in range(5):
            x[j] -= j


@program(lambda: (i8(6), 40), lambda: (u1(6), 40))
def bounds_from_arrays(x, n):
    s = 0
    for i in range(5):
        for j in range(x[i], abs(x[i + 1]) + n):
            s += j * x[i]
    return s


@program(lambda: (0.3, 0.2, 50), lambda: (2.0, 0.0, 50))
def complex_from_numbers(a, b, n):
    z = complex(a, b)
    c = 0j
    k = 0
    while abs(c) <= 2.0 and k < n:
        c = c * c + z
        k += 1
    return c, k


@program(lambda: (np.abs(i8(6, 6)),))
def neighbours_with_continue_and_break(g):
    count = 0
    for i in range(6):
        for j in range(6):
            for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                a, b = i + di, j + dj
                if a < 0 or b < 0 or a >= 6 or b >= 6:
                    continue
                if g[a, b] > g[i, j]:
                    break
                count += 1
    return count


@program(lambda: (f8(30), 20))
def items_of_an_iterator_made_before(x, n):
    found = iter((0.5, 1.5, 2.5))
    s = 0.0
    for i in range(n):
        for q in found:
            s += q * x[i]
            break
    return s, list(found)


@program(lambda: (f8(9), 2.0), lambda: (f8(9), 3), lambda: (f8(9), np.int64(3)))
def range_complains_where_it_is_called(a, n):
    try:
        r = range(n)
    except TypeError as error:
        return str(error)
    a[0] = 77.0
    s = 0.0
    for i in r:
        s += a[i]
    return s


@program(lambda: (np.zeros(9, "i1"),), lambda: (np.zeros(9, "u1"),), lambda: (np.zeros(9, "i4"),))
def numpy_ints_stored_into_narrower_ones(x):
    step = np.int64(40)
    v = np.int64(-80)
    for i in range(9):
        x[i] = v
        v = v + step


@program(lambda: (np.array([2**53 + 1, 5, -7]),), lambda: (f4(3),), lambda: (f8(3),))
def rounding_of_numpy_numbers(x):
    s = 0
    for i in range(3):
        s += math.floor(x[i]) + math.ceil(x[i]) + int(x[i])
    return s, round(x[0])


@program(lambda: (f8(9),))
def locals_are_shown(x):
    t = 0.0
    for i in range(9):
        u = x[i]
        t += u
    return sorted(locals())


@program(lambda: (np.abs(f8(60)), 0.5), lambda: (np.abs(f8(60)), 2.0), lambda: (i8(60), 1.7))
def powers_of_numpy_numbers(x, p):
    y = np.zeros(60)
    for i in range(60):
        y[i] = np.power(x[i], p) + np.fmax(x[i], 0.0)
    for i in range(60):
        y[i] += x[i] ** 0.5
    return y


@program(lambda: (f4(9), 1e300), lambda: (f4(9), 2.5))
def numbers_too_large_for_float32(x, big):
    hits = 0
    for i in range(9):
        if x[i] < big:
            hits += 1
        x[i] = x[i] / big
    return hits


@program(lambda: (f8(9), 1e308))
def a_warning_before_an_inner_loop(a, big):
    total = 0.0
    for i in range(9):
        t = a[i] * big
        s = 0
        for _ in range(10):
            s = s + t
        total += s
    return total


@program(lambda: (np.abs(f8(9)) + 1.0,))
def logarithms_to_a_base(x):
    s = 0.0
    for i in range(9):
        s += math.log(x[i], 2.0) + math.log(x[i])
    return s
