/* Kernel: a compiled loop with the signature of its operands.
 *
 * A launch checks every operand against the layout that the kernel was compiled for, allocates the
 * results, runs the loop and looks at the floating-point flags. Whatever is not exactly as compiled
 * is refused: the caller lets NumPy do the work instead, which is always right.
 */
#ifndef JITCORE_KERNEL_LAUNCH_H
#define JITCORE_KERNEL_LAUNCH_H

#include "jitcore.h"

extern PyTypeObject Kernel_Type;

/* Adds `Kernel` to the module. 0, or -1 with an exception. */
int kernel_init(PyObject *module);

/* Borrows `kernel` (a Kernel) and its `inputs`; 0: `outputs` holds new references.
 * -1: refused; nothing was written, no exception is set. -2: as refused, and a signal's handler raised. */
int kernel_launch(PyObject *kernel, PyObject *const *inputs, PyObject **outputs);

/* A scalar of the kind (OperandKind) and NumPy's type number into a slot of 16 bytes. 0: `obj` is no such scalar, or does
 * not fit; no exception is set. */
int scalar_fits(int kind, int num, PyObject *obj, void *slot);

/* How many operands of each sort a launch of `kernel` (borrowed) takes. */
int kernel_inputs(PyObject *kernel);
int kernel_outputs(PyObject *kernel);

#endif
