/* Call-outs: what compiled loops have no form for (np.linalg.inv) is NumPy's own call, made from within the native loop.
 *
 * A call takes views of the native loop's memory, arrays of its inputs and boxed numbers, and gives arrays that are nobody
 * else's, and numbers: one, or a tuple of them. It runs under an error state that raises where NumPy would warn. Whatever else comes of it (an
 * exception, another type, an array that may share memory) is dropped, and the native loop is left where CPython repeats it.
 */
#ifndef JITCORE_LOOP_CALL_OUT_H
#define JITCORE_LOOP_CALL_OUT_H

#include "jitcore.h"

#include "../jitcore/runtime_c/kernel_rt.h"
#include "../jitcore/runtime_c/routine_rt.h"

typedef struct CallOut CallOut;

/* Those of a native loop, and what a launch with them needs. */
typedef struct {
    int count;
    CallOut *each;
    PyObject *quiet; /* NumPy's error state that raises */
    /* of the launch under way */
    int busy, quieted, spoiled, took_out;
    PyObject *const *arrays; /* its inputs, */
    int (*unchanged)(const void *launch); /* which code that ran meanwhile may have resized */
    const void *launch;
    PyThreadState *thread;
    PyObject *token;
    PyObject *type, *value, *traceback; /* what a signal's handler raised */
    long made;
    double began; /* the first of them, by the clock */
} CallOuts;

/* From a tuple of (function, keyword names or None, template, operands, results), see loops/call_outs.py. -1 with an exception. */
int call_outs_read(CallOuts *calls, PyObject *rows, PyObject *quiet, int ninputs);
void call_outs_free(CallOuts *calls);

/* Makes the k-th call: 1, with its results in out; 0: it failed. Sets world->stale now and then, or when another thread ran
 * meanwhile: then what the guards of the entry say may no longer be so. */
int call_out_make(rt_world *world, i64 k, rt_slot *operands, rt_slot *out);

/* After a launch: restores the error state, and lets go of results. A handler's exception is set again, in place of any other. */
void call_outs_end(CallOuts *calls);

/* Results live for ever. */
void call_outs_abandon(CallOuts *calls);

/* Did a signal's handler raise what is set, in a pure call? Nobody would raise that again. */
int handler_raised(void);

#endif
