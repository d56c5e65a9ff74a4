#include "loop/doall.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "kernel/workers.h"
#include "loop/blocks.h"
#include "loop/scratch.h"

#define SOON 60000     /* ns after which the rest is judged by what was done */
#define WORTH 150000   /* ns that the rest must take */
#define PIECES 32      /* for each thread: iterations may differ */
#define LEAST 20000    /* ns that a piece should take */
#define PENALTY 64        /* launches */
#define MOST_FAILED 3  /* in a row; then it rests for longer: signals or other threads may have been why */
#define LONG_PENALTY 4096
#define MOST_KEPT 16   /* arrays */

static int always; /* iterations are dealt out from the first one on, in small pieces: for tests */

static i64 nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (i64)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int iterations_from(const DoallCall *r, i64 begin, i64 end, i64 *gone) {
    r->world->begin = begin;
    r->world->end = end;
    *r->world->rounds = 0;
    int side_exit = r->fn(r->in, r->out, r->p, r->dim, r->step, r->world);
    *gone += *r->world->rounds;
    *r->world->rounds = *gone;
    return side_exit;
}

/* ---- what iterations write -------------------------------------------------------------------------- */

/* Where its elements begin and end. */
static void bounds(PyArrayObject *array, char **low, char **high) {
    *low = *high = PyArray_BYTES(array);
    for (int axis = 0; axis < PyArray_NDIM(array); axis++) {
        npy_intp reach = (PyArray_DIM(array, axis) - 1) * PyArray_STRIDE(array, axis);
        *(reach < 0 ? low : high) += reach;
    }
    *high += PyArray_ITEMSIZE(array);
}

/* No array lies where one is written, and no element of that one where another of its elements is. */
static int are_apart(const DoallCall *r) {
    for (int i = 0; i < r->ndoall_stores; i++) {
        PyArrayObject *array = r->arrays[r->doall_stores[i].array];
        char *low, *high, *from, *to;
        if (PyArray_SIZE(array) == 0 || !(PyArray_IS_C_CONTIGUOUS(array) || PyArray_IS_F_CONTIGUOUS(array)))
            return 0;
        bounds(array, &low, &high);
        for (int k = 0; k < r->narrays; k++) {
            if (k == r->doall_stores[i].array || PyArray_SIZE(r->arrays[k]) == 0)
                continue;
            bounds(r->arrays[k], &from, &to);
            if (from < high && low < to)
                return 0;
        }
    }
    return 1;
}

static void copy(char *to, const char *from, const i64 *extents, const i64 *steps, int ndim, size_t size) {
    if (ndim == 0) {
        memcpy(to, from, size);
        return;
    }
    for (i64 i = 0; i < extents[0]; i++)
        copy(to + i * steps[0], from + i * steps[0], extents + 1, steps + 1, ndim - 1, size);
}

/* What iterations from `begin` on would write is as it was. `kept`: the whole memory of the array. */
static void restore_stored(const DoallCall *r, const DoallStore *store, const char *kept, i64 begin) {
    PyArrayObject *array = r->arrays[store->array];
    i64 extents[NPY_MAXDIMS], steps[NPY_MAXDIMS], first = store->start + begin * store->step;
    int ndim = PyArray_NDIM(array);
    for (int axis = 0; axis < ndim; axis++) {
        extents[axis] = PyArray_DIM(array, axis);
        steps[axis] = PyArray_STRIDE(array, axis);
    }
    i64 left = extents[store->axis] - first, at = first * steps[store->axis];
    extents[store->axis] = left > 0 ? (left - 1) / store->step + 1 : 0;
    steps[store->axis] *= store->step;
    copy(PyArray_BYTES(array) + at, kept + at, extents, steps, ndim, (size_t)PyArray_ITEMSIZE(array));
}

static void drop(char **kept, int count) {
    for (int i = 0; i < count; i++)
        free(kept[i]);
}

static int keep_stored(const DoallCall *r, char **kept) {
    for (int i = 0; i < r->ndoall_stores; i++) {
        PyArrayObject *array = r->arrays[r->doall_stores[i].array];
        size_t bytes = (size_t)PyArray_NBYTES(array);
        kept[i] = malloc(bytes);
        if (kept[i] == NULL) {
            drop(kept, i);
            return 0;
        }
        memcpy(kept[i], PyArray_BYTES(array), bytes);
    }
    return 1;
}

static i64 bytes_written(const DoallCall *r) {
    i64 bytes = 0;
    for (int i = 0; i < r->ndoall_stores; i++)
        bytes += (i64)PyArray_NBYTES(r->arrays[r->doall_stores[i].array]);
    return bytes;
}

/* ---- pieces ------------------------------------------------------------------------------------- */

typedef struct {
    const DoallCall *call;
    i64 begin, size, end;
    atomic_int bad; /* the first piece that was left */
    _Atomic(i64) gone;
} Job;

static void note_bad(Job *job, int piece) {
    int now = atomic_load(&job->bad);
    while (piece < now && !atomic_compare_exchange_weak(&job->bad, &now, piece))
        ;
}

static int run_piece(void *ptr, int piece) {
    Job *job = ptr;
    const DoallCall *r = job->call;
    if (piece > atomic_load(&job->bad))
        return 0;
    i64 iterations = 0;
    rt_world world = *r->world;
    rt_slot *out = malloc(((size_t)r->nout + 1) * sizeof(rt_slot));
    world.rooms = calloc((size_t)r->nscratch + 1, sizeof(rt_room));
    world.room = scratch_make_apart;
    world.strands = blocks_run_apart;
    world.rounds = &iterations;
    world.sure = 0; /* what a piece writes may be put back */
    world.begin = job->begin + piece * job->size;
    world.end = world.begin + job->size < job->end ? world.begin + job->size : job->end;
    if (out == NULL || world.rooms == NULL || r->fn(r->in, out, r->p, r->dim, r->step, &world) != RT_PAUSED)
        note_bad(job, piece);
    atomic_fetch_add(&job->gone, iterations);
    scratch_empty(world.rooms, r->nscratch, 0);
    free(world.rooms);
    free(out);
    return 0;
}

/* The iteration that this thread goes on with; `cost`: of an iteration, in ns. */
static i64 run_pieces(const DoallCall *r, i64 begin, i64 end, i64 cost, DoallHistory *doall, i64 *gone) {
    char *kept[MOST_KEPT];
    int threads = workers_threads(), status = 0;
    i64 size = (end - begin - 1) / ((i64)threads * PIECES) + 1, least = always ? 1 : LEAST / (cost > 0 ? cost : 1) + 1;
    Job job = {.call = r, .begin = begin, .size = size > least ? size : least, .end = end, .bad = INT_MAX};
    int pieces = (int)((end - begin - 1) / job.size + 1);
    if (threads < 2 || pieces < 2 || !keep_stored(r, kept))
        return begin;
    int done = workers_run(run_piece, &job, pieces, &status) == 0;
    *gone += atomic_load(&job.gone);
    int bad = atomic_load(&job.bad);
    i64 next = !done ? begin : bad == INT_MAX ? end : begin + bad * job.size;
    for (int i = 0; done && next < end && i < r->ndoall_stores; i++)
        restore_stored(r, &r->doall_stores[i], kept[i], next);
    drop(kept, r->ndoall_stores);
    doall->failed = next < end ? doall->failed + done : 0;
    return next;
}

int doall_run(const DoallCall *r, DoallHistory *doall) {
    i64 at = 0, size = 1, gone = 0, spent = 0, began = nanoseconds();
    if ((doall->penalty > 0 && !always) || r->ndoall_stores > MOST_KEPT) {
        doall->penalty -= doall->penalty > 0;
        return iterations_from(r, 0, RT_ALL, &gone);
    }
    int side_exit = iterations_from(r, 0, 0, &gone); /* what stands before the loop, alone */
    i64 count = r->world->count;
    while (side_exit == RT_PAUSED && at < count && spent < (always ? 0 : SOON)) {
        i64 end = size < count - at ? at + size : count;
        side_exit = iterations_from(r, at, end, &gone);
        at = end;
        size *= 2;
        spent = nanoseconds() - began;
    }
    if (side_exit != RT_PAUSED)
        return side_exit;
    i64 cost = at > 0 ? spent / at : 0, remaining = cost * (count - at);
    workers_enter();
    int pays = always || (remaining > WORTH && remaining > bytes_written(r));
    i64 done = pays && are_apart(r) ? run_pieces(r, at, count, cost, doall, &gone) : at;
    if (done == at && doall->failed == 0)
        doall->penalty = PENALTY;
    if (doall->failed >= MOST_FAILED)
        *doall = (DoallHistory){.penalty = LONG_PENALTY};
    workers_leave();
    return iterations_from(r, done, RT_ALL, &gone);
}

static PyObject *deal_always(PyObject *self, PyObject *given) {
    (void)self;
    int found = PyObject_IsTrue(given);
    if (found < 0)
        return NULL;
    always = found;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"deal_always", deal_always, METH_O, "deal_always(bool): whether rounds are dealt out however little they do; for tests."},
    {NULL, NULL, 0, NULL},
};

int doall_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
