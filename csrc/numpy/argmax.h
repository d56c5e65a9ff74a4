/* NumPy's own argmax and argmin of a row, for kernels to call. */
#ifndef JITCORE_NUMPY_ARGMAX_H
#define JITCORE_NUMPY_ARGMAX_H

#include "jitcore.h"

#define SEARCH_CAPSULE "jitcore.search"

/* Adds `search_loop` to the module. 0, or -1 with an exception. */
int argmax_init(PyObject *module);

#endif
