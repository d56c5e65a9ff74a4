/* An object that an entry knows by identity without keeping it alive, where it can be referenced weakly. */
#ifndef JIT_HELD_H
#define JIT_HELD_H

#include "jitcore.h"

typedef struct {
    PyObject_HEAD
    PyObject *obj;  /* the object; NULL once it is gone. Borrowed if `weak`, owned otherwise */
    PyObject *weak; /* a weak reference that clears `obj`; NULL: held strongly */
} Held;

extern PyTypeObject Held_Type;

int held_init(PyObject *module);

#endif
