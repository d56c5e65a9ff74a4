#include "loop/blocks.h"

#include "kernel/workers.h"

#define WORTH 100000 /* elements times iterations, some 0.3 ms, for whose sake others are woken: fewer take longer where the processors are not free */
#define PARTS 4     /* for each thread */

static int always; /* threads share whatever has two blocks: for tests */
static long long stretches;

typedef struct {
    rt_strand *fn;
    const rt_strands *strands;
    i64 parts;
} Job;

static int run_blocks(void *ptr, int part) {
    const Job *job = ptr;
    rt_strands own = *job->strands;
    i64 blocks = own.to - own.from;
    own.to = own.from + blocks * (part + 1) / job->parts;
    own.from += blocks * part / job->parts;
    return job->fn(&own, job->strands);
}

int blocks_run_apart(rt_strand *fn, rt_strands *job, i64 elements) {
    (void)elements;
    return run_blocks(&(Job){fn, job, 1}, 0);
}

int blocks_run(rt_strand *fn, rt_strands *job, i64 elements) {
    stretches += job->mode == RT_DO;
    if (job->to - job->from < 2 || (elements < WORTH && !always))
        return blocks_run_apart(fn, job, elements);
    workers_enter();
    i64 threads = workers_threads(), blocks = job->to - job->from, parts = PARTS * threads;
    Job shared = {fn, job, parts < blocks ? parts : blocks};
    int status = 0;
    if (threads < 2 || workers_run(run_blocks, &shared, (int)shared.parts, &status) != 0)
        status = blocks_run_apart(fn, job, elements);
    workers_leave();
    return status;
}

static PyObject *strands_always(PyObject *self, PyObject *given) {
    (void)self;
    int found = PyObject_IsTrue(given);
    if (found < 0)
        return NULL;
    always = found;
    Py_RETURN_NONE;
}

static PyObject *strands_count(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    return PyLong_FromLongLong(stretches);
}

static PyMethodDef methods[] = {
    {"strands_always", strands_always, METH_O, "strands_always(bool): whether threads share strands however few there are; for tests."},
    {"strands_count", strands_count, METH_NOARGS, "strands_count(): stretches so far, those that were undone included; for tests."},
    {NULL, NULL, 0, NULL},
};

int blocks_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
