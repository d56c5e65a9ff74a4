/* Verify mode: what an entry would do is found out, undone, and then CPython does it.
 *
 * A `_C.Rehearsal` stands in an entry's place. Where the entry's guards hold, Python code keeps what the entry may write;
 * the entry runs on the frame's own slots, or on others where that code gives them; its transfer is handed to Python code,
 * which undoes what was written. The frame then goes on at the point's own instruction, in the newest C*.
 * A `_C.Watch` tells Python code that a frame comes by.
 */
#ifndef JITCORE_OBSERVE_SHADOW_RUN_H
#define JITCORE_OBSERVE_SHADOW_RUN_H

#include "frame/transfer.h"

int shadow_run_init(PyObject *module);

#endif
