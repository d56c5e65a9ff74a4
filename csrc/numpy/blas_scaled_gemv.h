/* (number * matrix) @ vector of float64, without the array that NumPy makes of the product: four rows at a time are multiplied and summed
 * up at once, in the order of additions of NumPy's BLAS; or, where that is another one, rows are multiplied piece by piece, into memory that
 * stays in the caches, and NumPy's own loop of matmul makes the sums of each piece. On several threads (kernel/workers.h).
 *
 * BLAS has other orders of additions for the last rows of what one of its threads gets. So the matrix is cut where OpenBLAS cuts
 * it (driver/level2/gemv_thread.c there), then at multiples of four rows. That the bits are those of one call, a trial tells
 * (jitcore/passes/scaled_gemv.py). Whatever is out of the ordinary, and all that raises a flag, is NumPy's.
 */
#ifndef JITCORE_NUMPY_BLAS_SCALED_GEMV_H
#define JITCORE_NUMPY_BLAS_SCALED_GEMV_H

#include "jitcore.h"

/* Adds `scaled_use` and `scaled_product` to the module. 0, or -1 with an exception. */
int blas_scaled_gemv_init(PyObject *module);

#endif
