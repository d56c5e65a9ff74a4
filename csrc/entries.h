/* The entries of a place, in the order in which they are asked. */
#ifndef JIT_ENTRIES_H
#define JIT_ENTRIES_H

#include "transfer.h"

/* A new tuple: `entries`, and the one in `args` (entry, first=False) after or before them. NULL with an exception. */
PyObject *entries_with(PyObject *entries, PyObject *args);

/* The entry at `at` has known a frame. Where others were asked before it for so many times, counted in *late, those that
 * knew most frames of late come first from then on, in a new tuple at *place. Two that alternate keep their places. Not to
 * be called while an exception is set. */
void entries_answered(PyObject **place, Py_ssize_t at, int *late);

#endif
