/* A shared library on disk, mapped while somebody holds its handle.
 *
 *     dlopen(path, symbol)  ─▶ (address of the symbol, handle); the last reference to the handle unmaps the library
 *
 * The GIL is held, so that no child is forked while the dynamic linker's lock is.
 */
#ifndef JITCORE_KERNEL_LIBRARY_H
#define JITCORE_KERNEL_LIBRARY_H

#include "jitcore.h"

/* Adds `dlopen` to the module. 0, or -1 with an exception. */
int library_init(PyObject *module);

#endif
