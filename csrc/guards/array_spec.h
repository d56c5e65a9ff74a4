/* What a guard demands of an array. */
#ifndef JITCORE_GUARDS_ARRAY_SPEC_H
#define JITCORE_GUARDS_ARRAY_SPEC_H

#include "jitcore.h"

#include <numpy/arrayobject.h>

typedef struct {
    PyObject_VAR_HEAD
    PyArray_Descr *descr; /* owned */
    int ndim, flags;      /* of NPY_ARRAY_ALIGNED and NPY_ARRAY_WRITEABLE */
    char order;           /* 0: shape and strides are these; else extents lie between shape and most, and strides follow; K: any */
    npy_intp shape[];     /* ndim of them, then as many strides, then as many of the greatest extents: close together */
} ArraySpec;

static inline const npy_intp *spec_strides(const ArraySpec *spec) { return spec->shape + spec->ndim; }
static inline const npy_intp *spec_most(const ArraySpec *spec) { return spec->shape + 2 * spec->ndim; }

extern PyTypeObject ArraySpec_Type;

/* 1: an exact ndarray of this dtype, shape (or extents and order), strides and flags; where extents lie between two, one that
 * is not to have an entry for each of them. */
int array_spec_holds(const ArraySpec *spec, PyObject *obj);

/* 1: an ndarray, or of a subclass, of this dtype, with extents between two. For specs of order K. */
int array_spec_admits(const ArraySpec *spec, PyObject *obj);

int array_spec_init(PyObject *module);

#endif
