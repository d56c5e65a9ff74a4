/* A part of an array that begins elsewhere at each run, and keeps its shape. */
#ifndef JIT_PART_H
#define JIT_PART_H

#include "jitcore.h"

/* Adds `part` to the module. 0, or -1 with an exception. */
int part_init(PyObject *module);

#endif
