/* The Routine object: what a launch (routine.c) reads and the constructor (routine_read.c) fills in. */
#ifndef JITCORE_ROUTINE_FORM_H
#define JITCORE_ROUTINE_FORM_H

#include "routine.h"

#include <string.h>

#include "callback.h"
#include "dots.h"
#include "kernel.h"
#include "members.h"
#include "parallel.h"

#define MOST_PARTS 8
#define REFUSED 1 /* a way */
#define PILE 'P' /* a port; `num` says which */

typedef struct {
    int kind, num, ndim; /* OperandKind, NumPy's type number, of arrays */
    int written;
} Port;

typedef struct {
    int count;
    int *ports; /* of `outputs` */
} Way;

/* A list that the routine kept to itself: items of so many bytes, tuples or numbers. */
typedef struct {
    int size, tuples, width;
    struct {
        int kind, num, at;
    } parts[MOST_PARTS];
} Pile;

typedef struct {
    PyObject_HEAD
    routine_fn *fn;
    int ninputs, noutputs, narrays, nread, nways, nloops, nrooms;
    Port *ports; /* inputs, then outputs */
    Way *ways;
    rt_loop *loops;
    rt_room *rooms; /* kept for the next launch, but for large ones: there is one launch at a time */
    Callbacks calls;
    Dealt *dealt; /* what rounds in any order write; none: they are in order */
    int ndealt;
    Pile *piles;
    int npiles;
    Dealing dealing;
    PyObject *capsules, *library, *name, *source;
    unsigned long long launches, refusals, exits;
    int weight;
    int asks; /* whether a warning could raise, before a launch */
} Routine;

static inline int is_scalar(int kind) { return kind != ARRAY && (kind == 0 || strchr("LTUBYG", kind) == NULL); }

/* A list that grows has no extents that a routine reads. */
static inline int axes_of(const Port *port) { return port->kind == ARRAY ? port->ndim : port->kind != GROWN; }

/* From tuples, see _C.Routine's own words. 0, or -1 with an exception; either way the object's end frees what it has got. */
int routine_read(Routine *r, PyObject *piles, PyObject *inputs, PyObject *outputs, PyObject *ways, PyObject *dealt);

#endif
