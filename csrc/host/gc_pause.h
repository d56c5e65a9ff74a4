/* The compiler works in the program's process, and the garbage collector is to notice nothing of it: when it runs, and so
 * when finalizers and callbacks of weak references run, is as it would be without us.
 *
 *     gc_pause_begin   the count of what was allocated goes far down: what the compiler allocates starts no collection
 *     gc_pause_end     the count is what it was, once nobody compiles any more
 *
 * Other threads may run meanwhile: GC_PAUSE_ROOM new objects of theirs do start one. What the compiler makes stays among
 * the young: with it may be the dict of a user's object, which is to be as old as that. gc.get_count() of another thread
 * says a negative number meanwhile. Under the GIL, and of one interpreter: NumPy is loaded in one of a process, no more.
 */
#ifndef JITCORE_HOST_GC_PAUSE_H
#define JITCORE_HOST_GC_PAUSE_H

#include "jitcore.h"

#define GC_PAUSE_ROOM 500000

void gc_pause_begin(void);
void gc_pause_end(void);
int gc_pause_init(PyObject *module);

#endif
