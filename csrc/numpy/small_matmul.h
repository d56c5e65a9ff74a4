/* np.dot and matmul of small vectors and matrices: NumPy's own inner loop of matmul, without what np.dot and ufuncs do around it.
 *
 * The loop calls the same functions of BLAS with the same arguments as NumPy does, so its bits are those of np.matmul; that they are
 * np.dot's, too, a trial says in each process (jitcore/passes/small_matmul.py). Where NumPy would warn FloatingPointError is raised, for
 * arrays of another kind TypeError: the region leaves the work to CPython.
 */
#ifndef JITCORE_NUMPY_SMALL_MATMUL_H
#define JITCORE_NUMPY_SMALL_MATMUL_H

#include "jitcore.h"

/* Adds `products_use`, `small_dot` and `small_matmul` to the module. 0, or -1 with an exception. */
int small_matmul_init(PyObject *module);

#endif
