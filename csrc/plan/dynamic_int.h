/* Numbers that follow from extents of arrays (jitcore/runtime/sizes/polynomials.py).
 *
 * The variables of a basis are some extents, in steps, then whole parts of what sums of the variables before them make when divided:
 * of n, n // 2 and (n - 1) // 3. A number is the sum of `times` × a product of variables over its terms.
 *
 * _C.Number is one number of which a plan makes an int: its extents are those of arrays that the step reads.
 */
#ifndef JITCORE_PLAN_DYNAMIC_INT_H
#define JITCORE_PLAN_DYNAMIC_INT_H

#include "jitcore.h"

#include "../jitcore/runtime_c/kernel_rt.h"

#define MOST_VARIABLES 8
#define MOST_MONOMIALS 32

typedef struct {
    i64 divisor, constant, times[MOST_VARIABLES];
} Quotient;

typedef struct {
    int nextents, nquotients, nmonomials;
    Quotient quotients[MOST_VARIABLES];
    int powers[MOST_MONOMIALS][MOST_VARIABLES];
} Basis;

/* quotients: for each (divisor, constant, times…), a factor for each variable before it; monomials: a tuple of powers for
 * each. -1 with an exception: they are no basis with so many extents. */
int basis_read(Basis *b, Py_ssize_t nextents, PyObject *quotients, PyObject *monomials);

/* sum += times * factor. -1: beyond 64 bits. */
static inline int add_product(i64 *sum, i64 times, i64 factor) {
    i64 product;
    return __builtin_mul_overflow(times, factor, &product) || __builtin_add_overflow(*sum, product, sum) ? -1 : 0;
}

/* What each monomial is; `extents` has the basis's. Room for MOST_MONOMIALS. -1: something is beyond 64 bits. */
int basis_compute(const Basis *b, const i64 *extents, i64 *monomials);

extern PyTypeObject Number_Type;

/* How many arrays it is made of. */
int number_inputs(PyObject *number);

/* An int. NULL with an exception: an input is no such array, the number is beyond 64 bits, or memory ran out. */
PyObject *number_made(PyObject *number, PyObject *const *inputs);

int dynamic_int_init(PyObject *module);

#endif
