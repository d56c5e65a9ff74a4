#include "kernel/split.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/undo.h"
#include "kernel/workers.h"

#define PER_THREAD 4 /* parts for each: one that comes late or slowly leaves more to the others */
#define MOST_NODES 64 /* parts that are asked for where results are joined; there may be twice as many */
#define LEAST_NODE 1024 /* elements; NumPy's trees go down to 128, loose ones to this (jitcore/kernels/emit/reductions.py) */

#define KEPT (1 << 14)   /* bytes of a target that are kept at a time: the loop finds them in the nearest cache */
#define PIECE (1 << 16)  /* bytes that are rehearsed at a time, */
#define MOST_PIECE (1 << 19) /* if they can be so few */

typedef union {
    i64 whole;
    char bytes[16];
} Result;

typedef struct {
    const Kernel *kernel;
    char *const *p;
    i64 units;          /* of parts of one size */
    int parts;
    i64 longest;        /* or of nodes of a tree: this many elements at most */
    char *old;          /* where a target's elements are kept; NULL: nowhere */
    i64 piece;          /* units that are kept, or rehearsed, at a time */
    i64 from[2 * MOST_NODES + 1];
    Result *results;    /* of the folds, part by part */
} Job;

static int call_kernel(const Kernel *k, char *const *p, const i64 *dim) {
    int status = k->fn(p, dim, k->step, k->loops);
    return status | rt_flags();
}

static int operands(const Kernel *k) { return k->nreads + k->ntargets; }

/* The loop from one place to another along the axis that is cut. */
static void place(const Job *job, i64 from, i64 to, char **p, i64 *dim) {
    const Kernel *k = job->kernel;
    for (int d = 0; d < k->depth; d++)
        dim[d] = d == k->cut.axis ? to - from : k->dim[d];
    dim[k->depth] = RT_WHOLE;
    dim[k->depth + 1] = from;
    for (int i = 0; i < operands(k); i++)
        p[i] = job->p[i] + from * k->step[i * k->depth + k->cut.axis];
}

/* ---- parts that have results of their own --------------------------------------------------- */

static int run_units(const Job *job, i64 from, i64 to) {
    const Cut *cut = &job->kernel->cut;
    i64 dim[NPY_MAXDIMS + 2], end = job->kernel->dim[cut->axis];
    char *p[MAX_OPERANDS];
    place(job, from * cut->grain, to * cut->grain < end ? to * cut->grain : end, p, dim);
    if (job->old != NULL)
        undo_keep(job->kernel, job->old, from * cut->grain, dim, p[job->kernel->nreads + job->kernel->write.output]);
    return call_kernel(job->kernel, p, dim);
}

static int run_part(void *ptr, int part) {
    const Job *job = ptr;
    i64 to = job->units * (part + 1) / job->parts;
    int status = 0;
    for (i64 from = job->units * part / job->parts; from < to; from += job->piece)
        status |= run_units(job, from, from + job->piece < to ? from + job->piece : to);
    return status;
}

static int in_parts(Job *job) {
    const Kernel *k = job->kernel;
    job->units = (k->dim[k->cut.axis] + k->cut.grain - 1) / k->cut.grain;
    job->piece = job->old == NULL ? job->units : undo_grains(k, KEPT);
    i64 most = job->units / k->cut.least, wanted = (i64)PER_THREAD * workers_threads();
    job->parts = workers_threads() < 2 ? 1 : (int)(most < wanted ? most : wanted);
    int status = 0;
    if (job->parts > 1 && workers_run(run_part, job, job->parts, &status) == 0)
        return status;
    job->parts = 1;
    return job->old == NULL ? call_kernel(k, job->p, k->dim) : run_part(job, 0);
}

/* ---- parts whose results are joined --------------------------------------------------------- */

/* As NumPy halves a sum, until the halves are short enough. */
static i64 left_of(i64 n) { return n / 2 - n / 2 % 8; }

static void divide(Job *job, i64 from, i64 n) {
    if (n > job->longest) {
        divide(job, from, left_of(n));
        divide(job, from + left_of(n), n - left_of(n));
        return;
    }
    job->from[job->parts++] = from;
}

/* Of the first part they are where the whole's will be. */
static void results_of(const Job *job, int part, char **p) {
    int joined = job->kernel->cut.joined, first = operands(job->kernel) - joined;
    for (int j = 0; j < joined; j++)
        p[first + j] = part == 0 ? job->p[first + j] : job->results[part * joined + j].bytes;
}

static int run_node(void *ptr, int part) {
    const Job *job = ptr;
    i64 dim[3];
    char *p[MAX_OPERANDS];
    place(job, job->from[part], job->from[part + 1], p, dim);
    results_of(job, part, p);
    dim[1] = RT_PART;
    return call_kernel(job->kernel, p, dim);
}

/* The results of this node, of which `part` is the first, are in those of `part`. The first part of the next node. */
static int join_results(const Job *job, i64 n, int part) {
    if (n <= job->longest)
        return part + 1;
    char *p[2 * MAX_OPERANDS];
    i64 dim[2] = {n, RT_JOIN};
    int middle = join_results(job, left_of(n), part), end = join_results(job, n - left_of(n), middle);
    results_of(job, part, p);
    results_of(job, middle, p + operands(job->kernel));
    (void)call_kernel(job->kernel, p, dim);
    return end;
}

static int finish(const Job *job) {
    i64 dim[2] = {job->kernel->dim[0], RT_FINISH};
    join_results(job, dim[0], 0);
    return call_kernel(job->kernel, job->p, dim); /* flags that joining raised stand until now */
}

static int in_nodes(Job *job) {
    const Kernel *k = job->kernel;
    i64 n = k->dim[0], wanted = (i64)PER_THREAD * workers_threads(), least = k->cut.least * k->cut.grain;
    i64 longest = n / (wanted < MOST_NODES ? wanted : MOST_NODES) + 1;
    job->longest = longest > least ? longest : least;
    if (job->longest < LEAST_NODE)
        job->longest = LEAST_NODE;
    int status = 0;
    if (n > job->longest) {
        divide(job, 0, n);
        job->from[job->parts] = n;
        job->results = malloc(sizeof(Result) * job->parts * k->cut.joined);
    }
    if (job->results == NULL || workers_run(run_node, job, job->parts, &status) < 0)
        status = call_kernel(k, job->p, k->dim);
    else
        status |= finish(job);
    free(job->results);
    return status;
}

/* ---- rehearsals ----------------------------------------------------------------------------- */

static i64 bytes_of_grain(const Kernel *k) {
    i64 bytes = k->operands[k->ninputs + k->write.output].itemsize * k->cut.grain;
    for (int d = 0; d < k->depth; d++)
        bytes *= d == k->cut.axis ? 1 : k->dim[d];
    return bytes;
}

int split_can_rehearse(const Kernel *k) {
    return k->write.rehearsed && k->write.certain && undo_by_pieces(k) && k->noutputs == 1 && k->ndonated == 0 &&
           bytes_of_grain(k) <= MOST_PIECE;
}

static void copy_any_box(int depth, const i64 *dim, char *to, const i64 *to_step, const char *from, const i64 *from_step,
                         int size) {
    if (depth == 1 && to_step[0] == size && from_step[0] == size) {
        memcpy(to, from, (size_t)(dim[0] * size));
        return;
    }
    for (i64 i = 0; i < dim[0]; i++, to += to_step[0], from += from_step[0]) {
        if (depth == 1)
            memcpy(to, from, (size_t)size);
        else
            copy_any_box(depth - 1, dim + 1, to, to_step + 1, from, from_step + 1, size);
    }
}

/* Has the one the very bytes of the other? */
static int same_box(int depth, const i64 *dim, const char *one, const i64 *one_step, const char *two, const i64 *two_step,
                    int size) {
    if (depth == 1 && one_step[0] == size && two_step[0] == size)
        return memcmp(one, two, (size_t)(dim[0] * size)) == 0;
    for (i64 i = 0; i < dim[0]; i++, one += one_step[0], two += two_step[0]) {
        if (depth == 1 ? memcmp(one, two, (size_t)size) != 0
                       : !same_box(depth - 1, dim + 1, one, one_step + 1, two, two_step + 1, size))
            return 0;
    }
    return 1;
}

/* One piece after the other of this part: what stands in the target, and the loop on that. */
static int rehearse_pieces(const Job *job, i64 from, i64 to, char *memory, i64 *step) {
    const Kernel *k = job->kernel;
    const i64 *own = k->step + kernel_target(k) * k->depth;
    int size = k->operands[k->ninputs + k->write.output].itemsize, status = 0;
    i64 dense = size, end = k->dim[k->cut.axis];
    memcpy(step, k->step, (size_t)k->nsteps * sizeof(i64));
    for (int d = k->depth - 1; d >= 0; d--) {
        step[kernel_target(k) * k->depth + d] = own[d] == 0 ? 0 : dense;
        dense *= d == k->cut.axis ? job->piece * k->cut.grain : k->dim[d];
    }
    for (i64 at = from; at < to; at += job->piece) {
        i64 dim[NPY_MAXDIMS + 2], last = (at + job->piece < to ? at + job->piece : to) * k->cut.grain;
        char *p[MAX_OPERANDS];
        place(job, at * k->cut.grain, last < end ? last : end, p, dim);
        copy_any_box(k->depth, dim, memory, step + kernel_target(k) * k->depth, p[kernel_target(k)], own, size);
        const char *there = p[kernel_target(k)];
        p[kernel_target(k)] = memory;
        status |= k->fn(p, dim, step, k->loops);
        if (!(status & RT_CHANGED) && !same_box(k->depth, dim, memory, step + kernel_target(k) * k->depth, there, own, size))
            status |= RT_CHANGED;
    }
    return status | rt_flags();
}

static int rehearse_part(void *ptr, int part) {
    const Job *job = ptr;
    const Kernel *k = job->kernel;
    i64 from = job->units * part / job->parts, to = job->units * (part + 1) / job->parts;
    char *memory = malloc((size_t)(job->piece * bytes_of_grain(k)));
    i64 *step = malloc((size_t)(k->nsteps + 1) * sizeof(i64));
    int status = memory && step ? rehearse_pieces(job, from, to, memory, step) : RT_DOUBT;
    free(memory);
    free(step);
    return status;
}

int split_rehearse(const Kernel *k, char *const *p, char *none) {
    (void)none;
    Job job = {.kernel = k, .p = p, .parts = 1};
    int status = 0;
    job.units = (k->dim[k->cut.axis] + k->cut.grain - 1) / k->cut.grain;
    job.piece = PIECE / bytes_of_grain(k);
    if (job.piece < 1)
        job.piece = 1;
    workers_enter();
    i64 most = job.units / k->cut.least, wanted = (i64)PER_THREAD * workers_threads();
    if (workers_threads() > 1 && most > 1)
        job.parts = (int)(most < wanted ? most : wanted);
    if (job.parts < 2 || workers_run(rehearse_part, &job, job.parts, &status) < 0) {
        job.parts = 1;
        status = rehearse_part(&job, 0);
    }
    workers_leave();
    return status;
}

/* --------------------------------------------------------------------------------------------- */

int split_run(const Kernel *k, char *const *p, char *old) {
    Job job = {.kernel = k, .p = p, .old = old};
    int status;
    workers_enter();
    if (old == NULL && (k->cut.grain == 0 || workers_threads() < 2))
        status = call_kernel(k, p, k->dim);
    else
        status = k->cut.joined ? in_nodes(&job) : in_parts(&job);
    workers_leave();
    return status;
}
