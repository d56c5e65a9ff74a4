#include "numpy/histogram.h"

#include <numpy/arrayobject.h>
#include <string.h>

#include "../jitcore/runtime_c/kernel_rt.h"
#include "kernel/workers.h"

#define BLOCK 65536             /* elements whose weights NumPy sums up by themselves */
#define CHUNK 512               /* elements whose places are computed at once */
#define MOST_BINS (1 << 24)
#define MOST_ROOM (1 << 21)     /* elements, of what the blocks make */
#define MOST_BLOCKS 1024        /* at a time */
#define MOST_WIDTH 1e300
#define EXACT 4503599627370496.0 /* ints up to here, and their differences, are floats */

typedef struct {
    f64 first, last, width;
    i64 count;
    const f64 *edges;
    int given;                  /* the range is: what lies outside does not count */
} Bins;

typedef struct {
    f64 low, high;
    int finite;
} Reach;

typedef struct {
    const f64 *x, *weights;     /* weights: NULL for none */
    i64 size, from;             /* the first block of these */
    Bins bins;
    char *room;                 /* a row for each block: counts, or sums of weights; one place before the first bin */
    Reach *reach;               /* of each block */
} Job;

/* ---- a block ------------------------------------------------------------------------------------ */

#define LANES 4
typedef f64 lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef i64 masks __attribute__((vector_size(8 * LANES)));
typedef i32 places __attribute__((vector_size(4 * LANES)));

#if defined(__x86_64__) && defined(__GNUC__)
#define WITH_AVX2 __attribute__((target("avx2")))
#define HAS_AVX2 __builtin_cpu_supports("avx2")
#else
#define WITH_AVX2
#define HAS_AVX2 0
#endif
#define SAME __attribute__((always_inline)) static inline

#define CHOSEN(mask, yes, no) ((lanes)(((masks)(yes) & (masks)(mask)) | ((masks)(no) & ~(masks)(mask))))

SAME void reach_of(const f64 *x, i64 n, Reach *found) {
    lanes low = {x[0], x[0], x[0], x[0]}, high = low, zero = {0};
    f64 rest = 0;
    i64 i = 0;
    for (; i + LANES <= n; i += LANES) {
        lanes v = *(const lanes *)(x + i);
        low = CHOSEN(v < low, v, low);
        high = CHOSEN(v > high, v, high);
        zero += v - v; /* 0 of what is finite */
    }
    found->low = low[0], found->high = high[0];
    for (int k = 0; k < LANES; k++) {
        found->low = low[k] < found->low ? low[k] : found->low;
        found->high = high[k] > found->high ? high[k] : found->high;
        rest += zero[k];
    }
    for (; i < n; i++) {
        found->low = x[i] < found->low ? x[i] : found->low;
        found->high = x[i] > found->high ? x[i] : found->high;
        rest += x[i] - x[i];
    }
    found->finite = rest == 0;
}

/* How near to an edge, in bins, rounding may matter: 32 times what the steps of places and edges can be off at most. */
static f64 margin_of(const Bins *bins) {
    f64 most = bins->last > -bins->first ? bins->last : -bins->first;
    return 0x1p-48 * (f64)bins->count * (1.0 + most / bins->width);
}

#define NEAR ((i32)0x80000000) /* beside a place: look at the edges */

/* Where the elements belong. */
SAME void places_of(const Bins *bins, const f64 *x, i64 n, i32 *at, int given) {
    const f64 margin = margin_of(bins), rest = 1.0 - margin, count = (f64)bins->count;
    const lanes first = {bins->first, bins->first, bins->first, bins->first};
    const lanes last = {bins->last, bins->last, bins->last, bins->last};
    i64 i = 0;
    for (; i + LANES <= n; i += LANES) {
        lanes v = *(const lanes *)(x + i);
        if (given) {
            v = CHOSEN(v < first, first, v);
            v = CHOSEN(v > last, last, v);
        }
        lanes exact = (v - first) / bins->width * count;
        places found = __builtin_convertvector(exact, places);
        lanes part = exact - __builtin_convertvector(found, lanes);
        masks near = (masks)(part < margin) | (masks)(part > rest) | (masks)(exact >= count);
        found |= __builtin_convertvector(near, places) & NEAR;
        memcpy(at + i, &found, sizeof(found));
    }
    for (; i < n; i++) {
        f64 v = x[i];
        if (given)
            v = v < bins->first ? bins->first : v > bins->last ? bins->last : v;
        at[i] = (i32)((v - bins->first) / bins->width * count) | NEAR;
    }
}

SAME void count_one(i64 k, const f64 *weight, char *room) {
    if (weight != NULL)
        ((f64 *)room)[k + 1] += *weight;
    else
        ((i64 *)room)[k + 1]++;
}

/* 0: it has no bin, since another thread writes to x meanwhile, as no program may. */
SAME int count_near(const Bins *bins, f64 v, i64 k, const f64 *weight, char *room) {
    const f64 *edges = bins->edges;
    k -= k == bins->count;
    if (k >= bins->count)
        return 0;
    k -= v < edges[k];
    k += (v >= edges[k + 1]) & (k != bins->count - 1);
    count_one(k, weight, room);
    return 1;
}

SAME int count_row(const Bins *bins, const f64 *x, const f64 *weights, const i32 *at, i64 n, char *room, int given) {
    int found = 1;
    for (i64 i = 0; i < n; i++) {
        const f64 *weight = weights != NULL ? weights + i : NULL;
        if (__builtin_expect(at[i] >= 0, 1))
            count_one(at[i], weight, room);
        else if (!given || (x[i] >= bins->first && x[i] <= bins->last))
            found &= count_near(bins, x[i], at[i] & ~NEAR, weight, room);
    }
    return found;
}

/* The flags raised. */
SAME int count_block(const Bins *all, const f64 *x, const f64 *weights, i64 n, char *room, int given) {
    const Bins bins = *all;
    i32 at[CHUNK];
    int found = 1;
    memset(room, 0, (size_t)(bins.count + 1) * sizeof(f64));
    for (i64 from = 0; from < n; from += CHUNK) {
        i64 m = n - from < CHUNK ? n - from : CHUNK;
        places_of(&bins, x + from, m, at, given);
        found &= weights != NULL ? count_row(&bins, x + from, weights + from, at, m, room, given)
                                 : count_row(&bins, x + from, NULL, at, m, room, given);
    }
    return rt_flags() | (found ? 0 : RT_DOUBT);
}

static i64 block_size(const Job *job, i64 block) {
    i64 left = job->size - block * BLOCK;
    return left < BLOCK ? left : BLOCK;
}

SAME int look_part(Job *job, int part) {
    i64 block = job->from + part;
    reach_of(job->x + block * BLOCK, block_size(job, block), &job->reach[part]);
    return 0;
}

SAME int count_part(Job *job, int part) {
    i64 block = job->from + part, begin = block * BLOCK, size = block_size(job, block);
    char *room = job->room + part * (job->bins.count + 1) * (i64)sizeof(f64);
    const f64 *x = job->x + begin, *weights = job->weights ? job->weights + begin : NULL;
    return job->bins.given ? count_block(&job->bins, x, weights, size, room, 1)
                           : count_block(&job->bins, x, weights, size, room, 0);
}

WITH_AVX2 static int look_wide(void *job, int part) { return look_part(job, part); }
WITH_AVX2 static int count_wide(void *job, int part) { return count_part(job, part); }
static int look_plain(void *job, int part) { return look_part(job, part); }
static int count_plain(void *job, int part) { return count_part(job, part); }

/* ---- all of them -------------------------------------------------------------------------------- */

static int count_blocks(WorkersPart *fn, Job *job, int parts) {
    int status = 0;
    if (parts > 1 && workers_threads() > 1 && workers_run(fn, job, parts, &status) == 0)
        return status;
    for (int part = 0; part < parts; part++)
        status |= fn(job, part);
    return status;
}

static i64 blocks_of(const Job *job) { return (job->size + BLOCK - 1) / BLOCK; }

static int next_blocks(const Job *job, i64 most) {
    i64 left = blocks_of(job) - job->from;
    return (int)(left < most ? left : most);
}

static int find_reach(Job *job, Reach *all) {
    Reach reaches[MOST_BLOCKS];
    job->reach = reaches;
    *all = (Reach){job->x[0], job->x[0], 1};
    for (int parts; (parts = next_blocks(job, MOST_BLOCKS)) > 0; job->from += parts) {
        count_blocks(HAS_AVX2 ? look_wide : look_plain, job, parts);
        for (int k = 0; k < parts; k++) {
            all->low = reaches[k].low < all->low ? reaches[k].low : all->low;
            all->high = reaches[k].high > all->high ? reaches[k].high : all->high;
            all->finite &= reaches[k].finite;
        }
    }
    return all->finite;
}

/* Blocks one after the other, as NumPy adds them. */
static void add_blocks(const Job *job, int parts, char *result) {
    i64 count = job->bins.count;
    for (int part = 0; part < parts; part++) {
        const char *row = job->room + ((i64)part * (count + 1) + 1) * (i64)sizeof(f64);
        if (job->weights != NULL)
            for (i64 k = 0; k < count; k++)
                ((f64 *)result)[k] += ((const f64 *)row)[k];
        else
            for (i64 k = 0; k < count; k++)
                ((i64 *)result)[k] += ((const i64 *)row)[k];
    }
}

/* Counts, or sums, into `result`, which has zeros. The flags; RT_ERROR: no memory. */
static int count_all(Job *job, char *result) {
    i64 row = job->bins.count + 1, most = MOST_ROOM / row;
    most = most < 1 ? 1 : most > MOST_BLOCKS ? MOST_BLOCKS : most;
    most = most < blocks_of(job) ? most : blocks_of(job);
    job->room = PyMem_RawMalloc((size_t)(most * row) * sizeof(f64));
    if (job->room == NULL)
        return RT_ERROR;
    int status = 0;
    job->from = 0;
    for (int parts; (parts = next_blocks(job, most)) > 0; job->from += parts) {
        status |= count_blocks(HAS_AVX2 ? count_wide : count_plain, job, parts);
        add_blocks(job, parts, result);
    }
    PyMem_RawFree(job->room);
    return status | rt_flags();
}

/* ---- what it is called with --------------------------------------------------------------------- */

static int is_row(PyObject *obj) {
    PyArrayObject *array = (PyArrayObject *)obj;
    return PyArray_CheckExact(obj) && PyArray_TYPE(array) == NPY_DOUBLE && PyArray_ISCARRAY_RO(array) && PyArray_SIZE(array) > 0;
}

/* An end of the range. */
static int is_end(PyObject *obj, f64 *end) {
    if (!PyFloat_CheckExact(obj) && !PyLong_CheckExact(obj))
        return 0;
    *end = PyFloat_AsDouble(obj);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return 0;
    }
    return PyFloat_CheckExact(obj) ? *end - *end == 0 : -EXACT <= *end && *end <= EXACT;
}

/* First and last edge. 0: leave it to NumPy. */
static int ends_of(Job *job, PyObject *range) {
    Bins *bins = &job->bins;
    bins->given = range != Py_None;
    if (bins->given) {
        if (!PyTuple_CheckExact(range) || PyTuple_GET_SIZE(range) != 2 || !is_end(PyTuple_GET_ITEM(range, 0), &bins->first) ||
            !is_end(PyTuple_GET_ITEM(range, 1), &bins->last) || bins->first > bins->last)
            return 0;
    } else {
        Reach all;
        int finite;
        Py_BEGIN_ALLOW_THREADS
        finite = find_reach(job, &all);
        Py_END_ALLOW_THREADS
        if (!finite || all.high == 0) /* which of two zeros is the last edge, NumPy's vector code decides */
            return 0;
        bins->first = all.low, bins->last = all.high;
    }
    return 1;
}

/* As NumPy computes them of the range, or of the least and the largest element. NULL with an exception. */
static PyArrayObject *edges_of(const Bins *bins, PyObject *function, PyObject *count, PyObject *range) {
    npy_intp two = 2;
    PyObject *ends = PyArray_SimpleNew(1, &two, NPY_DOUBLE), *found;
    if (ends == NULL)
        return NULL;
    ((f64 *)PyArray_DATA((PyArrayObject *)ends))[0] = bins->first;
    ((f64 *)PyArray_DATA((PyArrayObject *)ends))[1] = bins->last;
    found = PyObject_CallFunctionObjArgs(function, ends, count, range, NULL);
    Py_DECREF(ends);
    if (found != NULL && (!is_row(found) || PyArray_SIZE((PyArrayObject *)found) != bins->count + 1)) {
        PyErr_SetString(PyExc_SystemError, "jitcore: other edges than those of a histogram");
        Py_CLEAR(found);
    }
    return (PyArrayObject *)found;
}

/* Counts and edges; NULL without an exception: leave it to NumPy. */
static PyObject *own_histogram(PyObject *edges_function, PyObject *x, PyObject *count, PyObject *range, PyObject *weights) {
    Job job = {0};
    if (!is_row(x) || !PyLong_CheckExact(count))
        return NULL;
    if (weights != Py_None && (!is_row(weights) || !PyArray_SAMESHAPE((PyArrayObject *)x, (PyArrayObject *)weights)))
        return NULL;
    int overflow;
    job.bins.count = PyLong_AsLongAndOverflow(count, &overflow);
    if (overflow || job.bins.count < 1 || job.bins.count > MOST_BINS)
        return NULL;
    job.x = PyArray_DATA((PyArrayObject *)x);
    job.size = PyArray_SIZE((PyArrayObject *)x);
    job.weights = weights == Py_None ? NULL : PyArray_DATA((PyArrayObject *)weights);
    if (!ends_of(&job, range) || job.bins.last - job.bins.first > MOST_WIDTH)
        return NULL;
    PyArrayObject *edges = edges_of(&job.bins, edges_function, count, range);
    if (edges == NULL)
        return NULL;
    if (job.bins.first == job.bins.last)
        job.bins.first -= 0.5, job.bins.last += 0.5;
    job.bins.width = job.bins.last - job.bins.first;
    job.bins.edges = PyArray_DATA(edges);
    npy_intp bins = job.bins.count;
    PyObject *counts = PyArray_ZEROS(1, &bins, job.weights ? NPY_DOUBLE : NPY_INTP, 0), *found = NULL;
    if (counts != NULL) {
        int status;
        char *result = PyArray_BYTES((PyArrayObject *)counts);
        Py_BEGIN_ALLOW_THREADS
        rt_clear();
        status = count_all(&job, result);
        Py_END_ALLOW_THREADS
        if (status == 0)
            found = PyTuple_Pack(2, counts, edges);
    }
    Py_XDECREF(counts);
    Py_DECREF(edges);
    return found;
}

static PyObject *numpys_histogram(PyObject *function, PyObject *x, PyObject *count, PyObject *range, PyObject *weights) {
    PyObject *args = PyTuple_Pack(5, x, count, range, Py_None, weights);
    PyObject *found = args ? PyObject_Call(function, args, NULL) : NULL;
    Py_XDECREF(args);
    return found;
}

static PyObject *histogram(PyObject *self, PyObject *const *args, Py_ssize_t nargs) {
    (void)self;
    if (nargs != 6) {
        PyErr_SetString(PyExc_TypeError, "six arguments are expected");
        return NULL;
    }
    PyObject *x = args[2], *weights = args[5];
    Py_INCREF(x);
    Py_INCREF(weights);
    workers_enter();
    PyObject *found = own_histogram(args[1], x, args[3], args[4], weights);
    workers_leave();
    rt_clear();
    if (found == NULL && !PyErr_Occurred())
        found = numpys_histogram(args[0], x, args[3], args[4], weights);
    Py_DECREF(x);
    Py_DECREF(weights);
    return found;
}

static PyMethodDef methods[] = {
    {"histogram", (PyCFunction)(void (*)(void))histogram, METH_FASTCALL,
     "histogram(numpys, edges, x, bins, range, weights): what numpys(x, bins, range, None, weights), which is np.histogram, gives. "
     "`edges` is np.histogram_bin_edges."},
    {NULL, NULL, 0, NULL},
};

int histogram_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
