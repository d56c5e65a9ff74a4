/* Verify mode: what an entry would do is found out, undone, and then CPython does it.
 *
 * A `_C.Rehearsal` stands in an entry's place. Where the entry's guards hold, Python code keeps what the entry may write;
 * the entry runs on the frame's own slots, or on others where that code gives them; its transfer is handed to Python code,
 * which undoes what was written. The frame then goes on at the point's own instruction, in the newest C*.
 * A `_C.Watch` tells Python code that a frame comes by.
 */
#ifndef JIT_REHEARSAL_H
#define JIT_REHEARSAL_H

#include "transfer.h"

int rehearsal_init(PyObject *module);

#endif
