/* The inner loops of NumPy's ufuncs: are they those that NumPy came with, and where do they lie?
 *
 *     integrity   PyUFunc_ReplaceLoopBySignature() puts others in their place, for a test or for good, whose bits nobody has
 *                 compared
 *     origin      where the code of a loop is on disk, so that what was found out about it holds in the next process
 */
#ifndef JITCORE_NUMPY_UFUNC_LOOPS_H
#define JITCORE_NUMPY_UFUNC_LOOPS_H

#include "jitcore.h"

/* Adds `replaced_loop` to the module; NumPy must be there. 0, or -1 with an exception. */
int loop_integrity_init(PyObject *module);

/* Adds `loop_place` to the module. 0, or -1 with an exception. */
int loop_origin_init(PyObject *module);

#endif
