/* np.bincount where the result has as many bins as `minlength` asks for.
 *
 * Weights are added in the order of the input, as NumPy adds them. What takes time is waiting: for bins that lie in no
 * near cache (they are asked for ahead), and for a bin that was changed just before (few bins are counted in four rows).
 * Other forms of arrays, and sums that are NaN (of two NaNs one's bits are kept), are NumPy's: its function is called. A
 * number that has no such bin is an error.
 */
#ifndef JITCORE_NUMPY_BINCOUNT_H
#define JITCORE_NUMPY_BINCOUNT_H

#include "jitcore.h"

/* Adds `bincount` to the module. 0, or -1 with an exception. */
int bincount_init(PyObject *module);

#endif
