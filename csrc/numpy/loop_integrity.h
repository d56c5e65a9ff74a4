/* Are the inner loops of NumPy's ufuncs those that it came with?
 *
 * PyUFunc_ReplaceLoopBySignature() puts others there, for a test or for good, whose bits nobody has compared.
 */
#ifndef JITCORE_NUMPY_LOOP_INTEGRITY_H
#define JITCORE_NUMPY_LOOP_INTEGRITY_H

#include "jitcore.h"

int loop_integrity_init(PyObject *module);

#endif
