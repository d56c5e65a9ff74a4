/* What jitcore.compile returns: an object that is called (call.c), and as like the function as can be. */
#ifndef JITCORE_FRAME_FUNCTION_H
#define JITCORE_FRAME_FUNCTION_H

#include "compat.h"

/* Adds `Dispatcher` to the module. 0, or -1 with an exception. */
int function_init(PyObject *module);

#endif
