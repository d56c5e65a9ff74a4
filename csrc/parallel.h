/* A routine whose outermost loop may do its rounds in any order (jitcore/codegen/parallel.py): dealt out among threads.
 *
 *     rounds 0 … k     by this thread, until it is known how long they take
 *     rounds k … n     in pieces, by all threads; what was in the arrays before is kept
 *     the end          by this thread
 *
 * A piece that would leave the routine (an exception, a warning, a signal) is undone with all pieces behind it, and this
 * thread goes on from there alone: so CPython finds the arrays as if one round had followed the other. The GIL is held
 * all the while, and only this thread uses Python.
 */
#ifndef JIT_PARALLEL_H
#define JIT_PARALLEL_H

#include "kernel.h"

#include "../jitcore/runtime_c/kernel_rt.h"
#include "../jitcore/runtime_c/routine_rt.h"

typedef int routine_fn(const rt_slot *in, rt_slot *out, char *const *p, const i64 *const *dim, const i64 *const *step,
                       rt_world *world);

/* Round k writes only where index `start` + k * `step` of `axis` is. */
typedef struct {
    int array; /* of the launch */
    int axis;
    i64 start, step;
} Dealt;

/* All borrowed. */
typedef struct {
    routine_fn *fn;
    const rt_slot *in;
    rt_slot *out;
    int nout;
    char *const *p;
    const i64 *const *dim, *const *step;
    rt_world *world;
    int nrooms;
    PyArrayObject *const *arrays;
    int narrays;
    const Dealt *dealt;
    int ndealt;
} Rounds;

/* How this has gone, for one routine. */
typedef struct {
    int resting; /* launches that do not ask whether it is worth while */
    int failed;  /* pieces that were left, in a row */
} Dealing;

/* The way of the whole launch. */
int parallel_run(const Rounds *rounds, Dealing *dealing);

/* Adds `deal_always` to the module. 0, or -1 with an exception. */
int parallel_init(PyObject *module);

#endif
