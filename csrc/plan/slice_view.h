/* A part of an array that begins elsewhere at each run, and keeps its shape. */
#ifndef JITCORE_PLAN_SLICE_VIEW_H
#define JITCORE_PLAN_SLICE_VIEW_H

#include "jitcore.h"

/* Adds `part` to the module. 0, or -1 with an exception. */
int slice_view_init(PyObject *module);

#endif
