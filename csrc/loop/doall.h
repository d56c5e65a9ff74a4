/* A native loop whose outermost loop may do its iterations in any order (jitcore/loops/transform/doall.py): dealt out among threads.
 *
 *     iterations 0 … k     by this thread, until it is known how long they take
 *     iterations k … n     in pieces, by all threads; what was in the arrays before is kept
 *     the end              by this thread
 *
 * A piece that would leave the native loop (an exception, a warning, a signal) is undone with all pieces behind it, and this
 * thread goes on from there alone: so CPython finds the arrays as if one iteration had followed the other. The GIL is held
 * all the while, and only this thread uses Python.
 */
#ifndef JITCORE_LOOP_DOALL_H
#define JITCORE_LOOP_DOALL_H

#include "kernel/kernel.h"

#include "../jitcore/runtime_c/kernel_rt.h"
#include "../jitcore/runtime_c/routine_rt.h"

typedef int native_loop_fn(const rt_slot *in, rt_slot *out, char *const *p, const i64 *const *dim, const i64 *const *step,
                           rt_world *world);

/* Iteration k writes only where index `start` + k * `step` of `axis` is. */
typedef struct {
    int array; /* of the launch */
    int axis;
    i64 start, step;
} DoallStore;

/* All borrowed. */
typedef struct {
    native_loop_fn *fn;
    const rt_slot *in;
    rt_slot *out;
    int nout;
    char *const *p;
    const i64 *const *dim, *const *step;
    rt_world *world;
    int nscratch;
    PyArrayObject *const *arrays;
    int narrays;
    const DoallStore *doall_stores;
    int ndoall_stores;
} DoallCall;

/* How this has gone, for one native loop. */
typedef struct {
    int penalty; /* launches that do not ask whether it is worth while */
    int failed;  /* pieces that were left, in a row */
} DoallHistory;

/* The side exit of the whole launch. */
int doall_run(const DoallCall *call, DoallHistory *doall);

/* Adds `deal_always` to the module. 0, or -1 with an exception. */
int doall_init(PyObject *module);

#endif
