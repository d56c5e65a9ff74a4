/* An entry: guards, then a plan. `_C.Entry`. */
#ifndef JIT_ENTRY_H
#define JIT_ENTRY_H

#include "transfer.h"

int entry_init(PyObject *module);

/* A new tuple: `entries`, and the one in `args` (entry, first=False) after or before them. NULL with an exception. */
PyObject *entries_with(PyObject *entries, PyObject *args);

/* The entry at `at` has known a frame. Where others were asked before it for so many times, counted in *late, those that
 * knew most frames of late come first from then on, in a new tuple at *place. Two that alternate keep their places. Not to
 * be called while an exception is set. */
void entries_answered(PyObject **place, Py_ssize_t at, int *late);

/* A list → PyMem of borrowed objects, _C.NULL as NULL. NULL with an exception. */
PyObject **entry_slots(PyObject *list);

/* A transfer as Python sees it, a new tuple: (kind, offset, through_point, value, stack, {local: value}). What an EXIT_RAISE
 * raises is in the place of its value, and no longer set. NULL with an exception. */
PyObject *entry_shown(ExitKind kind, const Transfer *t);

#endif
