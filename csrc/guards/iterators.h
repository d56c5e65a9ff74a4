/* What is left of CPython's iterators over ranges and sequences, of enumerate() and of zip(), and their items taken at once.
 *
 * An iterator counts only where nobody but its holder has it: the frame's stack, or another such iterator. Others might take
 * an item of it meanwhile.
 */
#ifndef JITCORE_GUARDS_ITERATORS_H
#define JITCORE_GUARDS_ITERATORS_H

#include "jitcore.h"

/* `part` of what is left of `it`, of which there are two references, the holder's and the caller's. The first four are of an
 * iterator over a range; OVER is what another one goes over, INDEX is the next item's; ITEM and on are the iterators of a
 * zip(). NULL without an exception, where there is none, or where it is not as compiled code may take it. */
enum { IT_START, IT_STOP, IT_STEP, IT_COUNT, IT_OVER, IT_INDEX, IT_ITEM };
PyObject *iterator_part(PyObject *it, int part);

/* How many iterators a zip() has that is not strict; -1: it is none. */
Py_ssize_t iterator_width(PyObject *it);

/* Takes so many items. 1: done; 0: it has not so many, or is none of these. */
int iterator_take(PyObject *it, Py_ssize_t count);

/* Finds the types. 0, or -1 with an exception. */
int iterators_init(PyObject *module);

#endif
