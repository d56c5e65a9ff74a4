#include "parts.h"

#include "workers.h"

#define PER_THREAD 4 /* parts for each: one that comes late or slowly leaves more to the others */

typedef struct {
    const Kernel *kernel;
    char *const *p;
    i64 units;
    int parts;
} Job;

static int whole(const Kernel *k, char *const *p) {
    int status = k->fn(p, k->dim, k->step, k->loops);
    return status | rt_flags();
}

static i64 units_of(const Kernel *k) {
    return (k->dim[k->cut.axis] + k->cut.grain - 1) / k->cut.grain;
}

static int run_part(void *ptr, int part) {
    const Job *job = ptr;
    const Kernel *k = job->kernel;
    int axis = k->cut.axis;
    i64 dim[NPY_MAXDIMS];
    char *p[MAX_OPERANDS];
    i64 from = job->units * part / job->parts * k->cut.grain;
    i64 to = job->units * (part + 1) / job->parts * k->cut.grain;
    for (int d = 0; d < k->depth; d++)
        dim[d] = k->dim[d];
    dim[axis] = (to < k->dim[axis] ? to : k->dim[axis]) - from;
    for (int i = 0; i < k->nreads + k->noutputs; i++)
        p[i] = job->p[i] + from * k->step[i * k->depth + axis];
    int status = k->fn(p, dim, k->step, k->loops);
    return status | rt_flags();
}

static int in_parts(const Kernel *k, char *const *p) {
    Job job = {k, p, units_of(k), 0};
    i64 most = job.units / k->cut.least, wanted = (i64)PER_THREAD * workers_threads();
    job.parts = (int)(most < wanted ? most : wanted);
    int status = 0;
    if (job.parts < 2 || workers_threads() < 2 || workers_run(run_part, &job, job.parts, &status) < 0)
        return whole(k, p);
    return status;
}

int parts_run(const Kernel *k, char *const *p) {
    workers_enter();
    int status = k->cut.grain > 0 ? in_parts(k, p) : whole(k, p);
    workers_leave();
    return status;
}
