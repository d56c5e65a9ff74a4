/* Where the code of a ufunc's loop is on disk, so that what was found out about it holds in the next process. */
#ifndef JIT_LOOP_PLACE_H
#define JIT_LOOP_PLACE_H

#include "jitcore.h"

int loop_place_init(PyObject *module);

#endif
