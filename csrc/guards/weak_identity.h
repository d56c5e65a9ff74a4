/* An object that an entry knows by identity without keeping it alive, where it can be referenced weakly. */
#ifndef JITCORE_GUARDS_WEAK_IDENTITY_H
#define JITCORE_GUARDS_WEAK_IDENTITY_H

#include "jitcore.h"

typedef struct {
    PyObject_HEAD
    PyObject *ref; /* the object, or a weak reference to it; owned */
    char weak;
} WeakIdentity;

extern PyTypeObject WeakIdentity_Type;

/* Borrowed; NULL without exception once it is gone. An address that is used again is never mistaken for it. */
static inline PyObject *weak_identity_object(PyObject *self) {
    WeakIdentity *held = (WeakIdentity *)self;
    if (!held->weak)
        return held->ref;
    PyObject *obj = ((PyWeakReference *)held->ref)->wr_object;
    return obj != Py_None && Py_REFCNT(obj) > 0 ? obj : NULL;
}

int weak_identity_init(PyObject *module);

#endif
