/* When is a value the very constant that a program was compiled for? */
#ifndef JITCORE_GUARDS_SAME_VALUE_H
#define JITCORE_GUARDS_SAME_VALUE_H

#include "jitcore.h"

/* 1: the same class and the same value, floats by their bits, range and slice part by part, tuples item by item. Exact
 * builtin constants only; anything else is equal to nothing but itself. No exception, no user code. */
int same_constant(PyObject *a, PyObject *b);

/* 1: an exact dict with these keys (a tuple of constants), in this order. */
int has_keys(PyObject *dict, PyObject *keys);

int same_value_init(PyObject *module);

#endif
