#include "kernel/dynamic_sizes.h"

#include <string.h>

#include "plan/dynamic_int.h"

#define PLACES 2 /* behind a loop's extents: where a part of it begins */

/* An input's extent, and for which ones the kernel is right: between two, in steps. The variable is how often the step is in
 * it. */
typedef struct {
    int input, axis;
    i64 low, high, step;
} Extent;

typedef struct {
    size_t at;                  /* byte of the sized kernel's memory at which the number stands */
    int monomial, more;         /* more: an earlier term is of the same number */
    i64 times;
} Term;

struct Sizes {
    int busy;
    Py_ssize_t nterms;
    i64 part;                   /* elements of a loop's smallest part */
    size_t bytes;               /* of a sized kernel */
    char *memory;               /* of the one that launches use, but for a launch within, or beside, another: for `now` */
    i64 now[MOST_VARIABLES];
    Extent extents[MOST_VARIABLES];
    Basis basis;
    Term terms[];
};

/* ---- a kernel whose numbers are its own --------------------------------------------------------- */

static int operands_of(const Kernel *k) { return k->ninputs + k->noutputs; }

/* What follows the Kernel in the memory of a sized one, in this order. */
static size_t sized_bytes(const Kernel *k) {
    size_t bytes = sizeof(Kernel) + (size_t)operands_of(k) * sizeof(Operand);
    for (int i = 0; i < operands_of(k); i++)
        bytes += 2 * (size_t)k->operands[i].ndim * sizeof(npy_intp);
    return bytes + (size_t)k->nreads * sizeof(Read) + (size_t)k->ntargets * sizeof(Target)
           + (size_t)(k->depth + PLACES + k->nsteps) * sizeof(i64);
}

static void *moved(char **at, const void *from, size_t bytes) {
    void *here = *at;
    if (bytes > 0)
        memcpy(here, from, bytes);
    *at += bytes;
    return here;
}

static Kernel *copy_into(const Kernel *k, char *memory) {
    char *at = memory;
    Kernel *own = moved(&at, k, sizeof(Kernel));
    own->operands = moved(&at, k->operands, (size_t)operands_of(k) * sizeof(Operand));
    for (int i = 0; i < operands_of(k); i++) {
        Operand *operand = &own->operands[i];
        operand->shape = moved(&at, operand->shape, 2 * (size_t)operand->ndim * sizeof(npy_intp));
        operand->strides = operand->shape + operand->ndim;
    }
    own->reads = moved(&at, k->reads, (size_t)k->nreads * sizeof(Read));
    own->targets = moved(&at, k->targets, (size_t)k->ntargets * sizeof(Target));
    own->dim = moved(&at, k->dim, (size_t)(k->depth + PLACES) * sizeof(i64));
    own->step = moved(&at, k->step, (size_t)k->nsteps * sizeof(i64));
    own->sizes = NULL;
    return own;
}

/* The numbers, as jitcore/kernels/kernel.py counts them: of each operand extents and strides; of each read, then of each target,
 * its offset; extents and steps of the loop; the offset of what is written. NULL: there are not so many. */
static i64 *number_of(Kernel *k, Py_ssize_t n) {
    for (int i = 0; i < operands_of(k); i++) {
        if (n < 2 * k->operands[i].ndim)
            return (i64 *)&k->operands[i].shape[n];
        n -= 2 * k->operands[i].ndim;
    }
    if (n < k->nreads)
        return (i64 *)&k->reads[n].offset;
    n -= k->nreads;
    if (n < k->ntargets)
        return (i64 *)&k->targets[n].offset;
    n -= k->ntargets;
    if (n < k->depth)
        return &k->dim[n];
    n -= k->depth;
    if (n < k->nsteps)
        return &k->step[n];
    return n == k->nsteps ? (i64 *)&k->write.offset : NULL;
}

/* As many grains of the axis that is cut as have so many elements. */
static void measure_parts(Kernel *k, i64 part) {
    i64 grains = (k->dim[k->cut.axis] + k->cut.grain - 1) / k->cut.grain, each = grains > 0 ? k->size / grains : 0;
    i64 least = each > 0 ? (part + each - 1) / each : part;
    if (least > k->cut.least)
        k->cut.least = least;
}

/* What the constructor, too, tells from the numbers. -1: something is beyond 64 bits. */
static int derive(Kernel *k, const Kernel *from, i64 part) {
    for (int i = 0; i < operands_of(k); i++)
        if (k->operands[i].ndim > 0 && operand_reach(&k->operands[i]) < 0)
            return -1;
    k->size = 1;
    for (int d = 0; d < k->depth; d++)
        if (__builtin_mul_overflow(k->size, (npy_intp)k->dim[d], &k->size))
            return -1;
    k->cut = from->cut;
    if (k->cut.grain > 0)
        measure_parts(k, part);
    return 0;
}

/* ---- a launch ----------------------------------------------------------------------------------- */

static int read_extent(const Kernel *k, const Extent *extent, PyObject *input, i64 *found) {
    if (!PyArray_CheckExact(input) || PyArray_NDIM((PyArrayObject *)input) != k->operands[extent->input].ndim)
        return 0;
    i64 n = PyArray_DIM((PyArrayObject *)input, extent->axis);
    *found = n / extent->step;
    return extent->low <= n && n <= extent->high && (n - extent->low) % extent->step == 0;
}

/* `memory` has a copy of `k`, for any size. -1: numbers are beyond 64 bits, and it is for none. */
static int resize(const Kernel *k, char *memory, const i64 *extents) {
    const Sizes *s = k->sizes;
    i64 monomials[MOST_MONOMIALS];
    if (basis_compute(&s->basis, extents, monomials) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < s->nterms; i++) {
        const Term *term = &s->terms[i];
        i64 *number = (i64 *)(memory + term->at);
        if (!term->more)
            *number = 0;
        if (add_product(number, term->times, monomials[term->monomial]) < 0)
            return -1;
    }
    return derive((Kernel *)memory, k, s->part);
}

Kernel *sized_enter(Kernel *k, PyObject *const *inputs) {
    Sizes *s = k->sizes;
    i64 extents[MOST_VARIABLES];
    int same = 1, nextents = s->basis.nextents;
    for (int e = 0; e < nextents; e++) {
        if (!read_extent(k, &s->extents[e], inputs[s->extents[e].input], &extents[e]))
            return NULL;
        same &= extents[e] == s->now[e];
    }
    char *memory = s->busy ? PyMem_Malloc(s->bytes) : s->memory;
    if (memory == NULL)
        return NULL;
    if (s->busy)
        copy_into(k, memory);
    if ((s->busy || !same) && resize(k, memory, extents) < 0) {
        if (s->busy)
            PyMem_Free(memory);
        else
            s->now[0] = -1;
        return NULL;
    }
    if (!s->busy)
        memcpy(s->now, extents, (size_t)nextents * sizeof(i64));
    s->busy |= memory == s->memory;
    ((Kernel *)memory)->fn = k->fn;
    return (Kernel *)memory;
}

void sized_leave(Kernel *k, Kernel *own) {
    if ((char *)own == k->sizes->memory)
        k->sizes->busy = 0;
    else
        PyMem_Free(own);
}

/* ---- construction ------------------------------------------------------------------------------- */

static int read_extents(const Kernel *k, PyObject *rows, Sizes *s) {
    for (int e = 0; e < s->basis.nextents; e++) {
        Extent *extent = &s->extents[e];
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(rows, e), "iiLLL", &extent->input, &extent->axis, &extent->low,
                              &extent->high, &extent->step))
            return -1;
        if (extent->input < 0 || extent->input >= k->ninputs || k->operands[extent->input].kind != ARRAY ||
            extent->axis < 0 || extent->axis >= k->operands[extent->input].ndim || extent->low < 0 || extent->step < 1) {
            PyErr_SetString(PyExc_ValueError, "an extent of an input that is an array, and a step");
            return -1;
        }
    }
    return 0;
}

/* (number, monomial, times): the number is what these add up to; those of one number stand together. */
static int read_terms(Kernel *own, PyObject *rows, Sizes *s) {
    s->nterms = PyTuple_GET_SIZE(rows);
    for (Py_ssize_t i = 0; i < s->nterms; i++) {
        Term *term = &s->terms[i];
        Py_ssize_t number;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(rows, i), "niL", &number, &term->monomial, &term->times))
            return -1;
        i64 *at = number < 0 ? NULL : number_of(own, number);
        if (at == NULL || term->monomial < 0 || term->monomial >= s->basis.nmonomials) {
            PyErr_SetString(PyExc_ValueError, "no such number, or monomial");
            return -1;
        }
        term->at = (size_t)((char *)at - (char *)own);
        term->more = i > 0 && s->terms[i - 1].at == term->at;
    }
    return 0;
}

PyObject *kernel_sized(PyObject *self, PyObject *args) {
    Kernel *k = (Kernel *)self;
    PyObject *extents, *quotients, *monomials, *terms;
    long long part;
    if (!PyArg_ParseTuple(args, "O!O!O!O!L", &PyTuple_Type, &extents, &PyTuple_Type, &quotients, &PyTuple_Type,
                          &monomials, &PyTuple_Type, &terms, &part))
        return NULL;
    if (k->sizes != NULL) {
        PyErr_SetString(PyExc_ValueError, "a kernel is sized once");
        return NULL;
    }
    Sizes *s = PyMem_Calloc(1, sizeof(Sizes) + (size_t)PyTuple_GET_SIZE(terms) * sizeof(Term));
    if (s == NULL)
        return PyErr_NoMemory();
    s->part = part;
    s->bytes = sized_bytes(k);
    s->memory = PyMem_Malloc(s->bytes);
    if (s->memory == NULL)
        PyErr_NoMemory();
    else if (basis_read(&s->basis, PyTuple_GET_SIZE(extents), quotients, monomials) == 0 &&
             read_extents(k, extents, s) == 0)
        read_terms(copy_into(k, s->memory), terms, s);
    if (PyErr_Occurred()) {
        sizes_free(s);
        return NULL;
    }
    for (int e = 0; e < s->basis.nextents; e++)
        s->now[e] = -1;
    k->sizes = s;
    Py_RETURN_NONE;
}

void sizes_free(Sizes *sizes) {
    if (sizes != NULL)
        PyMem_Free(sizes->memory);
    PyMem_Free(sizes);
}
