/* Iterations of a loop in which each element goes its own way (jitcore/loops/transform/strip_mine.py): strands, by blocks, dealt out among
 * threads. What a block writes is its own; what was there before is kept by the native loop, which puts it back where a flag was raised.
 */
#ifndef JITCORE_LOOP_BLOCKS_H
#define JITCORE_LOOP_BLOCKS_H

#include "jitcore.h"

#include "../jitcore/runtime_c/kernel_rt.h"
#include "../jitcore/runtime_c/routine_rt.h"

/* `fn` for all blocks of `job`, which has `elements` times iterations; the flags that were raised. Holding the GIL, which `fn` does not
 * use. */
int blocks_run(rt_strand *fn, rt_strands *job, i64 elements);

/* The same on a thread of ours, alone. */
int blocks_run_apart(rt_strand *fn, rt_strands *job, i64 elements);

/* Adds `strands_always` and `strands_count` to the module. 0, or -1 with an exception. */
int blocks_init(PyObject *module);

#endif
