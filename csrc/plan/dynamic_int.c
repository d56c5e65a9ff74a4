#include "plan/dynamic_int.h"

#include <numpy/arrayobject.h>

/* ---- a basis ------------------------------------------------------------------------------------ */

static i64 whole_part(i64 number, i64 divisor) { /* divisor > 0 */
    i64 found = number / divisor;
    return found - (number % divisor < 0);
}

/* What a sum of the variables before it gives when divided. */
static int quotient_of(const Quotient *of, const i64 *variables, int known, i64 *found) {
    i64 sum = of->constant;
    for (int v = 0; v < known; v++)
        if (add_product(&sum, of->times[v], variables[v]) < 0)
            return -1;
    *found = whole_part(sum, of->divisor);
    return 0;
}

static int monomial_of(const int *powers, const i64 *variables, int known, i64 *found) {
    *found = 1;
    for (int v = 0; v < known; v++)
        for (int power = powers[v]; power > 0; power--)
            if (__builtin_mul_overflow(*found, variables[v], found))
                return -1;
    return 0;
}

int basis_compute(const Basis *b, const i64 *extents, i64 *monomials) {
    i64 variables[MOST_VARIABLES];
    int known = b->nextents;
    for (int e = 0; e < known; e++)
        variables[e] = extents[e];
    for (int q = 0; q < b->nquotients; q++, known++)
        if (quotient_of(&b->quotients[q], variables, known, &variables[known]) < 0)
            return -1;
    for (int m = 0; m < b->nmonomials; m++)
        if (monomial_of(b->powers[m], variables, known, &monomials[m]) < 0)
            return -1;
    return 0;
}

/* A tuple of so many ints. */
static int read_row(PyObject *row, i64 *into, Py_ssize_t count) {
    if (!PyTuple_Check(row) || PyTuple_GET_SIZE(row) != count) {
        PyErr_SetString(PyExc_ValueError, "a number for each variable");
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        into[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(row, i));
        if (into[i] == -1 && PyErr_Occurred())
            return -1;
    }
    return 0;
}

static int read_quotients(Basis *b, PyObject *rows) {
    for (int q = 0; q < b->nquotients; q++) {
        i64 row[MOST_VARIABLES + 2];
        int known = b->nextents + q;
        if (read_row(PyTuple_GET_ITEM(rows, q), row, known + 2) < 0)
            return -1;
        if (row[0] < 1) {
            PyErr_SetString(PyExc_ValueError, "a divisor is 1 or more");
            return -1;
        }
        b->quotients[q].divisor = row[0];
        b->quotients[q].constant = row[1];
        for (int v = 0; v < known; v++)
            b->quotients[q].times[v] = row[2 + v];
    }
    return 0;
}

static int read_monomials(Basis *b, PyObject *rows) {
    for (int m = 0; m < b->nmonomials; m++) {
        i64 row[MOST_VARIABLES];
        int variables = b->nextents + b->nquotients;
        if (read_row(PyTuple_GET_ITEM(rows, m), row, variables) < 0)
            return -1;
        for (int v = 0; v < variables; v++)
            b->powers[m][v] = (int)row[v];
    }
    return 0;
}

int basis_read(Basis *b, Py_ssize_t nextents, PyObject *quotients, PyObject *monomials) {
    if (nextents < 1 || nextents + PyTuple_GET_SIZE(quotients) > MOST_VARIABLES ||
        PyTuple_GET_SIZE(monomials) > MOST_MONOMIALS) {
        PyErr_SetString(PyExc_ValueError, "a few variables and monomials");
        return -1;
    }
    b->nextents = (int)nextents;
    b->nquotients = (int)PyTuple_GET_SIZE(quotients);
    b->nmonomials = (int)PyTuple_GET_SIZE(monomials);
    return read_quotients(b, quotients) < 0 || read_monomials(b, monomials) < 0 ? -1 : 0;
}

/* ---- a number ----------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    Basis basis;
    int axes[MOST_VARIABLES];
    i64 steps[MOST_VARIABLES], times[MOST_MONOMIALS];
} Number;

int number_inputs(PyObject *number) { return ((Number *)number)->basis.nextents; }

PyObject *number_made(PyObject *number, PyObject *const *inputs) {
    const Number *n = (Number *)number;
    i64 extents[MOST_VARIABLES], monomials[MOST_MONOMIALS], sum = 0;
    for (int e = 0; e < n->basis.nextents; e++) {
        if (!PyArray_Check(inputs[e]) || PyArray_NDIM((PyArrayObject *)inputs[e]) <= n->axes[e]) {
            PyErr_SetString(PyExc_SystemError, "jitcore: a number of another array");
            return NULL;
        }
        extents[e] = PyArray_DIM((PyArrayObject *)inputs[e], n->axes[e]) / n->steps[e];
    }
    int beyond = basis_compute(&n->basis, extents, monomials) < 0;
    for (int m = 0; m < n->basis.nmonomials && !beyond; m++)
        beyond = add_product(&sum, n->times[m], monomials[m]) < 0;
    if (!beyond)
        return PyLong_FromLongLong(sum);
    PyErr_SetString(PyExc_OverflowError, "jitcore: a number beyond 64 bits"); /* CPython makes it */
    return NULL;
}

static int read_axes(Number *n, PyObject *axes) {
    for (int e = 0; e < n->basis.nextents; e++) {
        i64 row[2];
        if (read_row(PyTuple_GET_ITEM(axes, e), row, 2) < 0)
            return -1;
        if (row[0] < 0 || row[0] >= NPY_MAXDIMS || row[1] < 1) {
            PyErr_SetString(PyExc_ValueError, "an axis and a step");
            return -1;
        }
        n->axes[e] = (int)row[0];
        n->steps[e] = row[1];
    }
    return 0;
}

static PyObject *number_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    PyObject *axes, *quotients, *monomials, *times;
    static char *names[] = {"axes", "quotients", "monomials", "times", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O!O!O!", names, &PyTuple_Type, &axes, &PyTuple_Type, &quotients,
                                     &PyTuple_Type, &monomials, &PyTuple_Type, &times))
        return NULL;
    Number *n = (Number *)type->tp_alloc(type, 0);
    if (n == NULL)
        return NULL;
    if (basis_read(&n->basis, PyTuple_GET_SIZE(axes), quotients, monomials) < 0 || read_axes(n, axes) < 0 ||
        read_row(times, n->times, n->basis.nmonomials) < 0)
        Py_CLEAR(n);
    return (PyObject *)n;
}

static PyObject *number_call(PyObject *self, PyObject *args, PyObject *kwargs) {
    if (kwargs != NULL || PyTuple_GET_SIZE(args) != number_inputs(self)) {
        PyErr_SetString(PyExc_TypeError, "an array for each axis");
        return NULL;
    }
    return number_made(self, ((PyTupleObject *)args)->ob_item);
}

PyTypeObject Number_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitcore._C.Number",
    .tp_doc = "Number(axes, quotients, monomials, times): a number that follows from extents of arrays. axes: (axis, step), the "
              "variable is how often the step is in the extent; quotients: (divisor, constant, times of each variable before it); monomials: the power of each variable; "
              "times: of each monomial. Called with the arrays it gives an int.",
    .tp_basicsize = sizeof(Number),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = number_new,
    .tp_call = number_call,
};

int dynamic_int_init(PyObject *module) { return PyModule_AddType(module, &Number_Type); }
