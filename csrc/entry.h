/* An entry: guards, then a plan. `_C.Entry`. */
#ifndef JIT_ENTRY_H
#define JIT_ENTRY_H

#include "transfer.h"

extern PyTypeObject Entry_Type;

int entry_init(PyObject *module);

#endif
