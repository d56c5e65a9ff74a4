/* The Kernel object: what a launch (launch.c) reads and its constructor (read.c) fills in. */
#ifndef JITCORE_KERNEL_KERNEL_H
#define JITCORE_KERNEL_KERNEL_H

#include "jitcore.h"

#include <numpy/arrayobject.h>

#include "../jitcore/runtime_c/kernel_rt.h"

#define MAX_OPERANDS 64
#define ASK_ERRSTATE (-1)

/* What an operand is; the letters are those of jitcore/toolchain/abi.py. */
typedef enum {
    ARRAY = 'a',
    NUMPY_SCALAR = 's',
    PYTHON_BOOL = 'b',
    PYTHON_INT = 'i',
    PYTHON_FLOAT = 'f',
    PYTHON_COMPLEX = 'c',
} OperandKind;

typedef struct {
    OperandKind kind;
    int num;                    /* NumPy's type number: that of the array, or what a scalar becomes */
    int ndim;
    npy_intp *shape;            /* ndim extents, then ndim strides, owned */
    npy_intp *strides;
    npy_intp low, high;         /* its bytes, from its first element */
    int itemsize;
} Operand;

/* Where the loop reads: a view lies in one of the inputs, from some byte on. */
typedef struct {
    int input;
    npy_intp offset;
} Read;

/* Where the loop writes: into one of the results, from some byte on. */
typedef struct {
    int output;
    npy_intp offset;
} Target;

/* A result that is given the memory of an input that nobody else has. */
typedef struct {
    int output, input;
} Donation;

/* A result that is written into an input (csrc/kernel/undo.h). */
typedef struct {
    int output;                 /* -1: there is none */
    int input;
    npy_intp offset;
    int certain;                /* nothing but flags can refuse a launch */
    int repeatable;             /* what CPython would repeat does not read what is written */
    int by_pieces;              /* the loop's axes are those of the target */
    int rehearsed;              /* computing it twice is cheaper than keeping what was there, unless the caches hold both */
} Write;

typedef int kernel_fn(char *const *p, const i64 *dim, const i64 *step, const rt_loop *loop);

/* Where the loop may be cut (jitcore/kernels/parallel_split.py): one axis, at multiples of `grain`, parts of `least` grains and more.
 * Grain 0: nowhere. `joined`: so many folds, the last results, are of the whole loop; then parts are nodes of NumPy's tree. */
typedef struct {
    int axis;
    i64 grain, least;
    int joined;
} Cut;

typedef struct Sizes Sizes; /* csrc/kernel/dynamic_sizes.c */

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    kernel_fn *fn;
    int ninputs, nreads, noutputs, ntargets, nloops, depth;
    int nscalars;               /* results that are NumPy scalars */
    int converts;               /* inputs that are scalars */
    int flag_mask;              /* RT_* bits that refuse a launch, or ASK_ERRSTATE */
    npy_intp size;              /* elements of the loop */
    Operand *operands;          /* inputs, then outputs */
    Read *reads;                /* the loop's operands: these, then the targets */
    Target *targets;
    Write write;
    int ndonated;
    Donation *donated;
    i64 *dim, *step;
    int nsteps;                 /* numbers in `step` */
    Cut cut;
    Sizes *sizes;               /* of its numbers, which are a launch's; NULL: they are as they are */
    rt_loop *loops;
    PyObject *capsules;         /* keep `loops` alive */
    PyObject *library;          /* keeps the code mapped */
    PyObject *name, *source;
    unsigned long long launches, refusals;
} Kernel;

/* The loop's operand that is written in place. */
static inline int kernel_target(const Kernel *k) { return k->nreads + k->write.output; }

/* The tuples that a kernel is made of, borrowed; write, taken and targets may be NULL. */
typedef struct {
    PyObject *inputs, *reads, *outputs, *targets, *dim, *step, *write, *donated, *loops;
} KernelRows;

/* 0, or -1 with an exception; either way the object's end frees what it has got. */
int kernel_read(Kernel *k, const KernelRows *rows);

/* `low` and `high`, from extents, strides and itemsize. -1: they are beyond 64 bits. */
int operand_reach(Operand *operand);

/* NumPy's inner loops in these capsules, and how many; PyMem, the caller owns it. NULL with an exception. */
rt_loop *inner_loops(PyObject *capsules, int *count);

#endif
