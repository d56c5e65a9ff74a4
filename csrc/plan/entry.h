/* An entry: guards, then a plan. `_C.Entry`. */
#ifndef JITCORE_PLAN_ENTRY_H
#define JITCORE_PLAN_ENTRY_H

#include "frame/transfer.h"

extern PyTypeObject Entry_Type;

int entry_init(PyObject *module);

#endif
