/* NumPy's own argmax and argmin of a row, for kernels to call. */
#ifndef JIT_SEARCH_H
#define JIT_SEARCH_H

#include "jitcore.h"

#define SEARCH_CAPSULE "jitcore.search"

/* Adds `search_loop` to the module. 0, or -1 with an exception. */
int search_init(PyObject *module);

#endif
