/* Frames and transfers as Python lists, for tests and for shadow runs. */
#ifndef JITCORE_OBSERVE_AS_LISTS_H
#define JITCORE_OBSERVE_AS_LISTS_H

#include "frame/transfer.h"

/* A list → PyMem of borrowed objects, _C.NULL as NULL. NULL with an exception. */
PyObject **slots_of_list(PyObject *list);

/* A transfer as Python sees it, a new tuple: (kind, offset, through_point, value, stack, {local: value}). What an EXIT_RAISE
 * raises is in the place of its value, and no longer set. NULL with an exception. */
PyObject *transfer_shown(ExitKind kind, const Transfer *t);

#endif
