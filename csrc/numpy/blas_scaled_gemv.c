#include "numpy/blas_scaled_gemv.h"

#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include "../jitcore/runtime_c/kernel_rt.h"
#include "kernel/kernel.h"
#include "kernel/workers.h"

#define WIDTH ((i64)sizeof(f64))
#define LEAST 460800    /* elements: from here on OpenBLAS has threads */
#define WIDEST 100000   /* columns: so a piece of four rows is a call on one of its threads; one of five to seven has the bits of one call */
#define PIECE 32768     /* elements of a piece, if that is four rows or more */
#define FEWEST 4        /* rows that a thread of OpenBLAS gets */
#define MOST_RANGES 256

/* What products are made with. A trial has one of its own: other threads run compiled code meanwhile. */
typedef struct {
    PyObject *capsules;   /* NULL: all is NumPy's */
    rt_loop matmul;       /* theirs */
    int (*threads)(void); /* of OpenBLAS, now */
    int order;
} Use;

static Use own; /* of capsules that are kept for good */

typedef struct {
    i64 from, to;
} Range;

/* How the sums of four rows are made: by NumPy's loop, of a piece that has been multiplied; or here, in the order that it has with
 * OpenBLAS on processors with AVX2 (kernel/x86_64/dgemv_t_4.c there). Of the last columns, `turned`: which product is rounded. */
enum { BY_PIECES, IN_ORDER, IN_ORDER_TURNED, ORDERS };

typedef struct {
    f64 factor;
    const char *matrix, *vector;
    char *out;
    i64 columns, piece; /* rows of a piece: a multiple of four */
    Range ranges[MOST_RANGES];
    Use use;
} Job;

/* ---- a range of rows ---------------------------------------------------------------------------- */

#if defined(__x86_64__) && defined(__GNUC__)
#define WITH_AVX2 __attribute__((target("avx2"), optimize("O3")))
#define HAS_AVX2 __builtin_cpu_supports("avx2")
#else
#define WITH_AVX2
#define HAS_AVX2 0
#endif

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define HAS_ORDER (HAS_AVX2 && __builtin_cpu_supports("fma"))
#define BLOCK 2048 /* columns that are summed up by themselves */
#define NEXT 192   /* columns further on are asked for */

/* The product of each of four rows and the vector, of the columns behind the last four. */
__attribute__((target("avx2,fma"), always_inline)) static inline f64 last_of(f64 sum, const f64 *a, const f64 *x, i64 few, f64 by, int turned) {
    if (few == 1)
        return __builtin_fma(by * a[0], x[0], sum);
    f64 two = turned ? __builtin_fma(by * a[0], x[0], by * a[1] * x[1]) : __builtin_fma(by * a[1], x[1], by * a[0] * x[0]);
    return sum + (few == 2 ? two : __builtin_fma(by * a[2], x[2], two));
}

__attribute__((target("avx2,fma"))) static int sum_fours(const Job *job, i64 from, i64 rows) {
    const i64 columns = job->columns, even = columns & ~(i64)3;
    const f64 *x = (const f64 *)job->vector, *a = (const f64 *)job->matrix + from * columns;
    const __m256d by = _mm256_set1_pd(job->factor);
    f64 *out = (f64 *)job->out + from;
    for (i64 row = 0; row < rows; row += 4, a += 4 * columns) {
        f64 y[4] = {0, 0, 0, 0};
        for (i64 at = 0; at < even; at += BLOCK) {
            const i64 end = even - at < BLOCK ? even : at + BLOCK;
            __m256d s0 = _mm256_setzero_pd(), s1 = s0, s2 = s0, s3 = s0;
#define ADDED(sum, k) _mm256_fmadd_pd(_mm256_mul_pd(by, _mm256_loadu_pd(a + (k) * columns + j)), v, sum)
            for (i64 j = at; j < end; j += 4) {
                const __m256d v = _mm256_loadu_pd(x + j);
                for (int k = 0; k < 4; k++)
                    __builtin_prefetch(a + k * columns + j + NEXT);
                s0 = ADDED(s0, 0), s1 = ADDED(s1, 1), s2 = ADDED(s2, 2), s3 = ADDED(s3, 3);
            }
#undef ADDED
            const __m256d all[4] = {s0, s1, s2, s3};
            for (int k = 0; k < 4; k++) {
                __m128d half = _mm_add_pd(_mm256_castpd256_pd128(all[k]), _mm256_extractf128_pd(all[k], 1));
                y[k] += half[0] + half[1];
            }
        }
        for (int k = 0; k < 4; k++)
            out[row + k] = even == columns ? y[k] : last_of(y[k], a + k * columns + even, x + even, columns - even, job->factor, job->use.order == IN_ORDER_TURNED);
    }
    return rt_flags();
}

#else
#define HAS_ORDER 0
static int sum_fours(const Job *job, i64 from, i64 rows) { return (void)job, (void)from, (void)rows, 0; }
#endif

#define TIMES(name, how)                                                             \
    how static void name(f64 *restrict into, f64 factor, const f64 *x, i64 n) {      \
        for (i64 i = 0; i < n; i++)                                                  \
            into[i] = factor * x[i];                                                 \
    }
TIMES(times_wide, WITH_AVX2)
TIMES(times_plain, )

/* No piece has fewer than four rows: a product of one row is another function of BLAS's. */
static i64 piece_end(i64 at, i64 piece, i64 end) { return end - at - piece < FEWEST ? end : at + piece; }

static int multiply_rows(const Job *job, f64 *room, i64 from, i64 rows) {
    const f64 *x = (const f64 *)job->matrix + from * job->columns;
    (HAS_AVX2 ? times_wide : times_plain)(room, job->factor, x, rows * job->columns);
    int flags = rt_flags();
    i64 row = job->columns * WIDTH;
    char *data[] = {(char *)room, (char *)job->vector, job->out + from * WIDTH};
    i64 dim[] = {1, rows, job->columns, 1}, step[] = {0, 0, 0, row, WIDTH, WIDTH, 0, WIDTH, 0};
    return flags | (job->use.matmul.fn(job->use.matmul.context, data, dim, step, job->use.matmul.aux) ? RT_ERROR : 0) | rt_flags();
}

static int run_range(void *of, int part) {
    const Job *job = of;
    const Range *range = &job->ranges[part];
    f64 *room = PyMem_RawMalloc((size_t)((job->piece + 3) * job->columns) * sizeof(f64));
    int status = room == NULL ? RT_ERROR : 0;
    i64 from = range->from;
    if (job->use.order != BY_PIECES && status == 0) { /* but for the last four rows, and what is left of four */
        i64 fours = ((range->to - from) & ~(i64)3) - ((range->to - from) & 3 ? 4 : 0);
        status = sum_fours(job, from, fours);
        from += fours;
    }
    for (i64 at = from, end; at < range->to && status == 0; at = end) {
        end = piece_end(at, job->piece, range->to);
        status = multiply_rows(job, room, at, end - at);
    }
    PyMem_RawFree(room);
    return status;
}

/* ---- all of them -------------------------------------------------------------------------------- */

/* What each thread of OpenBLAS would get, in pieces for ours. 0: too many. */
static int cut(Job *job, i64 rows, int threads, int wanted) {
    int count = 0, cuts = (wanted + threads - 1) / threads;
    for (i64 at = 0, k = 0; at < rows; k++) {
        i64 width = (rows - at + threads - k - 1) / (threads - k);
        width = width < FEWEST ? FEWEST : width;
        i64 end = at + width < rows ? at + width : rows, part = ((end - at) / cuts + 3) & ~(i64)3;
        for (i64 next; at < end; at = next) {
            if (count == MOST_RANGES)
                return 0;
            next = piece_end(at, part, end);
            job->ranges[count++] = (Range){at, next};
        }
    }
    return count;
}

static int run_ranges(Job *job, int parts) {
    int status = 0;
    if (parts > 1 && workers_threads() > 1 && workers_run(run_range, job, parts, &status) == 0)
        return status;
    for (int part = 0; part < parts; part++)
        status |= run_range(job, part);
    return status;
}

static int is_plain_array(PyObject *obj, int ndim) {
    PyArrayObject *array = (PyArrayObject *)obj;
    return PyArray_CheckExact(obj) && PyArray_TYPE(array) == NPY_DOUBLE && PyArray_NDIM(array) == ndim && PyArray_ISCARRAY_RO(array);
}

/* x - x is 0 of what is finite. */
static int all_finite(const f64 *x, i64 n) {
    f64 sum = 0;
    for (i64 i = 0; i < n; i++)
        sum += x[i] - x[i];
    return sum == 0;
}

/* NULL without an exception: leave it to NumPy. */
static PyObject *own_product(Use use, PyObject *factor, PyObject *matrix, PyObject *vector) {
    if (use.capsules == NULL || !(PyFloat_CheckExact(factor) || PyArray_IsScalar(factor, Double)) || !is_plain_array(matrix, 2) ||
        !is_plain_array(vector, 1))
        return NULL;
    npy_intp rows = PyArray_DIM((PyArrayObject *)matrix, 0), columns = PyArray_DIM((PyArrayObject *)matrix, 1);
    int threads = use.threads();
    Job job = {.factor = PyFloat_AsDouble(factor), .columns = columns, .use = use};
    if (PyArray_DIM((PyArrayObject *)vector, 0) != columns || columns < 16 || columns > WIDEST || rows * columns < LEAST ||
        job.factor - job.factor != 0 || threads < 1 || rows / threads < FEWEST)
        return NULL;
    job.piece = PIECE / columns & ~(i64)3;
    job.piece = job.piece < 4 ? 4 : job.piece;
    int parts = cut(&job, rows, threads, 4 * workers_threads());
    PyObject *out = parts > 0 ? PyArray_SimpleNew(1, &rows, NPY_DOUBLE) : NULL;
    if (out == NULL)
        return NULL;
    job.matrix = PyArray_BYTES((PyArrayObject *)matrix);
    job.vector = PyArray_BYTES((PyArrayObject *)vector);
    job.out = PyArray_BYTES((PyArrayObject *)out);
    int status;
    Py_BEGIN_ALLOW_THREADS
    rt_clear();
    status = run_ranges(&job, parts) | rt_flags() | !all_finite((const f64 *)job.out, rows);
    rt_clear();
    Py_END_ALLOW_THREADS
    if (status != 0)
        Py_CLEAR(out);
    return out;
}

static PyObject *numpys_product(PyObject *multiply, PyObject *matmul, PyObject *factor, PyObject *matrix, PyObject *vector) {
    PyObject *scaled = PyObject_CallFunctionObjArgs(multiply, factor, matrix, NULL), *found = NULL;
    if (scaled != NULL)
        found = PyObject_CallFunctionObjArgs(matmul, scaled, vector, NULL);
    Py_XDECREF(scaled);
    return found;
}

static PyObject *scaled_product(PyObject *self, PyObject *const *args, Py_ssize_t nargs) {
    (void)self;
    if (nargs != 5) {
        PyErr_SetString(PyExc_TypeError, "five arguments are expected");
        return NULL;
    }
    for (int k = 0; k < 5; k++)
        Py_INCREF(args[k]);
    workers_enter();
    PyObject *found = own_product(own, args[2], args[3], args[4]);
    workers_leave();
    if (found == NULL && !PyErr_Occurred())
        found = numpys_product(args[0], args[1], args[2], args[3], args[4]);
    for (int k = 0; k < 5; k++)
        Py_DECREF(args[k]);
    return found;
}

/* ---- what it works with ------------------------------------------------------------------------- */

/* 0, or -1 with an exception. The loop is the capsule's, which the caller keeps. */
static int read_use(PyObject *capsules, unsigned long long threads, int order, Use *use) {
    int count;
    rt_loop *loops = inner_loops(capsules, &count);
    if (loops == NULL)
        return -1;
    if (count == 1)
        *use = (Use){capsules, loops[0], (int (*)(void))(uintptr_t)threads, HAS_ORDER && order > BY_PIECES && order < ORDERS ? order : BY_PIECES};
    else
        PyErr_SetString(PyExc_ValueError, "one loop is expected");
    PyMem_Free(loops);
    return count == 1 ? 0 : -1;
}

static PyObject *scaled_use(PyObject *self, PyObject *args) {
    PyObject *capsules;
    unsigned long long threads;
    int order;
    Use use;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!Ki", &PyTuple_Type, &capsules, &threads, &order) || read_use(capsules, threads, order, &use) < 0)
        return NULL;
    Py_INCREF(capsules);
    own = use;
    return PyBool_FromLong(own.order == order);
}

static PyObject *scaled_try(PyObject *self, PyObject *args) {
    PyObject *capsules, *factor, *matrix, *vector;
    unsigned long long threads;
    int order;
    Use use;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!KiOOO", &PyTuple_Type, &capsules, &threads, &order, &factor, &matrix, &vector) ||
        read_use(capsules, threads, order, &use) < 0)
        return NULL;
    if (use.order != order)
        Py_RETURN_NONE;
    workers_enter();
    PyObject *found = own_product(use, factor, matrix, vector);
    workers_leave();
    return found != NULL || PyErr_Occurred() ? found : Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"scaled_use", scaled_use, METH_VARARGS,
     "scaled_use((loop,), threads, order): from now on products are made so: NumPy's loop of matmul of float64, where the function is that "
     "says how many threads OpenBLAS has, and whose order of additions it is: 0: the loop's, 1 and 2: our own. Is there this one here?"},
    {"scaled_try", scaled_try, METH_VARARGS,
     "scaled_try((loop,), threads, order, number, matrix, vector): the product made so, for the trial; None: it is not made here."},
    {"scaled_product", (PyCFunction)(void (*)(void))scaled_product, METH_FASTCALL,
     "scaled_product(multiply, matmul, number, matrix, vector): what matmul(multiply(number, matrix), vector) gives."},
    {NULL, NULL, 0, NULL},
};

int blas_scaled_gemv_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
