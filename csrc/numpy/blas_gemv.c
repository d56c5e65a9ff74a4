#include "numpy/blas_gemv.h"

#include <limits.h>
#include <string.h>

#include "kernel/kernel.h"
#include "kernel/workers.h"

#define WIDTH ((i64)sizeof(f64))
#define WIDE 8                      /* columns of a panel */
#define GROUP 6                     /* vectors by it at once */
#define NEXT 6                      /* rows further on are asked for */
#define DEEP 128                    /* rows of it: a multiple of four */
#define PANELS 4                    /* at once */
#define LEAST_ROWS 8
#define LEAST_COLUMNS 16
#define MOST_ROWS (1 << 20)
#define FEWEST 3                    /* vectors for whose sake it is worth a look */
#define THREADED 460800             /* elements: from here on OpenBLAS has threads */
#define WORTH 700000                /* products for whose sake ours have a share */
#define TAILS 8                     /* at once */

/* The last columns of what a thread of OpenBLAS gets: up to three. */
typedef struct {
    i64 lane, column, count;
} Tail;

/* `single`: the row that is left of four is fused; `tail`: the last columns are. `turned`: of the first two products, which is rounded. */
typedef struct {
    const char *name;
    int turned, single, tail;
} Order;

/* What products are made with. A trial has one of its own: other threads run loops meanwhile. */
typedef struct {
    const Order *order;   /* NULL: none here has NumPy's bits */
    int (*threads)(void); /* of OpenBLAS, now */
} Use;

static Use own;

/* One job: vectors x[lane], at steps, by the matrix; the columns from `lane` on where there is a rest only. */
typedef struct {
    const char *x, *y;
    i64 x_step, x_lane, y_step, n, p, lanes, row; /* row: of the room, in elements */
    int rest;
    f64 *room;
    Use use;
} Sweep;

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define WITH_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,avx2,fma")))
#define SAME WITH_AVX512 __attribute__((always_inline)) static inline
#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 8")
#endif

static const Order orders[] = {
    {"first, fused tail", 0, 0, 1}, {"second, fused tail", 1, 0, 1}, {"first", 0, 0, 0},        {"second", 1, 0, 0},
    {"first, all fused", 0, 1, 1},  {"second, all fused", 1, 1, 1},  {"first, fused single", 0, 1, 0}, {"second, fused single", 1, 1, 0},
};

#define FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define MUL(a, b) _mm256_mul_pd(a, b)
#define ADD(a, b) _mm256_add_pd(a, b)

/* ---- the columns of a panel: rows of the matrix by four --------------------------------------------- */

SAME __m512d first_two(__m512d a, __m512d b, __m512d x, __m512d y, int turned) {
    return turned ? _mm512_fmadd_pd(a, x, _mm512_mul_pd(b, y)) : _mm512_fmadd_pd(b, y, _mm512_mul_pd(a, x));
}

#define Y(k) _mm512_loadu_pd(y + (k) * WIDE)
#define X(k, l) _mm512_set1_pd(x[(k) * GROUP + (l)])

/* x: a row of GROUP for each row of y. The products of n rows are added to what stands in `out`. */
SAME void group_by(const int lanes, int turned, int single, int strided, i64 n, const f64 *x, const f64 *y, f64 *out, i64 row) {
    __m512d sum[GROUP];
    i64 i = 0;
    UNROLLED
    for (int l = 0; l < lanes; l++)
        sum[l] = _mm512_loadu_pd(out + l * row);
    for (; i + 4 <= n; i += 4, x += 4 * GROUP, y += 4 * WIDE) {
        const __m512d y0 = Y(0), y1 = Y(1), y2 = Y(2), y3 = Y(3);
        UNROLLED
        for (int l = 0; l < lanes; l++) {
            __m512d four = _mm512_fmadd_pd(y2, X(2, l), first_two(y0, y1, X(0, l), X(1, l), turned));
            sum[l] = _mm512_add_pd(sum[l], _mm512_fmadd_pd(y3, X(3, l), four));
        }
    }
    if (n - i >= 2 && !strided) {
        UNROLLED
        for (int l = 0; l < lanes; l++)
            sum[l] = _mm512_add_pd(sum[l], first_two(Y(0), Y(1), X(0, l), X(1, l), turned));
        i += 2, x += 2 * GROUP, y += 2 * WIDE;
    }
    for (; i < n; i++, x += GROUP, y += WIDE)
        UNROLLED
        for (int l = 0; l < lanes; l++)
            sum[l] = single ? _mm512_fmadd_pd(Y(0), X(0, l), sum[l]) : _mm512_add_pd(sum[l], _mm512_mul_pd(Y(0), X(0, l)));
    UNROLLED
    for (int l = 0; l < lanes; l++)
        _mm512_storeu_pd(out + l * row, sum[l]);
}

#undef X
#undef Y

SAME void groups_by(const Sweep *of, int turned, i64 n, const f64 *x, const f64 *y, f64 *out) {
    int strided = of->x_step != WIDTH, single = of->use.order->single;
    i64 lane = 0;
    for (; lane + GROUP <= of->lanes; lane += GROUP, x += GROUP * DEEP)
        group_by(GROUP, turned, single, strided, n, x, y, out + lane * of->row, of->row);
    for (; lane + 2 <= of->lanes; lane += 2, x += 2)
        group_by(2, turned, single, strided, n, x, y, out + lane * of->row, of->row);
    if (lane < of->lanes)
        group_by(1, turned, single, strided, n, x, y, out + lane * of->row, of->row);
}

static void pack_x(const Sweep *of, i64 from, i64 n, f64 *into) {
    for (i64 lane = 0; lane < of->lanes; lane++) {
        const char *x = of->x + lane * of->x_lane + from * of->x_step;
        f64 *group = into + lane / GROUP * GROUP * DEEP + lane % GROUP;
        for (i64 i = 0; i < n; i++)
            group[i * GROUP] = *(const f64 *)(x + i * of->x_step);
    }
}

/* Panels of WIDE columns, one behind the other: those from `column` to before `to`. */
WITH_AVX512 static void pack_y(const Sweep *of, i64 from, i64 n, i64 column, i64 to, f64 *into) {
    const char *y = of->y + from * of->y_step;
    for (i64 i = 0; i < n; i++, y += of->y_step, into += WIDE) {
        f64 *panel = into;
        for (i64 at = column; at < to; at += WIDE, panel += WIDE * DEEP) {
            i64 wide = of->p - at < WIDE ? of->p - at : WIDE;
            __builtin_prefetch(y + NEXT * of->y_step + at * WIDTH);
            _mm512_storeu_pd(panel, _mm512_maskz_loadu_pd((__mmask8)((1u << wide) - 1), y + at * WIDTH));
        }
    }
}

SAME void panels_by(const Sweep *of, int turned, i64 n, i64 from, i64 to, const f64 *x, const f64 *y) {
    for (i64 column = from; column < to; column += WIDE, y += WIDE * DEEP)
        groups_by(of, turned, n, x, y, of->room + column);
}

/* The columns `from` to before `to`. */
WITH_AVX512 static void sweep(const Sweep *of, i64 from, i64 to) {
    f64 x[RT_ROWS * DEEP], y[PANELS * WIDE * DEEP];
    for (i64 lane = 0; lane < of->lanes; lane++)
        memset(of->room + lane * of->row + from, 0, (size_t)((to - from + WIDE - 1) & ~(i64)(WIDE - 1)) * sizeof(f64));
    for (i64 at = 0; at < of->n; at += DEEP) {
        i64 n = of->n - at < DEEP ? of->n - at : DEEP;
        pack_x(of, at, n, x);
        for (i64 column = from; column < to; column += PANELS * WIDE) {
            i64 end = column + PANELS * WIDE < to ? column + PANELS * WIDE : to;
            pack_y(of, at, n, column, end, y);
            if (of->use.order->turned)
                panels_by(of, 1, n, column, end, x, y);
            else
                panels_by(of, 0, n, column, end, x, y);
        }
    }
}

/* ---- the last columns: rows of the matrix one by one ------------------------------------------------ */

WITH_AVX512 static void sum_tails(const Sweep *of, const Tail *tails, int count) {
    __m256d sum[TAILS];
    __m256i mask[TAILS];
    const char *x[TAILS], *y[TAILS];
    for (int k = 0; k < TAILS; k++) {
        const Tail *one = &tails[k < count ? k : 0];
        sum[k] = _mm256_setzero_pd();
        mask[k] = _mm256_setr_epi64x(-1, one->count > 1 ? -1 : 0, one->count > 2 ? -1 : 0, 0);
        x[k] = of->x + one->lane * of->x_lane;
        y[k] = of->y + one->column * WIDTH;
    }
    for (i64 i = 0; i < of->n; i++)
#if defined(__clang__)
        _Pragma("clang loop unroll(full)")
#else
        _Pragma("GCC unroll 8")
#endif
        for (int k = 0; k < TAILS; k++) {
            __m256d b = _mm256_broadcast_sd((const f64 *)(x[k] + i * of->x_step));
            __m256d a = _mm256_maskload_pd((const f64 *)(y[k] + i * of->y_step), mask[k]);
            sum[k] = of->use.order->tail ? FMA(a, b, sum[k]) : ADD(sum[k], MUL(a, b));
        }
    for (int k = 0; k < count; k++)
        _mm256_maskstore_pd(of->room + tails[k].lane * of->row + tails[k].column, mask[k], ADD(_mm256_setzero_pd(), sum[k]));
}

/* Columns are cut as OpenBLAS cuts them (driver/level2/gemv_thread.c there). */
static void all_tails(const Sweep *of, int threads) {
    Tail tails[TAILS];
    int count = 0;
    for (i64 lane = 0; lane < of->lanes; lane++) {
        i64 first = of->rest ? lane : 0, p = of->p - first, parts = p * of->n < THREADED ? 1 : threads;
        for (i64 at = 0, k = 0; at < p; k++) {
            i64 width = (p - at + parts - k - 1) / (parts - k), few = width & 3;
            at += width;
            if (few == 0)
                continue;
            tails[count++] = (Tail){lane, first + at - few, few};
            if (count == TAILS)
                sum_tails(of, tails, count), count = 0;
        }
    }
    if (count > 0)
        sum_tails(of, tails, count);
}

/* ---- all of it -------------------------------------------------------------------------------------- */

typedef struct {
    const Sweep *of;
    i64 columns; /* of a part */
} Parts;

static int sweep_columns(void *job, int part) {
    const Parts *parts = job;
    i64 from = part * parts->columns, to = from + parts->columns;
    sweep(parts->of, from, to < parts->of->p ? to : parts->of->p);
    return 0;
}

static void run_sweep(const Sweep *of, int threads) {
    int own = workers_threads(), status = 0;
    i64 parts = of->n * of->p * of->lanes < WORTH ? 1 : 2 * (i64)own, columns = (of->p / parts + WIDE) & ~(i64)(WIDE - 1);
    Parts job = {of, columns};
    if (own < 2 || parts < 2 || workers_run(sweep_columns, &job, (int)((of->p + columns - 1) / columns), &status) != 0)
        sweep(of, 0, of->p);
    all_tails(of, threads);
}

static int processor_has(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"); }

#else

static const Order orders[1];
static void run_sweep(const Sweep *of, int threads) { (void)of, (void)threads; }
static int processor_has(void) { return 0; }

#endif

/* Steps that NumPy gives to BLAS. */
static int is_upwards(i64 step, i64 least) { return step >= least * WIDTH && step % WIDTH == 0 && step / WIDTH < INT_MAX; }

/* x - x is 0 of what is finite. */
static int all_finite(const Sweep *of) {
    f64 sum = 0;
    for (i64 lane = 0; lane < of->lanes; lane++) {
        const f64 *row = of->room + lane * of->row;
        for (i64 j = of->rest ? lane : 0; j < of->p; j++)
            sum += row[j] - row[j];
    }
    return sum == 0;
}

static int try_sweep(Sweep *of) {
    int threads = of->use.order != NULL ? of->use.threads() : 0;
    if (threads < 1 || of->n < LEAST_ROWS || of->n > MOST_ROWS || !is_upwards(of->x_step, 1) || !is_upwards(of->y_step, of->p))
        return 0;
    i64 least = of->p - (of->rest ? of->lanes - 1 : 0);
    if (least < LEAST_COLUMNS || least / 4 < threads)
        return 0;
    of->row = (of->p + WIDE - 1) & ~(i64)(WIDE - 1);
    run_sweep(of, threads);
    return all_finite(of);
}

static void ahead(Use use, rt_rows *rows, i64 from, i64 lanes, i64 n, i64 p, const char *x, i64 x_step, i64 x_lane, const char *y,
                  i64 y_step, i64 y_column, i64 y_lane, int rest, char *room) {
    lanes = lanes < RT_ROWS ? lanes : RT_ROWS;
    if (rest && lanes > p - LEAST_COLUMNS)
        lanes = p - LEAST_COLUMNS;
    rows->from = from;
    rows->ready = 0;
    rows->to = from + (lanes > 0 ? lanes : 1);
    if (lanes < FEWEST || y_column != WIDTH || y_lane != (rest ? WIDTH : 0))
        return;
    Sweep of = {.x = x, .y = y, .x_step = x_step, .x_lane = x_lane, .y_step = y_step, .n = n, .p = p, .lanes = lanes, .rest = rest,
                .room = (f64 *)room, .use = use};
    rows->ready = try_sweep(&of);
    rows->row = (of.row + (rest ? 1 : 0)) * WIDTH;
}

void blas_gemv_ahead(rt_rows *rows, i64 from, i64 lanes, i64 n, i64 p, const char *x, i64 x_step, i64 x_lane, const char *y, i64 y_step,
                     i64 y_column, i64 y_lane, int rest, char *room) {
    ahead(own, rows, from, lanes, n, p, x, x_step, x_lane, y, y_step, y_column, y_lane, rest, room);
}

/* ---- which order is NumPy's --------------------------------------------------------------------- */

static Use named_use(unsigned long long threads, const char *name) {
    Use use = {NULL, (int (*)(void))(uintptr_t)threads};
    for (size_t k = 0; name != NULL && processor_has() && k < sizeof(orders) / sizeof(orders[0]); k++)
        if (strcmp(orders[k].name, name) == 0)
            use.order = &orders[k];
    return use;
}

static PyObject *choose_order(PyObject *module, PyObject *args) {
    unsigned long long threads;
    const char *name;
    (void)module;
    if (!PyArg_ParseTuple(args, "Ks", &threads, &name))
        return NULL;
    own = named_use(threads, name);
    return PyBool_FromLong(own.order != NULL);
}

static PyObject *names(PyObject *module, PyObject *ignored) {
    (void)module, (void)ignored;
    PyObject *found = PyList_New(0);
    for (size_t k = 0; found != NULL && processor_has() && k < sizeof(orders) / sizeof(orders[0]); k++) {
        PyObject *name = PyUnicode_FromString(orders[k].name);
        if (name == NULL || PyList_Append(found, name) < 0)
            Py_CLEAR(found);
        Py_XDECREF(name);
    }
    return found;
}

/* A memoryview's memory, of float64. */
static PyObject *row_products(PyObject *module, PyObject *args) {
    Py_buffer x, y, room;
    unsigned long long threads;
    const char *name;
    long long n, p, x_step, x_lane, y_step, lanes;
    int rest;
    (void)module;
    if (!PyArg_ParseTuple(args, "Ksy*y*w*LLLLLLp", &threads, &name, &x, &y, &room, &lanes, &n, &p, &x_step, &x_lane, &y_step, &rest))
        return NULL;
    rt_rows rows = {0};
    workers_enter();
    ahead(named_use(threads, name), &rows, 0, lanes, n, p, x.buf, x_step, x_lane, y.buf, y_step, WIDTH, rest ? WIDTH : 0, rest, room.buf);
    workers_leave();
    rt_clear();
    PyBuffer_Release(&x);
    PyBuffer_Release(&y);
    PyBuffer_Release(&room);
    return Py_BuildValue("iLL", rows.ready, (long long)(rows.to - rows.from), (long long)rows.row);
}

static PyMethodDef methods[] = {
    {"row_orders", names, METH_NOARGS, "row_orders(): those that there are."},
    {"row_order", choose_order, METH_VARARGS,
     "row_order(threads, name): from now on all loops use this one, if it is one here. `threads`: where the function is that says how many "
     "threads OpenBLAS has."},
    {"row_products", row_products, METH_VARARGS,
     "row_products(threads, name, x, y, room, lanes, n, p, x_step, x_lane, y_step, rest): rows_ahead by this order, for the trial: (ready, lanes, bytes of a row)."},
    {NULL, NULL, 0, NULL},
};

int blas_gemv_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
