#include "dots.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define HAS_ORDERS 1
#define WITH_AVX2 __attribute__((target("avx2,fma")))
#define SAME WITH_AVX2 __attribute__((always_inline)) static inline
#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 4")
#endif
#else
#define HAS_ORDERS 0
#endif

#define MOST 8192   /* elements: as far as it was tried; beyond 10,000 OpenBLAS has threads */
#define WIDTH ((i64)sizeof(f64))
#define LEAST 8     /* elements for whose sake several vectors are worth a look */
#define FEWEST 4    /* of them at once */

/* What stands for NumPy's order. `Row`: both vectors lie in one piece; `whole` sums up their first elements, a multiple of 16 of
 * them. `Apart`: they have steps; `one` goes on from two sums. */
typedef struct {
    const char *name;
    f64 (*whole)(i64 n, const f64 *x, const f64 *y);
    f64 (*tail)(f64 sum, i64 n, const f64 *x, const f64 *y);
} Row;

/* Of several vectors, a multiple of four; those of y lie beside one another, of x too, or it is one (x_lane 0). */
typedef struct {
    i64 lanes, n, x_step, x_lane, y_step;
    const char *x, *y;
    int growing;
} Several;

typedef struct {
    const char *name;
    f64 (*one)(f64 first, f64 second, i64 n, const char *x, i64 x_step, const char *y, i64 y_step);
    void (*several)(const Several *of, f64 *first, f64 *second);
} Apart;

static const Row *row;
static const Apart *apart;

#if HAS_ORDERS

/* ---- vectors in one piece ----------------------------------------------------------------------- */

SAME __m256d pair(__m256d sum, const f64 *x, const f64 *y) {
    return _mm256_fmadd_pd(_mm256_loadu_pd(x), _mm256_loadu_pd(y), sum);
}

SAME __m128d halves(__m256d sum) { return _mm_add_pd(_mm256_extractf128_pd(sum, 1), _mm256_castpd256_pd128(sum)); }

/* Four sums of eight, of 32 elements in a row; then four of four, of 16; SkylakeX. */
WITH_AVX2 static f64 whole_512(i64 n, const f64 *x, const f64 *y) {
    __m256d a[4], b[4];
    i64 i = 0;
    UNROLLED
    for (int k = 0; k < 4; k++)
        a[k] = b[k] = _mm256_setzero_pd();
    for (; i < (n & ~(i64)31); i += 32)
        UNROLLED
        for (int k = 0; k < 4; k++) {
            a[k] = pair(a[k], x + i + 8 * k, y + i + 8 * k);
            b[k] = pair(b[k], x + i + 8 * k + 4, y + i + 8 * k + 4);
        }
    UNROLLED
    for (int k = 0; k < 4; k++)
        a[k] = _mm256_add_pd(a[k], b[k]);
    for (; i < n; i += 16)
        UNROLLED
        for (int k = 0; k < 4; k++)
            a[k] = pair(a[k], x + i + 4 * k, y + i + 4 * k);
    __m256d sum = _mm256_add_pd(_mm256_add_pd(_mm256_add_pd(a[0], a[1]), a[2]), a[3]);
    __m128d half = halves(sum);
    return half[0] + half[1];
}

/* Four sums of four, of 16 elements in a row; Haswell and Zen. */
WITH_AVX2 static f64 whole_256(i64 n, const f64 *x, const f64 *y) {
    __m256d a[4];
    UNROLLED
    for (int k = 0; k < 4; k++)
        a[k] = _mm256_setzero_pd();
    for (i64 i = 0; i < n; i += 16)
        UNROLLED
        for (int k = 0; k < 4; k++)
            a[k] = pair(a[k], x + i + 4 * k, y + i + 4 * k);
    __m128d sum = _mm_add_pd(_mm_add_pd(halves(a[0]), halves(a[1])), _mm_add_pd(halves(a[2]), halves(a[3])));
    return sum[0] + sum[1];
}

WITH_AVX2 static f64 fused_tail(f64 sum, i64 n, const f64 *x, const f64 *y) {
    for (i64 i = 0; i < n; i++)
        sum = __builtin_fma(y[i], x[i], sum);
    return sum;
}

WITH_AVX2 static f64 plain_tail(f64 sum, i64 n, const f64 *x, const f64 *y) {
    for (i64 i = 0; i < n; i++)
        sum += y[i] * x[i];
    return sum;
}

static const Row rows[] = {
    {"eights, fused", whole_512, fused_tail},
    {"eights", whole_512, plain_tail},
    {"fours, fused", whole_256, fused_tail},
    {"fours", whole_256, plain_tail},
};

/* ---- vectors with steps: two sums, of the first and third, the second and fourth of four ---------- */

#define AT(p, step, k) (*(const f64 *)((p) + (k) * (step)))

SAME f64 one_apart(f64 first, f64 second, i64 n, const char *x, i64 x_step, const char *y, i64 y_step, int fused,
                   int fused_tail) {
    i64 i = 0;
    for (; i < (n & ~(i64)3); i += 4, x += 4 * x_step, y += 4 * y_step) {
        f64 m2 = AT(y, y_step, 2) * AT(x, x_step, 2), m3 = AT(y, y_step, 3) * AT(x, x_step, 3);
        f64 m0 = AT(y, y_step, 0) * AT(x, x_step, 0), m1 = AT(y, y_step, 1) * AT(x, x_step, 1);
        first += fused ? __builtin_fma(AT(y, y_step, 0), AT(x, x_step, 0), m2) : m0 + m2;
        second += fused ? __builtin_fma(AT(y, y_step, 1), AT(x, x_step, 1), m3) : m1 + m3;
    }
    for (; i < n; i++, x += x_step, y += y_step)
        first = fused_tail ? __builtin_fma(AT(y, 0, 0), AT(x, 0, 0), first) : first + AT(y, 0, 0) * AT(x, 0, 0);
    return first + second;
}

SAME __m256d four(const char *p, i64 lane) {
    return lane == 0 ? _mm256_broadcast_sd((const f64 *)p) : _mm256_loadu_pd((const f64 *)p);
}

/* The same of four vectors at once, in `groups`. */
SAME void group_apart(const Several *of, i64 at, i64 x_lane, f64 *first, f64 *second, int groups, int fused, int fused_tail) {
    const i64 n = of->n, x_step = of->x_step, y_step = of->y_step;
    const char *x = of->x + at * x_lane, *y = of->y + at * WIDTH;
    __m256d a[4], b[4];
    i64 i = 0;
    UNROLLED
    for (int g = 0; g < groups; g++)
        a[g] = b[g] = _mm256_setzero_pd();
    for (; i < (n & ~(i64)3); i += 4, x += 4 * x_step, y += 4 * y_step)
        UNROLLED
        for (int g = 0; g < groups; g++) {
            const char *p = x + g * 4 * x_lane, *q = y + g * 4 * WIDTH;
            __m256d x0 = four(p, x_lane), x1 = four(p + x_step, x_lane), x2 = four(p + 2 * x_step, x_lane);
            __m256d y0 = four(q, 1), y1 = four(q + y_step, 1), y2 = four(q + 2 * y_step, 1);
            __m256d m2 = _mm256_mul_pd(y2, x2), m3 = _mm256_mul_pd(four(q + 3 * y_step, 1), four(p + 3 * x_step, x_lane));
            a[g] = _mm256_add_pd(a[g], fused ? _mm256_fmadd_pd(y0, x0, m2) : _mm256_add_pd(_mm256_mul_pd(y0, x0), m2));
            b[g] = _mm256_add_pd(b[g], fused ? _mm256_fmadd_pd(y1, x1, m3) : _mm256_add_pd(_mm256_mul_pd(y1, x1), m3));
        }
    for (; i < n; i++, x += x_step, y += y_step)
        UNROLLED
        for (int g = 0; g < groups; g++) {
            __m256d y0 = four(y + g * 4 * WIDTH, 1), x0 = four(x + g * 4 * x_lane, x_lane);
            a[g] = fused_tail ? _mm256_fmadd_pd(y0, x0, a[g]) : _mm256_add_pd(a[g], _mm256_mul_pd(y0, x0));
        }
    UNROLLED
    for (int g = 0; g < groups; g++) {
        _mm256_storeu_pd(first + at + 4 * g, of->growing ? a[g] : _mm256_add_pd(a[g], b[g]));
        _mm256_storeu_pd(second + at + 4 * g, b[g]);
    }
}

SAME void several_apart(const Several *of, f64 *first, f64 *second, int fused, int fused_tail) {
    i64 at = 0;
    for (; at + 16 <= of->lanes; at += 16)
        if (of->x_lane == 0)
            group_apart(of, at, 0, first, second, 4, fused, fused_tail);
        else
            group_apart(of, at, WIDTH, first, second, 4, fused, fused_tail);
    for (; at < of->lanes; at += 4)
        if (of->x_lane == 0)
            group_apart(of, at, 0, first, second, 1, fused, fused_tail);
        else
            group_apart(of, at, WIDTH, first, second, 1, fused, fused_tail);
}

#define APART(name, fused, fused_tail)                                                                                       \
    WITH_AVX2 static f64 name##_one(f64 first, f64 second, i64 n, const char *x, i64 x_step, const char *y, i64 y_step) {   \
        return one_apart(first, second, n, x, x_step, y, y_step, fused, fused_tail);                                        \
    }                                                                                                                        \
    WITH_AVX2 static void name##_several(const Several *of, f64 *first, f64 *second) {                                      \
        several_apart(of, first, second, fused, fused_tail);                                                                 \
    }

APART(plain, 0, 0)
APART(plain_fused, 0, 1)
APART(fused, 1, 1)

static const Apart aparts[] = {
    {"products", plain_one, plain_several},
    {"products, fused", plain_fused_one, plain_fused_several},
    {"fused, fused", fused_one, fused_several},
};

static int processor_has(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

#else

static const Row rows[1];
static const Apart aparts[1];

static int processor_has(void) { return 0; }

#endif

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

/* ---- one vector by another ---------------------------------------------------------------------- */

static f64 numpys(const rt_loop *matmul, i64 n, const char *x, i64 x_step, const char *y, i64 y_step) {
    f64 out = 0;
    char *data[] = {(char *)x, (char *)y, (char *)&out};
    i64 dim[] = {1, 1, n, 1}, step[] = {0, 0, 0, 0, x_step, y_step, 0, 0, 0};
    matmul->fn(matmul->context, data, dim, step, matmul->aux);
    return out;
}

static f64 by_row(const Row *order, i64 n, const f64 *x, const f64 *y) {
    i64 whole = n & ~(i64)15;
    f64 sum = whole ? order->whole(whole, x, y) : 0.0;
    return 0.0 + order->tail(sum, n - whole, x + whole, y + whole);
}

static int is_row(i64 x_step, i64 y_step) { return x_step == WIDTH && y_step == WIDTH; }

/* Steps that NumPy gives to BLAS. */
static int is_upwards(i64 step) { return step > 0 && step % WIDTH == 0 && step / WIDTH < INT_MAX; }

f64 dot_one(const rt_loop *matmul, i64 n, const char *x, i64 x_step, const char *y, i64 y_step) {
    if (n > 0 && n <= MOST) {
        if (is_row(x_step, y_step)) {
            if (row != NULL)
                return by_row(row, n, (const f64 *)x, (const f64 *)y);
        } else if (apart != NULL && is_upwards(x_step) && is_upwards(y_step))
            return 0.0 + apart->one(0, 0, n, x, x_step, y, y_step);
    }
    return numpys(matmul, n, x, x_step, y, y_step);
}

/* ---- those of several rounds -------------------------------------------------------------------- */

/* x - x is 0 of what is finite. */
static int all_finite(const f64 *values, i64 n) {
    f64 sum = 0;
    for (i64 i = 0; i < n; i++)
        sum += values[i] - values[i];
    return sum == 0;
}

static i64 ahead_in_rows(rt_ahead *ahead, i64 lanes, i64 n, const char *x, i64 x_lane, const char *y, i64 y_lane) {
    i64 whole = n & ~(i64)15, same = 16 - (n & 15); /* rounds in which so many elements are whole */
    lanes = lanes < same ? lanes : same;
    if (row == NULL || whole == 0)
        return 0;
    for (i64 k = 0; k < lanes; k++)
        ahead->first[k] = row->whole(whole, (const f64 *)(x + k * x_lane), (const f64 *)(y + k * y_lane));
    ahead->done = whole;
    return lanes;
}

static i64 ahead_apart(rt_ahead *ahead, Several of) {
    of.lanes &= ~(i64)3;
    if (apart == NULL || !is_upwards(of.x_step) || !is_upwards(of.y_step))
        return 0;
    if (of.growing)
        of.n &= ~(i64)3;
    apart->several(&of, ahead->first, ahead->second);
    ahead->done = of.n;
    return all_finite(ahead->second, of.lanes) ? of.lanes : 0;
}

void dots_ahead(rt_ahead *ahead, i64 from, i64 lanes, i64 n, const char *x, i64 x_step, i64 x_lane, const char *y, i64 y_step,
                i64 y_lane, int growing) {
    i64 most = growing ? RT_AHEAD / 2 : RT_AHEAD, ready = 0;
    lanes = lanes < most ? lanes : most;
    ahead->from = from;
    if (n >= LEAST && n <= MOST - RT_AHEAD && lanes >= FEWEST) {
        if (is_row(x_step, y_step))
            ready = growing ? ahead_in_rows(ahead, lanes, n, x, x_lane, y, y_lane) : 0;
        else if (y_lane == WIDTH && (x_lane == 0 || x_lane == WIDTH))
            ready = ahead_apart(ahead, (Several){lanes, n, x_step, x_lane, y_step, x, y, growing});
        else if (x_lane == WIDTH && y_lane == 0)
            ready = ahead_apart(ahead, (Several){lanes, n, y_step, 0, x_step, y, x, growing});
    }
    ahead->ready = ready > 0 && all_finite(ahead->first, ready);
    ahead->to = from + (ready > 0 ? ready : lanes > 0 ? lanes : 1);
}

f64 dot_on(const rt_ahead *ahead, i64 at, const rt_loop *matmul, i64 n, const char *x, i64 x_step, const char *y, i64 y_step) {
    i64 lane = at - ahead->from, done = ahead->done;
    const char *p = x + done * x_step, *q = y + done * y_step;
    if (n < done || n > MOST)
        return dot_one(matmul, n, x, x_step, y, y_step);
    if (!is_row(x_step, y_step))
        return 0.0 + apart->one(ahead->first[lane], ahead->second[lane], n - done, p, x_step, q, y_step);
    if ((n & ~(i64)15) != done)
        return dot_one(matmul, n, x, x_step, y, y_step);
    return 0.0 + row->tail(ahead->first[lane], n - done, (const f64 *)p, (const f64 *)q);
}

/* ---- which order is NumPy's --------------------------------------------------------------------- */

#define FARTHEST 7 /* elements from one to the next */
#define SPREAD 8   /* where a vector may begin, in elements */

static const i64 lengths[] = {255, 256, 257, 333, 511, 512, 513, 1000, 1025, 2047, 4097, MOST};
static const i64 steps[][2] = {{1, 2}, {2, 1}, {1, 7}, {3, 1}, {2, 2}, {5, 3}, {7, 7}};

static u32 next(u32 *state) { return *state = *state * 1664525u + 1013904223u; }

/* Of either sign and several magnitudes, so that another order has other bits. */
static void fill(f64 *values, i64 n, u32 seed) {
    for (i64 i = 0; i < n; i++) {
        f64 part = (f64)(i32)next(&seed) + (f64)next(&seed) / 4294967296.0;
        values[i] = part * (1.0 / (1u << (16 + next(&seed) % 15)));
    }
}

static int same_bits(f64 a, f64 b) { return memcmp(&a, &b, sizeof(a)) == 0; }

static int row_is(const Row *order, const rt_loop *matmul, i64 n, const f64 *x, const f64 *y) {
    f64 want = numpys(matmul, n, (const char *)x, WIDTH, (const char *)y, WIDTH);
    return same_bits(by_row(order, n, x, y), want);
}

static int is_row_order(const Row *order, const rt_loop *matmul, const f64 *x, const f64 *y) {
    for (i64 n = 1; n < 255; n++)
        if (!row_is(order, matmul, n, x + n % SPREAD, y + n / SPREAD % SPREAD))
            return 0;
    for (int k = 0; k < COUNT(lengths); k++)
        if (!row_is(order, matmul, lengths[k], x + k % SPREAD, y + k % 3))
            return 0;
    return 1;
}

static int is_apart(const Apart *order, const rt_loop *matmul, i64 n, const f64 *x, const f64 *y, const i64 *by) {
    i64 x_step = by[0] * WIDTH, y_step = by[1] * WIDTH;
    f64 want = numpys(matmul, n, (const char *)x, x_step, (const char *)y, y_step);
    return same_bits(0.0 + order->one(0, 0, n, (const char *)x, x_step, (const char *)y, y_step), want);
}

static int is_apart_order(const Apart *order, const rt_loop *matmul, const f64 *x, const f64 *y) {
    for (int k = 0; k < COUNT(steps); k++) {
        for (i64 n = 1; n < 100; n++)
            if (!is_apart(order, matmul, n, x + n % SPREAD, y + n / SPREAD % SPREAD, steps[k]))
                return 0;
        for (int i = 0; i < COUNT(lengths) && (k < 2 || k == COUNT(steps) - 1); i++)
            if (!is_apart(order, matmul, lengths[i], x + i % SPREAD, y, steps[k]))
                return 0;
    }
    return 1;
}

static int is_named(PyObject *names, const char *name) {
    int found = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        PyObject *one = PyTuple_GET_ITEM(names, i);
        found |= PyUnicode_Check(one) && PyUnicode_CompareWithASCIIString(one, name) == 0;
    }
    return found;
}

static void choose(const rt_loop *matmul, PyObject *without, const f64 *x, const f64 *y) {
    row = NULL;
    apart = NULL;
    for (int k = 0; k < COUNT(rows) && row == NULL; k++)
        if (!is_named(without, rows[k].name) && is_row_order(&rows[k], matmul, x, y))
            row = &rows[k];
    for (int k = 0; k < COUNT(aparts) && apart == NULL; k++)
        if (!is_named(without, aparts[k].name) && is_apart_order(&aparts[k], matmul, x, y))
            apart = &aparts[k];
}

static PyObject *try_dots(PyObject *module, PyObject *args) {
    PyObject *capsules, *without;
    int count;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!", &PyTuple_Type, &capsules, &PyTuple_Type, &without))
        return NULL;
    rt_loop *loops = inner_loops(capsules, &count);
    if (loops == NULL)
        return NULL;
    i64 size = MOST * FARTHEST + SPREAD;
    f64 *x = malloc((size_t)(2 * size) * sizeof(f64));
    if (x == NULL || count != 1) {
        free(x);
        PyMem_Free(loops);
        if (count != 1)
            PyErr_SetString(PyExc_ValueError, "one loop is tried");
        return count != 1 ? NULL : PyErr_NoMemory();
    }
    if (processor_has()) {
        fill(x, 2 * size, 12345);
        choose(&loops[0], without, x, x + size);
    }
    rt_clear();
    free(x);
    PyMem_Free(loops);
    return Py_BuildValue("zz", row ? row->name : NULL, apart ? apart->name : NULL);
}

static PyMethodDef methods[] = {
    {"try_dots", try_dots, METH_VARARGS,
     "try_dots((loop,), without): which orders of additions are those of NumPy's matmul of float64: of vectors in one piece, and of "
     "others; None: none of ours. From now on they are used. Those named in `without` are not tried."},
    {NULL, NULL, 0, NULL},
};

int dots_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
