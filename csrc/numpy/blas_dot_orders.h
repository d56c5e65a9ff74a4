/* The orders of additions that OpenBLAS has for products of float64 vectors on processors with AVX2.
 *
 *     in one piece    four sums of eight or of four elements, joined, and what is left one by one (kernel/x86_64/ddot.c there,
 *                     and its parts for Haswell and SkylakeX)
 *     with steps      two sums: of the first and third, the second and fourth of four elements
 *
 * Each with products fused into the additions or not. Which of them is NumPy's, blas_dot.c finds out.
 */
#ifndef JITCORE_NUMPY_BLAS_DOT_ORDERS_H
#define JITCORE_NUMPY_BLAS_DOT_ORDERS_H

#include "jitcore.h"

#include "../jitcore/runtime_c/kernel_rt.h"

#define WIDTH ((i64)sizeof(f64))

/* Vectors that lie in one piece: `whole` sums up their first elements, a multiple of 16 of them; `tail` goes on from a sum. */
typedef struct {
    const char *name;
    f64 (*whole)(i64 n, const f64 *x, const f64 *y);
    f64 (*tail)(f64 sum, i64 n, const f64 *x, const f64 *y);
} DenseOrder;

/* Several products at once, a multiple of four; the vectors y lie beside one another, of x too, or it is one (x_lane 0). */
typedef struct {
    i64 lanes, n, x_step, x_lane, y_step;
    const char *x, *y;
    int growing;
} DotLanes;

/* Vectors with steps: `one` goes on from two sums; `several` leaves those of each lane. */
typedef struct {
    const char *name;
    f64 (*one)(f64 first, f64 second, i64 n, const char *x, i64 x_step, const char *y, i64 y_step);
    void (*several)(const DotLanes *of, f64 *first, f64 *second);
} StridedOrder;

enum { NDENSE_ORDERS = 4, NSTRIDED_ORDERS = 3 };

extern const DenseOrder dense_orders[NDENSE_ORDERS];
extern const StridedOrder strided_orders[NSTRIDED_ORDERS];

/* Can this processor, and this build, run them? 0: the tables are empty. */
int dot_orders_run(void);

#endif
