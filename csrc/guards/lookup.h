/* Attributes and names as the interpreter would find them, without running anything of the user's and without making a
 * dict, a method or an exception.
 */
#ifndef JITCORE_GUARDS_LOOKUP_H
#define JITCORE_GUARDS_LOOKUP_H

#include "jitcore.h"

typedef enum {
    FOUND,   /* *found is a new reference */
    ABSENT,
    UNKNOWN, /* finding out could run user code */
} Lookup;

/* A str in a dict whose keys are all exact str: no __eq__, no __hash__, no __missing__. A subclass of dict is UNKNOWN. */
Lookup lookup_name(PyObject *dict, PyObject *name, PyObject **found);

/* An attribute that the object itself has: in its dict or its class's shared keys. UNKNOWN for a class that looks attributes
 * up in another way than object and module do, or whose data descriptor comes first. */
Lookup lookup_own(PyObject *obj, PyObject *name, PyObject **found);

/* The same where it is known that no data descriptor of the class has this name. `*place`: where the name was found last, a
 * guess; it is written to. */
Lookup lookup_own_at(PyObject *obj, PyObject *name, int *place, PyObject **found);

/* What an exact dict has for a key, when all of its keys are known to be plain: a new reference, NULL without an exception. */
PyObject *lookup_key_at(PyObject *dict, PyObject *key, int *place);

/* Are the names of both in one place? A dict is its own, an object's is what it has for a __dict__. */
int lookup_same_names(PyObject *a, PyObject *b);

int lookup_init(PyObject *module);

#endif
