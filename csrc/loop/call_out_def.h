/* One call that a native loop makes: what call_out_read.c fills in, and call_out.c calls. */
#ifndef JITCORE_LOOP_CALL_OUT_DEF_H
#define JITCORE_LOOP_CALL_OUT_DEF_H

#include "loop/call_out.h"

#include <numpy/arrayobject.h>

#define MOST_OPERANDS 16
#define MOST_ARGUMENTS 16
#define INPUT 'O'       /* an operand that is one of the native loop's arrays, as it is */
#define LOOSE 'v'       /* an array that may be a view: the native loop gets a copy */

/* Templates of arguments, flat: a node, then its parts. */
enum { AS_CONSTANT, AS_OPERAND, AS_TUPLE, AS_LIST, AS_SLICE };

typedef struct {
    int what, count; /* of parts; the number of an operand */
    PyObject *constant;
} Part;

typedef struct {
    int kind, num, ndim; /* of an INPUT, num says which */
} CallOutPort;

struct CallOut {
    PyObject *fn, *names;
    int narguments, nparts, noperands, nresults;
    Part *parts;
    CallOutPort *operands, *results; /* several: of a tuple */
    PyArrayObject **held; /* the last results, of which the native loop has the memory */
    PyObject **views;     /* of each operand, to be pointed elsewhere: making an array takes long */
};

#endif
