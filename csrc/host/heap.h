/* Heap: malloc's own. What arrays leave in it is kept for those that come next.
 *
 * glibc maps a block of 128 KiB and more, and gives the top of its heap back from 128 KiB on. A program that frees more
 * than that in each of its steps begins the next one on new pages, and each costs a page fault. Both figures follow what
 * a program frees: a mapped block of n bytes, up to 32 MiB, makes them n and 2 n.
 *
 *     heap_keep(2 n, s)  malloc and free of one such block: the figures are those of a program that had an array of n bytes
 *     heap_look          after s seconds, and so on: what lies free is given back, also below a block that pins the top
 *
 * A program that has told malloc itself what to do (mallopt, MALLOC_TOP_PAD_) has switched that rule off, and a malloc that
 * is not glibc's has none: there the block does nothing. The heap is the process's, whoever allocates. Each of glibc's
 * arenas, one for some threads, may keep that much. A child process goes on with the figures. With the GIL.
 */
#ifndef JITCORE_HOST_HEAP_H
#define JITCORE_HOST_HEAP_H

#include "jitcore.h"

/* For what comes by often while a program works with arrays. */
void heap_look(void);

/* Gives back to the system what lies free, if heap_keep() was called. */
void heap_give_back(void);

/* Adds `heap_keep`, `heap_give_back` and `addresses` to the module. 0, or -1 with an exception. */
int heap_init(PyObject *module);

#endif
