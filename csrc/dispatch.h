/* What jitcore.compile returns: a callable that runs whole-function entries on its arguments, and the function otherwise. */
#ifndef JIT_DISPATCH_H
#define JIT_DISPATCH_H

#include "transfer.h"

int dispatch_init(PyObject *module);

#endif
