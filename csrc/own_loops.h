/* Are the inner loops of NumPy's ufuncs those that it came with?
 *
 * PyUFunc_ReplaceLoopBySignature() puts others there, for a test or for good, whose bits nobody has compared.
 */
#ifndef JIT_OWN_LOOPS_H
#define JIT_OWN_LOOPS_H

#include "jitcore.h"

int own_loops_init(PyObject *module);

#endif
