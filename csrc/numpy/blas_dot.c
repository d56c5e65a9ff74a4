#include "numpy/blas_dot.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernel.h"
#include "numpy/blas_dot_orders.h"

#define MOST 8192   /* elements: as far as it was tried; beyond 10,000 OpenBLAS has threads */
#define LEAST 8     /* elements for whose sake several vectors are worth a look */
#define FEWEST 4    /* of them at once */

static const DenseOrder *dense;     /* NumPy's; NULL: none of ours */
static const StridedOrder *strided;

/* ---- one vector by another ---------------------------------------------------------------------- */

static f64 numpys_dot(const rt_loop *matmul, i64 n, const char *x, i64 x_step, const char *y, i64 y_step) {
    f64 out = 0;
    char *data[] = {(char *)x, (char *)y, (char *)&out};
    i64 dim[] = {1, 1, n, 1}, step[] = {0, 0, 0, 0, x_step, y_step, 0, 0, 0};
    matmul->fn(matmul->context, data, dim, step, matmul->aux);
    return out;
}

static f64 dense_dot(const DenseOrder *order, i64 n, const f64 *x, const f64 *y) {
    i64 whole = n & ~(i64)15;
    f64 sum = whole ? order->whole(whole, x, y) : 0.0;
    return 0.0 + order->tail(sum, n - whole, x + whole, y + whole);
}

static int is_dense(i64 x_step, i64 y_step) { return x_step == WIDTH && y_step == WIDTH; }

/* Steps that NumPy gives to BLAS. */
static int is_upwards(i64 step) { return step > 0 && step % WIDTH == 0 && step / WIDTH < INT_MAX; }

f64 blas_dot(const rt_loop *matmul, i64 n, const char *x, i64 x_step, const char *y, i64 y_step) {
    if (n > 0 && n <= MOST) {
        if (is_dense(x_step, y_step)) {
            if (dense != NULL)
                return dense_dot(dense, n, (const f64 *)x, (const f64 *)y);
        } else if (strided != NULL && is_upwards(x_step) && is_upwards(y_step))
            return 0.0 + strided->one(0, 0, n, x, x_step, y, y_step);
    }
    return numpys_dot(matmul, n, x, x_step, y, y_step);
}

/* ---- those of several iterations -------------------------------------------------------------------- */

/* x - x is 0 of what is finite. */
static int all_finite(const f64 *values, i64 n) {
    f64 sum = 0;
    for (i64 i = 0; i < n; i++)
        sum += values[i] - values[i];
    return sum == 0;
}

static i64 ahead_dense(rt_ahead *ahead, i64 lanes, i64 n, const char *x, i64 x_lane, const char *y, i64 y_lane) {
    i64 whole = n & ~(i64)15, same = 16 - (n & 15); /* iterations in which so many elements are whole */
    lanes = lanes < same ? lanes : same;
    if (dense == NULL || whole == 0)
        return 0;
    for (i64 k = 0; k < lanes; k++)
        ahead->first[k] = dense->whole(whole, (const f64 *)(x + k * x_lane), (const f64 *)(y + k * y_lane));
    ahead->done = whole;
    return lanes;
}

static i64 ahead_strided(rt_ahead *ahead, DotLanes of) {
    of.lanes &= ~(i64)3;
    if (strided == NULL || !is_upwards(of.x_step) || !is_upwards(of.y_step))
        return 0;
    if (of.growing)
        of.n &= ~(i64)3;
    strided->several(&of, ahead->first, ahead->second);
    ahead->done = of.n;
    return all_finite(ahead->second, of.lanes) ? of.lanes : 0;
}

void blas_dots_ahead(rt_ahead *ahead, i64 from, i64 lanes, i64 n, const char *x, i64 x_step, i64 x_lane, const char *y, i64 y_step,
                     i64 y_lane, int growing) {
    i64 most = growing ? RT_AHEAD / 2 : RT_AHEAD, ready = 0;
    lanes = lanes < most ? lanes : most;
    ahead->from = from;
    if (n >= LEAST && n <= MOST - RT_AHEAD && lanes >= FEWEST) {
        if (is_dense(x_step, y_step))
            ready = growing ? ahead_dense(ahead, lanes, n, x, x_lane, y, y_lane) : 0;
        else if (y_lane == WIDTH && (x_lane == 0 || x_lane == WIDTH))
            ready = ahead_strided(ahead, (DotLanes){lanes, n, x_step, x_lane, y_step, x, y, growing});
        else if (x_lane == WIDTH && y_lane == 0)
            ready = ahead_strided(ahead, (DotLanes){lanes, n, y_step, 0, x_step, y, x, growing});
    }
    ahead->ready = ready > 0 && all_finite(ahead->first, ready);
    ahead->to = from + (ready > 0 ? ready : lanes > 0 ? lanes : 1);
}

f64 blas_dot_from(const rt_ahead *ahead, i64 at, const rt_loop *matmul, i64 n, const char *x, i64 x_step, const char *y, i64 y_step) {
    i64 lane = at - ahead->from, done = ahead->done;
    const char *p = x + done * x_step, *q = y + done * y_step;
    if (n < done || n > MOST)
        return blas_dot(matmul, n, x, x_step, y, y_step);
    if (!is_dense(x_step, y_step))
        return 0.0 + strided->one(ahead->first[lane], ahead->second[lane], n - done, p, x_step, q, y_step);
    if ((n & ~(i64)15) != done)
        return blas_dot(matmul, n, x, x_step, y, y_step);
    return 0.0 + dense->tail(ahead->first[lane], n - done, (const f64 *)p, (const f64 *)q);
}

/* ---- which order is NumPy's --------------------------------------------------------------------- */

#define FARTHEST 7 /* elements from one to the next */
#define SPREAD 8   /* where a vector may begin, in elements */

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

static const i64 lengths[] = {255, 256, 257, 333, 511, 512, 513, 1000, 1025, 2047, 4097, MOST};
static const i64 steps[][2] = {{1, 2}, {2, 1}, {1, 7}, {3, 1}, {2, 2}, {5, 3}, {7, 7}};

static u32 next_random(u32 *state) { return *state = *state * 1664525u + 1013904223u; }

/* Of either sign and several magnitudes, so that another order has other bits. */
static void fill_random(f64 *values, i64 n, u32 seed) {
    for (i64 i = 0; i < n; i++) {
        f64 part = (f64)(i32)next_random(&seed) + (f64)next_random(&seed) / 4294967296.0;
        values[i] = part * (1.0 / (1u << (16 + next_random(&seed) % 15)));
    }
}

static int same_bits(f64 a, f64 b) { return memcmp(&a, &b, sizeof(a)) == 0; }

static int dense_agrees(const DenseOrder *order, const rt_loop *matmul, i64 n, const f64 *x, const f64 *y) {
    f64 want = numpys_dot(matmul, n, (const char *)x, WIDTH, (const char *)y, WIDTH);
    return same_bits(dense_dot(order, n, x, y), want);
}

static int is_dense_order(const DenseOrder *order, const rt_loop *matmul, const f64 *x, const f64 *y) {
    for (i64 n = 1; n < 255; n++)
        if (!dense_agrees(order, matmul, n, x + n % SPREAD, y + n / SPREAD % SPREAD))
            return 0;
    for (int k = 0; k < COUNT(lengths); k++)
        if (!dense_agrees(order, matmul, lengths[k], x + k % SPREAD, y + k % 3))
            return 0;
    return 1;
}

static int strided_agrees(const StridedOrder *order, const rt_loop *matmul, i64 n, const f64 *x, const f64 *y, const i64 *by) {
    i64 x_step = by[0] * WIDTH, y_step = by[1] * WIDTH;
    f64 want = numpys_dot(matmul, n, (const char *)x, x_step, (const char *)y, y_step);
    return same_bits(0.0 + order->one(0, 0, n, (const char *)x, x_step, (const char *)y, y_step), want);
}

static int is_strided_order(const StridedOrder *order, const rt_loop *matmul, const f64 *x, const f64 *y) {
    for (int k = 0; k < COUNT(steps); k++) {
        for (i64 n = 1; n < 100; n++)
            if (!strided_agrees(order, matmul, n, x + n % SPREAD, y + n / SPREAD % SPREAD, steps[k]))
                return 0;
        for (int i = 0; i < COUNT(lengths) && (k < 2 || k == COUNT(steps) - 1); i++)
            if (!strided_agrees(order, matmul, lengths[i], x + i % SPREAD, y, steps[k]))
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

static void choose_orders(const rt_loop *matmul, PyObject *without, const f64 *x, const f64 *y) {
    dense = NULL;
    strided = NULL;
    for (int k = 0; k < NDENSE_ORDERS && dense == NULL; k++)
        if (!is_named(without, dense_orders[k].name) && is_dense_order(&dense_orders[k], matmul, x, y))
            dense = &dense_orders[k];
    for (int k = 0; k < NSTRIDED_ORDERS && strided == NULL; k++)
        if (!is_named(without, strided_orders[k].name) && is_strided_order(&strided_orders[k], matmul, x, y))
            strided = &strided_orders[k];
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
    if (dot_orders_run()) {
        fill_random(x, 2 * size, 12345);
        choose_orders(&loops[0], without, x, x + size);
    }
    rt_clear();
    free(x);
    PyMem_Free(loops);
    return Py_BuildValue("zz", dense ? dense->name : NULL, strided ? strided->name : NULL);
}

static PyMethodDef methods[] = {
    {"try_dots", try_dots, METH_VARARGS,
     "try_dots((loop,), without): which orders of additions are those of NumPy's matmul of float64: of vectors in one piece, and of "
     "others; None: none of ours. From now on they are used. Those named in `without` are not tried."},
    {NULL, NULL, 0, NULL},
};

int blas_dot_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
