/* Pool: buffers of large results, kept when their array dies and used for the next one.
 *
 * Pages that nobody has touched yet cost more than the arithmetic that fills them, so a result of
 * 128 KiB and more gets a buffer that an earlier one has left, or a new one, of 2 MiB and more on
 * huge pages. From there on malloc maps each block, or gives the top of its heap back when several
 * die together. The array is an ordinary one that owns its data; it carries the pool as its
 * allocation handler (NEP 49), so NumPy brings the buffer back here from wherever it frees or
 * resizes the array. No other array is touched, and a user's own handler goes before this one.
 *
 * Everything runs with the GIL held, as NumPy's own handler asks too, and uses no Python object, so
 * an array may die after the interpreter has cleared this module.
 */
#ifndef JITCORE_KERNEL_POOL_H
#define JITCORE_KERNEL_POOL_H

#include "jitcore.h"

#include <numpy/arrayobject.h>

/* An uninitialised array in a buffer of the pool: a new reference, `descr` is borrowed.
 * NULL without an exception: too small, too large, a user's handler, no memory. */
PyObject *pool_array(PyArray_Descr *descr, int ndim, const npy_intp *shape, const npy_intp *strides);

/* A buffer of so many bytes, which is no array's, and back. NULL: too small, too large, no memory. */
void *pool_take(size_t size);
void pool_give(void *data);

/* Gives all idle buffers back to the system. Whether there were any. */
int pool_clear(void);

/* Adds `pool_limit`, `pool_clear` and `pool_state` to the module. 0, or -1 with an exception. */
int pool_init(PyObject *module);

#endif
