/* What jitcore.compile returns: an object that is called (dispatch.c), and as like the function as can be. */
#ifndef JIT_DISPATCHER_H
#define JIT_DISPATCHER_H

#include "compat.h"

/* Adds `Dispatcher` to the module. 0, or -1 with an exception. */
int dispatcher_init(PyObject *module);

#endif
