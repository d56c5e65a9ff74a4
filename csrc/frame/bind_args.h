/* Arguments → a function's locals, for functions without * and **. */
#ifndef JITCORE_FRAME_BIND_ARGS_H
#define JITCORE_FRAME_BIND_ARGS_H

#include "compat.h"

#define MAX_LOCALS 64

/* The index of a parameter of that name among `from` to `to`; -1: there is none. */
int args_index(PyCodeObject *code, PyObject *name, int from, int to);

/* Into MAX_LOCALS `locals`, borrowed but for those whose bits are in *owned. 0: anything unusual, CPython binds them. */
int args_bind(PyFunctionObject *fn, PyObject *const *args, Py_ssize_t nargs, PyObject *names, PyObject **locals, uint64_t *owned);
void args_unbind(PyObject **locals, uint64_t owned);

#endif
