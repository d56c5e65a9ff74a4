/* Our Python code is asked about a code object that nobody has looked at, and what it raises is kept from the program. */
#ifndef JITCORE_FRAME_ASK_PYTHON_H
#define JITCORE_FRAME_ASK_PYTHON_H

#include "compat.h"

/* Could our Python code run on this thread: is there room for its frames, and an interpreter that is not about to end? */
int can_ask(void);

/* Does somebody trace the allocations of memory? What compiling allocates would be in the snapshots: what nobody has asked to be
 * compiled is left meanwhile. */
int memory_is_traced(void);

/* The first frame of a code object: it may get a C*. `inside`: something that is compiled has called it. */
void ask_of(PyCodeObject *code, int inside);

/* Are breaks errors on this thread? Then a frame begins, and its code is as if nobody had looked at it, where breaks of it are
 * known that were none, or where it waits to be hot. */
extern __thread int breaks_are_errors;
void renew_code(PyCodeObject *code);

/* With an exception that a callback of ours has raised: where a signal's handler did, the frame's own next check raises it. */
void raise_later(PyObject *callback);

/* With an exception of the compiler's: Ctrl-C while it ran, and breaks that are errors, are the frame's. The offset of the
 * instruction that raises, or -1: where the frame is. */
int raise_as_the_frames(void);

int ask_python_init(PyObject *module);

#endif
