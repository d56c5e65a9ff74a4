#include "parallel.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "rooms.h"
#include "strands.h"
#include "workers.h"

#define SOON 60000     /* ns after which the rest is judged by what was done */
#define WORTH 150000   /* ns that the rest must take */
#define PIECES 32      /* for each thread: rounds may differ */
#define LEAST 20000    /* ns that a piece should take */
#define REST 64        /* launches */
#define MOST_FAILED 3  /* in a row; then it rests for longer: signals or other threads may have been why */
#define LONG_REST 4096
#define MOST_KEPT 16   /* arrays */

static int always; /* rounds are dealt out from the first one on, in small pieces: for tests */

static i64 nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (i64)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int rounds_from(const Rounds *r, i64 begin, i64 end, i64 *gone) {
    r->world->begin = begin;
    r->world->end = end;
    *r->world->rounds = 0;
    int way = r->fn(r->in, r->out, r->p, r->dim, r->step, r->world);
    *gone += *r->world->rounds;
    *r->world->rounds = *gone;
    return way;
}

/* ---- what rounds write -------------------------------------------------------------------------- */

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
static int are_apart(const Rounds *r) {
    for (int i = 0; i < r->ndealt; i++) {
        PyArrayObject *array = r->arrays[r->dealt[i].array];
        char *low, *high, *from, *to;
        if (PyArray_SIZE(array) == 0 || !(PyArray_IS_C_CONTIGUOUS(array) || PyArray_IS_F_CONTIGUOUS(array)))
            return 0;
        bounds(array, &low, &high);
        for (int k = 0; k < r->narrays; k++) {
            if (k == r->dealt[i].array || PyArray_SIZE(r->arrays[k]) == 0)
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

/* What rounds from `begin` on would write is as it was. `kept`: the whole memory of the array. */
static void put_back(const Rounds *r, const Dealt *dealt, const char *kept, i64 begin) {
    PyArrayObject *array = r->arrays[dealt->array];
    i64 extents[NPY_MAXDIMS], steps[NPY_MAXDIMS], first = dealt->start + begin * dealt->step;
    int ndim = PyArray_NDIM(array);
    for (int axis = 0; axis < ndim; axis++) {
        extents[axis] = PyArray_DIM(array, axis);
        steps[axis] = PyArray_STRIDE(array, axis);
    }
    i64 left = extents[dealt->axis] - first, at = first * steps[dealt->axis];
    extents[dealt->axis] = left > 0 ? (left - 1) / dealt->step + 1 : 0;
    steps[dealt->axis] *= dealt->step;
    copy(PyArray_BYTES(array) + at, kept + at, extents, steps, ndim, (size_t)PyArray_ITEMSIZE(array));
}

static void drop(char **kept, int count) {
    for (int i = 0; i < count; i++)
        free(kept[i]);
}

static int keep(const Rounds *r, char **kept) {
    for (int i = 0; i < r->ndealt; i++) {
        PyArrayObject *array = r->arrays[r->dealt[i].array];
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

static i64 bytes_written(const Rounds *r) {
    i64 bytes = 0;
    for (int i = 0; i < r->ndealt; i++)
        bytes += (i64)PyArray_NBYTES(r->arrays[r->dealt[i].array]);
    return bytes;
}

/* ---- pieces ------------------------------------------------------------------------------------- */

typedef struct {
    const Rounds *rounds;
    i64 begin, size, end;
    atomic_int bad; /* the first piece that was left */
    _Atomic(i64) gone;
} Job;

static void spoil(Job *job, int piece) {
    int now = atomic_load(&job->bad);
    while (piece < now && !atomic_compare_exchange_weak(&job->bad, &now, piece))
        ;
}

static int do_piece(void *ptr, int piece) {
    Job *job = ptr;
    const Rounds *r = job->rounds;
    if (piece > atomic_load(&job->bad))
        return 0;
    i64 rounds = 0;
    rt_world world = *r->world;
    rt_slot *out = malloc(((size_t)r->nout + 1) * sizeof(rt_slot));
    world.rooms = calloc((size_t)r->nrooms + 1, sizeof(rt_room));
    world.room = room_make_apart;
    world.strands = strands_run_apart;
    world.rounds = &rounds;
    world.sure = 0; /* what a piece writes may be put back */
    world.begin = job->begin + piece * job->size;
    world.end = world.begin + job->size < job->end ? world.begin + job->size : job->end;
    if (out == NULL || world.rooms == NULL || r->fn(r->in, out, r->p, r->dim, r->step, &world) != RT_PAUSED)
        spoil(job, piece);
    atomic_fetch_add(&job->gone, rounds);
    rooms_empty(world.rooms, r->nrooms, 0);
    free(world.rooms);
    free(out);
    return 0;
}

/* The round that this thread goes on with; `cost`: of a round, in ns. */
static i64 deal(const Rounds *r, i64 begin, i64 end, i64 cost, Dealing *dealing, i64 *gone) {
    char *kept[MOST_KEPT];
    int threads = workers_threads(), status = 0;
    i64 size = (end - begin - 1) / ((i64)threads * PIECES) + 1, least = always ? 1 : LEAST / (cost > 0 ? cost : 1) + 1;
    Job job = {.rounds = r, .begin = begin, .size = size > least ? size : least, .end = end, .bad = INT_MAX};
    int pieces = (int)((end - begin - 1) / job.size + 1);
    if (threads < 2 || pieces < 2 || !keep(r, kept))
        return begin;
    int done = workers_run(do_piece, &job, pieces, &status) == 0;
    *gone += atomic_load(&job.gone);
    int bad = atomic_load(&job.bad);
    i64 next = !done ? begin : bad == INT_MAX ? end : begin + bad * job.size;
    for (int i = 0; done && next < end && i < r->ndealt; i++)
        put_back(r, &r->dealt[i], kept[i], next);
    drop(kept, r->ndealt);
    dealing->failed = next < end ? dealing->failed + done : 0;
    return next;
}

int parallel_run(const Rounds *r, Dealing *dealing) {
    i64 at = 0, size = 1, gone = 0, spent = 0, began = nanoseconds();
    if ((dealing->resting > 0 && !always) || r->ndealt > MOST_KEPT) {
        dealing->resting -= dealing->resting > 0;
        return rounds_from(r, 0, RT_ALL, &gone);
    }
    int way = rounds_from(r, 0, 0, &gone); /* what stands before the loop, alone */
    i64 count = r->world->count;
    while (way == RT_PAUSED && at < count && spent < (always ? 0 : SOON)) {
        i64 end = size < count - at ? at + size : count;
        way = rounds_from(r, at, end, &gone);
        at = end;
        size *= 2;
        spent = nanoseconds() - began;
    }
    if (way != RT_PAUSED)
        return way;
    i64 cost = at > 0 ? spent / at : 0, rest = cost * (count - at);
    workers_enter();
    int pays = always || (rest > WORTH && rest > bytes_written(r));
    i64 done = pays && are_apart(r) ? deal(r, at, count, cost, dealing, &gone) : at;
    if (done == at && dealing->failed == 0)
        dealing->resting = REST;
    if (dealing->failed >= MOST_FAILED)
        *dealing = (Dealing){.resting = LONG_REST};
    workers_leave();
    return rounds_from(r, done, RT_ALL, &gone);
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

int parallel_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
