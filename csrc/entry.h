/* An entry: guards, then a plan. `_C.Entry`. */
#ifndef JIT_ENTRY_H
#define JIT_ENTRY_H

#include "transfer.h"

int entry_init(PyObject *module);

/* A new tuple: `entries`, and the one in `args` (entry, first=False) after or before them. NULL with an exception. */
PyObject *entries_with(PyObject *entries, PyObject *args);

/* A list → PyMem of borrowed objects, _C.NULL as NULL. NULL with an exception. */
PyObject **entry_slots(PyObject *list);

/* A transfer as Python sees it, a new tuple: (kind, offset, through_point, value, stack, {local: value}). What an EXIT_RAISE
 * raises is in the place of its value, and no longer set. NULL with an exception. */
PyObject *entry_shown(ExitKind kind, const Transfer *t);

#endif
