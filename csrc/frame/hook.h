/* PEP 523: jitcore's frame evaluation function, while there is a frame to intercept.
 *
 * Each frame of a C* is run under an Activation. A region point of that frame leaves a transfer in it and makes the evaluation
 * function return with the frame intact; the activation's loop applies the transfer and goes on.
 */
#ifndef JITCORE_FRAME_HOOK_H
#define JITCORE_FRAME_HOOK_H

#include "frame/transfer.h"

/* A compiled call begins, ends, on this thread. */
int jit_hook_enter(void);
void jit_hook_leave(void);
/* Counts, on this thread, compiled regions that ran, attempts to compile, and code objects met for the first time. */
void jit_hook_worked(void);
void jit_hook_met(void); /* the last; there may be nothing to do */
unsigned long jit_hook_work(void);
/* A region ran, and saved about so many seconds; 0: nobody knows. */
void jit_hook_gained(double seconds);
/* Frames that the evaluation function was asked to run, on this thread. */
unsigned long jit_hook_frames(void);
/* An entry was not asked, for its penalty. How many calls the compiled call under way on this thread stands for: several, where
 * it is a sample (policy/backoff.h). Setting that gives the number before. */
int jit_hook_penalised(void);
unsigned long jit_hook_penalties(void);
int jit_hook_set_stride(int calls);
/* There is one more that has a use for the function, or (-1) one less. */
void jit_hook_use(long change);
/* Something that may run compiled frames later, on any thread, is alive: a generator. */
int jit_hook_hold(void);
void jit_hook_release(void);

/* Our own Python code runs on this thread: nothing is intercepted. */
void jit_busy_enter(void);
void jit_busy_leave(void);
int jit_busy(void);

/* The evaluation function goes for a while in which this thread has no use for it: Python calls are CPython's own. Whether it
 * was there, which is what puts it back. */
int jit_hook_take_out(PyThreadState *ts);
void jit_hook_put_back(PyThreadState *ts, int mine);

/* Frames are measured (observe/meter.h), or no more. */
void jit_hook_meter(int on);

/* Ends of frames are reported (observe/frame_end.h), or no more. */
void jit_hook_report_ends(int on);

int hook_init(PyObject *module);

#endif
