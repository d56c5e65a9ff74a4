/* x @ y of float64 for several iterations at once, a vector by a matrix with rows in one piece, in the very order of additions of the BLAS
 * that NumPy calls: what one call reads of the matrix serves all of them.
 *
 *     y[i] += ((a0[i] * x0 + a1[i] * x1) + a2[i] * x2) + a3[i] * x3      four rows of the matrix at a time, fused
 *
 * That is OpenBLAS's order on processors with AVX-512 (kernel/x86_64/dgemv_n_4.c there, and its part for SkylakeX). What is left of four rows, and the
 * last columns of what one of its threads gets, go another way. A trial tells whether it is NumPy's here (jitcore/loops/transform/batch_gemv.py).
 */
#ifndef JITCORE_NUMPY_BLAS_GEMV_H
#define JITCORE_NUMPY_BLAS_GEMV_H

#include "jitcore.h"

#include "../jitcore/runtime_c/kernel_rt.h"
#include "../jitcore/runtime_c/routine_rt.h"

/* Adds `row_orders`, `row_order` and `row_products` to the module. 0, or -1 with an exception. */
int blas_gemv_init(PyObject *module);

/* What iterations `from` to before `from + lanes` will want, of vectors that begin `x_lane` bytes further on in each iteration, and the matrix:
 * n rows, p columns, steps in bytes. `rest`: in each iteration it begins one column further on, and ends where it ends. All of it is finite, or
 * nothing is ready. `room` has place for RT_ROWS rows of p + 7. */
void blas_gemv_ahead(rt_rows *rows, i64 from, i64 lanes, i64 n, i64 p, const char *x, i64 x_step, i64 x_lane, const char *y, i64 y_step,
                     i64 y_column, i64 y_lane, int rest, char *room);

#endif
