/* Kernels for every size: a launch computes those numbers of the kernel that depend on extents of its inputs.
 *
 * They are polynomials of extents, and of whole parts of what is divided (plan/dynamic_int.h).
 * The rest of the launch is that of any kernel; an input that has not the extents and strides that come out is refused.
 */
#ifndef JITCORE_KERNEL_DYNAMIC_SIZES_H
#define JITCORE_KERNEL_DYNAMIC_SIZES_H

#include "kernel/kernel.h"

/* Kernel.sized(extents, quotients, monomials, terms, part): a method of the type. */
PyObject *kernel_sized(PyObject *self, PyObject *args);

/* The kernel for these inputs, until sized_leave. It borrows what does not depend on sizes from `k`, and is no object of its
 * own. NULL, without exception: the inputs are of no such size, a number is beyond 64 bits, or memory ran out. */
Kernel *sized_enter(Kernel *k, PyObject *const *inputs);
void sized_leave(Kernel *k, Kernel *own);

/* Takes what kernel_sized made. */
void sizes_free(Sizes *sizes);

#endif
