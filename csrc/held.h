/* An object that an entry knows by identity without keeping it alive, where it can be referenced weakly. */
#ifndef JIT_HELD_H
#define JIT_HELD_H

#include "jitcore.h"

typedef struct {
    PyObject_HEAD
    PyObject *ref; /* the object, or a weak reference to it; owned */
    char weak;
} Held;

extern PyTypeObject Held_Type;

/* Borrowed; NULL without exception once it is gone. An address that is used again is never mistaken for it. */
static inline PyObject *held_object(PyObject *self) {
    Held *held = (Held *)self;
    if (!held->weak)
        return held->ref;
    PyObject *obj = ((PyWeakReference *)held->ref)->wr_object;
    return obj != Py_None && Py_REFCNT(obj) > 0 ? obj : NULL;
}

int held_init(PyObject *module);

#endif
