/* An entry: guards, then a plan. `_C.Entry`. */
#ifndef JIT_ENTRY_H
#define JIT_ENTRY_H

#include "transfer.h"

int entry_init(PyObject *module);

/* A new tuple: `entries`, and the one in `args` (entry, first=False) after or before them. NULL with an exception. */
PyObject *entries_with(PyObject *entries, PyObject *args);

#endif
