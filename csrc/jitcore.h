/* First include of every C file: module-wide conventions.
 *
 * Functions that return int: 0 is success, -1 is failure with an exception set, unless the header says otherwise.
 * PyObject * arguments are borrowed and results are new references, unless the header says otherwise.
 */
#ifndef JITCORE_H
#define JITCORE_H

#define PY_SSIZE_T_CLEAN
#include "compat.h"

#define PY_ARRAY_UNIQUE_SYMBOL JITCORE_ARRAY_API
#define PY_UFUNC_UNIQUE_SYMBOL JITCORE_UFUNC_API
#ifndef JITCORE_IMPORT_ARRAY
#define NO_IMPORT_ARRAY
#define NO_IMPORT_UFUNC
#endif

/* A function that is compiled with a constant argument: with a report, and without. */
#define METERED_VARIANT static inline __attribute__((always_inline))

/* Marks an empty local or stack slot in what Python sees. */
extern PyObject *jit_null;

#endif
