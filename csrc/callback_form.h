/* One call that a routine makes: what callback_read.c fills in, and callback.c calls. */
#ifndef JITCORE_CALLBACK_FORM_H
#define JITCORE_CALLBACK_FORM_H

#include "callback.h"

#include <numpy/arrayobject.h>

#define MOST_OPERANDS 16
#define MOST_ARGUMENTS 16
#define INPUT 'O'       /* an operand that is one of the routine's arrays, as it is */
#define LOOSE 'v'       /* an array that may be a view: the routine gets a copy */

/* Templates of arguments, flat: a node, then its parts. */
enum { AS_CONSTANT, AS_OPERAND, AS_TUPLE, AS_LIST, AS_SLICE };

typedef struct {
    int what, count; /* of parts; the number of an operand */
    PyObject *constant;
} Part;

typedef struct {
    int kind, num, ndim; /* of an INPUT, num says which */
} Port;

struct Callback {
    PyObject *fn, *names;
    int narguments, nparts, noperands, nresults;
    Part *parts;
    Port *operands, *results; /* several: of a tuple */
    PyArrayObject **held; /* the last results, of which the routine has the memory */
    PyObject **views;     /* of each operand, to be pointed elsewhere: making an array takes long */
};

#endif
