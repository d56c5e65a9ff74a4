/* Our Python code is asked about a code object that nobody has looked at, and what it raises is kept from the program. */
#ifndef JIT_ASKING_H
#define JIT_ASKING_H

#include "compat.h"

/* Could our Python code run on this thread: is there room for its frames, and an interpreter that is not about to end? */
int can_ask(void);

/* Does somebody trace the allocations of memory? What compiling allocates would be in the snapshots: what nobody has asked to be
 * compiled is left meanwhile. */
int memory_is_traced(void);

/* The first frame of a code object: it may get a C*. `inside`: something that is compiled has called it. */
void ask_of(PyCodeObject *code, int inside);

/* With an exception that a callback of ours has raised: where a signal's handler did, the frame's own next check raises it. */
void raise_later(PyObject *callback);

/* With an exception: Ctrl-C while the compiler ran for a frame. */
void raise_as_the_frames(void);

int asking_init(PyObject *module);

#endif
