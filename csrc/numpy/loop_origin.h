/* Where the code of a ufunc's loop is on disk, so that what was found out about it holds in the next process. */
#ifndef JITCORE_NUMPY_LOOP_ORIGIN_H
#define JITCORE_NUMPY_LOOP_ORIGIN_H

#include "jitcore.h"

int loop_origin_init(PyObject *module);

#endif
