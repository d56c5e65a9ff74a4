#include "numpy/bincount.h"

#include <numpy/arrayobject.h>
#include <string.h>

#include "../jitcore/runtime_c/kernel_rt.h"
#include "kernel/pool.h"

#define AHEAD 24            /* numbers, of bins that are asked for before they are due */
#define NEAR (1 << 15)      /* bins that a cache of 256 KiB holds */
#define FEW 1024            /* bins of which there may be several rows: equal numbers in a row wait for each other */
#define ROWS 4

static PyObject *numpys; /* np.bincount */

typedef struct {
    const void *x;
    const f64 *weights; /* NULL: they are counted */
    i64 size, bins;
    void *room; /* of i64, or f64; zeros */
} Job;

/* Not looked at yet: it may be nowhere. */
static const void *bin_at(const void *room, u64 k) { return (const void *)((uintptr_t)room + (uintptr_t)(k * sizeof(f64))); }

/* 0: a number has no bin. */
#define THROUGH_ALL(T, NAME, ROOM, MORE)                                   \
    static int NAME(const Job *job) {                                      \
        const T *x = job->x;                                               \
        const f64 *w = job->weights;                                       \
        ROOM *room = job->room;                                            \
        u64 bins = (u64)job->bins;                                         \
        i64 i = 0, ahead = job->bins > NEAR ? job->size - AHEAD : 0;       \
        (void)w;                                                           \
        for (; i < ahead; i++) {                                           \
            u64 k = (u64)(i64)x[i];                                        \
            __builtin_prefetch(bin_at(room, (u64)(i64)x[i + AHEAD]), 1);   \
            if (k >= bins)                                                 \
                return 0;                                                  \
            room[k] += MORE;                                               \
        }                                                                  \
        for (; i < job->size; i++) {                                       \
            u64 k = (u64)(i64)x[i];                                        \
            if (k >= bins)                                                 \
                return 0;                                                  \
            room[k] += MORE;                                               \
        }                                                                  \
        return 1;                                                          \
    }

#define OF_TYPE(T, NAME)                                                   \
    THROUGH_ALL(T, add_##NAME, f64, w[i])                                  \
    THROUGH_ALL(T, count_##NAME, i64, 1)                                   \
    static int count_few_##NAME(const Job *job) {                          \
        i64 rows[ROWS * FEW], *room = job->room, next = job->bins, i = 0;  \
        const T *x = job->x;                                               \
        u64 bins = (u64)job->bins;                                         \
        memset(rows, 0, (size_t)(ROWS * next) * sizeof *rows);             \
        for (; i + ROWS <= job->size; i += ROWS) {                         \
            u64 a = (u64)(i64)x[i], b = (u64)(i64)x[i + 1];                \
            u64 c = (u64)(i64)x[i + 2], d = (u64)(i64)x[i + 3];            \
            if (a >= bins || b >= bins || c >= bins || d >= bins)          \
                return 0;                                                  \
            rows[a]++;                                                     \
            rows[b + (u64)next]++;                                         \
            rows[c + (u64)(2 * next)]++;                                   \
            rows[d + (u64)(3 * next)]++;                                   \
        }                                                                  \
        for (; i < job->size; i++) {                                       \
            u64 k = (u64)(i64)x[i];                                        \
            if (k >= bins)                                                 \
                return 0;                                                  \
            rows[k]++;                                                     \
        }                                                                  \
        for (i64 k = 0; k < next; k++)                                     \
            room[k] = rows[k] + rows[k + next] + rows[k + 2 * next] + rows[k + 3 * next]; \
        return 1;                                                          \
    }                                                                      \
    static int done_##NAME(const Job *job) {                               \
        if (job->weights != NULL)                                          \
            return add_##NAME(job);                                        \
        return job->bins <= FEW ? count_few_##NAME(job) : count_##NAME(job); \
    }

OF_TYPE(i8, i8)
OF_TYPE(u8, u8)
OF_TYPE(i16, i16)
OF_TYPE(u16, u16)
OF_TYPE(i32, i32)
OF_TYPE(u32, u32)
OF_TYPE(i64, i64)

typedef int Done(const Job *job);

static Done *done_for(const PyArrayObject *x) {
    static Done *const of_signed[] = {done_i8, done_i16, done_i32, done_i64};
    static Done *const of_unsigned[] = {done_u8, done_u16, done_u32, NULL};
    char kind = PyArray_DESCR(x)->kind;
    int which = PyArray_ITEMSIZE(x) == 1 ? 0 : PyArray_ITEMSIZE(x) == 2 ? 1 : PyArray_ITEMSIZE(x) == 4 ? 2 : 3;
    return kind == 'i' ? of_signed[which] : kind == 'u' ? of_unsigned[which] : NULL;
}

static int has_nan(const Job *job) {
    const f64 *room = job->room;
    int found = 0;
    for (i64 k = 0; job->weights != NULL && k < job->bins; k++)
        found |= room[k] != room[k];
    return found;
}

static PyObject *zeros(int type, npy_intp count) {
    PyArray_Descr *descr = PyArray_DescrFromType(type);
    npy_intp step = PyDataType_ELSIZE(descr);
    PyObject *made = pool_array(descr, 1, &count, &step);
    Py_DECREF(descr);
    if (made != NULL)
        memset(PyArray_DATA((PyArrayObject *)made), 0, (size_t)(count * step));
    return made != NULL || PyErr_Occurred() ? made : PyArray_ZEROS(1, &count, type, 0);
}

static int is_row(PyObject *obj) {
    PyArrayObject *array = (PyArrayObject *)obj;
    return PyArray_CheckExact(obj) && PyArray_NDIM(array) == 1 && PyArray_ISCARRAY_RO(array) && PyArray_SIZE(array) > 0;
}

/* NULL without an exception: leave it to NumPy. */
static PyObject *own_bincount(PyObject *x, PyObject *weights, i64 bins) {
    int counts = weights == Py_None;
    Done *done = is_row(x) ? done_for((PyArrayObject *)x) : NULL;
    if (done == NULL || bins < 1)
        return NULL;
    if (!counts && (!is_row(weights) || PyArray_TYPE((PyArrayObject *)weights) != NPY_DOUBLE ||
                    !PyArray_SAMESHAPE((PyArrayObject *)x, (PyArrayObject *)weights)))
        return NULL;
    PyObject *made = zeros(counts ? NPY_INTP : NPY_DOUBLE, bins);
    if (made == NULL)
        return NULL;
    Job job = {PyArray_DATA((PyArrayObject *)x), counts ? NULL : PyArray_DATA((PyArrayObject *)weights),
               PyArray_SIZE((PyArrayObject *)x), bins, PyArray_DATA((PyArrayObject *)made)};
    if (!done(&job) || has_nan(&job))
        Py_CLEAR(made);
    rt_clear(); /* NumPy asks for no flags */
    return made;
}

static PyObject *numpys_own(PyObject *x, PyObject *weights, PyObject *bins) {
    PyObject *made = PyObject_CallFunctionObjArgs(numpys, x, weights, bins, NULL);
    if (made != NULL && PyArray_SIZE((PyArrayObject *)made) != PyLong_AsSsize_t(bins)) {
        Py_CLEAR(made);
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "there are more bins");
    }
    return made;
}

static PyObject *bincount(PyObject *self, PyObject *const *args, Py_ssize_t nargs) {
    (void)self;
    if (nargs != 3 || !PyLong_CheckExact(args[2])) {
        PyErr_SetString(PyExc_TypeError, "bincount(x, weights, bins) is expected");
        return NULL;
    }
    Py_ssize_t bins = PyLong_AsSsize_t(args[2]);
    if (bins == -1 && PyErr_Occurred())
        return NULL;
    PyObject *found = own_bincount(args[0], args[1], bins);
    return found != NULL || PyErr_Occurred() ? found : numpys_own(args[0], args[1], args[2]);
}

static PyMethodDef methods[] = {
    {"bincount", (PyCFunction)(void (*)(void))bincount, METH_FASTCALL,
     "bincount(x, weights, bins): np.bincount(x, weights, bins), if that has so many bins and no more; else ValueError."},
    {NULL, NULL, 0, NULL},
};

int bincount_init(PyObject *module) {
    PyObject *numpy = PyImport_ImportModule("numpy._core.multiarray"); /* `np.bincount` may be the program's */
    numpys = numpy ? PyObject_GetAttrString(numpy, "bincount") : NULL;
    Py_XDECREF(numpy);
    return numpys == NULL ? -1 : PyModule_AddFunctions(module, methods);
}
