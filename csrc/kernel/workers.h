/* Threads that take parts of a kernel's work, beside the thread that launches it.
 *
 * They start when a launch first wants them, sleep between jobs, and never touch Python. There is one job at a time in
 * the process, and a launch that runs beside others gets that many fewer workers, so that programs with threads of their
 * own do not end up with more at work than they asked for. Parts are taken as threads come free: a worker that is late
 * is not waited for. A fork ends the workers, in parent and child.
 */
#ifndef JITCORE_KERNEL_WORKERS_H
#define JITCORE_KERNEL_WORKERS_H

#include "jitcore.h"

#define MOST_THREADS 128
#define MOST_PARTS 0x7fff

/* Does part number `part` and returns a status; called without the GIL, in any thread. */
typedef int WorkersPart(void *job, int part);

/* A launch begins and ends, whether it wants workers or not. The GIL is not needed. */
void workers_enter(void);
void workers_leave(void);

/* How many threads may work for the launches of now, this one included; between enter and leave. */
int workers_threads(void);

/* Runs all `parts` (2 to MOST_PARTS), some in workers, which start with this thread's rounding mode and no flags raised.
 * 0: done, all statuses or-ed into `status`. -1: there are no workers now; nothing was done. No exception is set. */
int workers_run(WorkersPart *fn, void *job, int parts, int *status);

int workers_init(PyObject *module);

#endif
