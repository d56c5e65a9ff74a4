/* Products of vectors of float64 in the very order of additions of the BLAS that NumPy calls, several of them at once.
 *
 * The orders that OpenBLAS has on processors with AVX2 are known (kernel/x86_64/ddot.c there, and its parts for Haswell and
 * SkylakeX); which of them is NumPy's here, a trial tells (`_C.try_dots`). Where it is none of them, and for whatever was not
 * tried (long vectors, other steps), NumPy's loop is called, as ever.
 */
#ifndef JITCORE_NUMPY_BLAS_DOT_H
#define JITCORE_NUMPY_BLAS_DOT_H

#include "jitcore.h"

#include "../jitcore/runtime_c/kernel_rt.h"
#include "../jitcore/runtime_c/routine_rt.h"

/* Adds `try_dots` to the module. 0, or -1 with an exception. */
int blas_dot_init(PyObject *module);

/* x @ y of n elements, steps in bytes. `matmul` is NumPy's loop. */
f64 blas_dot(const rt_loop *matmul, i64 n, const char *x, i64 x_step, const char *y, i64 y_step);

/* What iterations `from` to before `from + lanes` will want, of vectors that begin so many bytes further on in each iteration: x @ y, all
 * finite, or nothing. `growing`: the vectors have n elements in the first iteration, and one more in each; then the sum of as many as
 * all have, for blas_dot_from to go on with. */
void blas_dots_ahead(rt_ahead *ahead, i64 from, i64 lanes, i64 n, const char *x, i64 x_step, i64 x_lane, const char *y, i64 y_step,
                     i64 y_lane, int growing);

/* x @ y of n elements, in the iteration `at`, of which blas_dots_ahead has summed up the first ones. */
f64 blas_dot_from(const rt_ahead *ahead, i64 at, const rt_loop *matmul, i64 n, const char *x, i64 x_step, const char *y, i64 y_step);

#endif
