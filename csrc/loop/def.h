/* The NativeLoop object: what a launch (loop.c) reads and the constructor (read.c) fills in. */
#ifndef JITCORE_LOOP_DEF_H
#define JITCORE_LOOP_DEF_H

#include "loop/loop.h"

#include <string.h>

#include "kernel/kernel.h"
#include "loop/boxing.h"
#include "loop/call_out.h"
#include "loop/doall.h"
#include "numpy/blas_dot.h"

#define MOST_PARTS 8
#define REFUSED 1 /* a side exit: an input does not fit, nothing has happened */
#define LOCAL_STACK 'P' /* a port; `num` says which */

typedef struct {
    int kind, num, ndim; /* OperandKind, NumPy's type number, of arrays */
    int written;
} Port;

typedef struct {
    int count;
    int *ports; /* of `outputs` */
} SideExit;

/* A list that the native loop kept to itself: items of so many bytes, tuples or numbers. */
typedef struct {
    int size, tuples, width;
    struct {
        int kind, num, at;
    } parts[MOST_PARTS];
} LocalStack;

typedef struct {
    PyObject_HEAD
    native_loop_fn *fn;
    int ninputs, noutputs, narrays, nread, nside_exits, nloops, nscratch;
    Port *ports; /* inputs, then outputs */
    SideExit *side_exits;
    rt_loop *loops;
    rt_room *scratch; /* kept for the next launch, but for large ones: there is one launch at a time */
    CallOuts calls;
    DoallStore *doall_stores; /* what iterations in any order write; none: they are in order */
    int ndoall_stores;
    LocalStack *stacks;
    int nstacks;
    DoallHistory doall;
    PyObject *capsules, *library, *name, *source;
    unsigned long long launches, refusals, exits;
    int weight;
    int asks; /* whether a warning could raise, before a launch */
} NativeLoop;

static inline int is_scalar(int kind) { return kind != ARRAY && (kind == 0 || strchr("LTUBYG", kind) == NULL); }

/* A list that grows has no extents that a native loop reads. */
static inline int axes_of(const Port *port) { return port->kind == ARRAY ? port->ndim : port->kind != GROWN; }

/* From tuples, see _C.Routine's own words. 0, or -1 with an exception; either way the object's end frees what it has got. */
int native_loop_read(NativeLoop *r, PyObject *stacks, PyObject *inputs, PyObject *outputs, PyObject *side_exits,
                     PyObject *doall_stores);

#endif
