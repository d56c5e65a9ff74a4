#include "numpy/small_matmul.h"

#include <numpy/arrayobject.h>

#include "../jitcore/runtime_c/kernel_rt.h"
#include "kernel/kernel.h"
#include "numpy/errstate.h"

#define LONG 16384 /* products of two numbers: beyond them other threads run meanwhile */

/* By the types' numbers; capsules that are kept for good. */
typedef struct {
    rt_loop matmul;
    int ready, dot_warns;
} Use;

static Use uses[NPY_CLONGDOUBLE + 1];

/* A vector is a matrix of one row, or of one column. */
typedef struct {
    npy_intp rows, columns, by_row, by_column;
} Matrix;

static Matrix matrix_of(PyArrayObject *array, int first) {
    const npy_intp *shape = PyArray_SHAPE(array), *strides = PyArray_STRIDES(array);
    if (PyArray_NDIM(array) == 2)
        return (Matrix){shape[0], shape[1], strides[0], strides[1]};
    return first ? (Matrix){1, shape[0], 0, strides[0]} : (Matrix){shape[0], 1, strides[0], 0};
}

static const Use *use_of(PyObject *a, PyObject *b) {
    PyArrayObject *x = (PyArrayObject *)a, *y = (PyArrayObject *)b;
    if (!PyArray_CheckExact(a) || !PyArray_CheckExact(b) || PyArray_TYPE(x) != PyArray_TYPE(y) || PyArray_TYPE(x) > NPY_CLONGDOUBLE)
        return NULL;
    if (!PyArray_ISBEHAVED_RO(x) || !PyArray_ISBEHAVED_RO(y) || PyArray_NDIM(x) < 1 || PyArray_NDIM(x) > 2 || PyArray_NDIM(y) < 1 ||
        PyArray_NDIM(y) > 2 || PyArray_SIZE(x) == 0 || PyArray_SIZE(y) == 0)
        return NULL;
    const Use *use = &uses[PyArray_TYPE(x)];
    return use->ready ? use : NULL;
}

/* np.dot copies what is not in one piece, and has ways of its own for extents of one. */
static int is_dots(PyArrayObject *array) {
    const npy_intp *shape = PyArray_SHAPE(array);
    return PyArray_ISONESEGMENT(array) && shape[0] > 1 && (PyArray_NDIM(array) == 1 || shape[1] > 1);
}

static PyObject *array_for(PyArrayObject *a, PyArrayObject *b) {
    npy_intp shape[2];
    int ndim = 0;
    if (PyArray_NDIM(a) == 2)
        shape[ndim++] = PyArray_DIM(a, 0);
    if (PyArray_NDIM(b) == 2)
        shape[ndim++] = PyArray_DIM(b, 1);
    return PyArray_SimpleNew(ndim, shape, PyArray_TYPE(a));
}

static int run_matmul(const Use *use, PyArrayObject *a, PyArrayObject *b, PyArrayObject *out, Matrix x, Matrix y) {
    npy_intp item = PyArray_ITEMSIZE(out), row = PyArray_NDIM(b) == 2 ? item * y.columns : item;
    char *data[] = {PyArray_BYTES(a), PyArray_BYTES(b), PyArray_BYTES(out)};
    i64 dim[] = {1, x.rows, x.columns, y.columns};
    i64 step[] = {0, 0, 0, x.by_row, x.by_column, y.by_row, y.by_column, PyArray_NDIM(a) == 2 ? row : 0,
                       PyArray_NDIM(b) == 2 ? item : 0};
    rt_clear();
    int status = use->matmul.fn(use->matmul.context, data, dim, step, use->matmul.aux) ? RT_ERROR : rt_flags();
    rt_clear();
    return status;
}

/* 0, or -1 with an exception: NumPy would say something. */
static int heed(int status) {
    ErrState state;
    if (status == 0)
        return 0;
    if (errstate_now(&state) < 0)
        return -1;
    if ((status & (RT_ERROR | errstate_flags(state.mask))) == 0)
        return 0;
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_FloatingPointError, "a product that NumPy warns of");
    return -1;
}

static PyObject *product(PyObject *const *args, Py_ssize_t nargs, int is_dot) {
    const Use *use = nargs == 2 ? use_of(args[0], args[1]) : NULL;
    if (use == NULL || (is_dot && !(is_dots((PyArrayObject *)args[0]) && is_dots((PyArrayObject *)args[1]))))
        return PyErr_SetString(PyExc_TypeError, "two arrays are expected whose products are made here"), NULL;
    PyArrayObject *a = (PyArrayObject *)args[0], *b = (PyArrayObject *)args[1];
    Matrix x = matrix_of(a, 1), y = matrix_of(b, 0);
    if (x.columns != y.rows)
        return PyErr_SetString(PyExc_ValueError, "shapes that do not go together"), NULL;
    PyArrayObject *out = (PyArrayObject *)array_for(a, b);
    if (out == NULL)
        return NULL;
    int status;
    if (x.rows * y.columns > LONG / x.columns) {
        Py_INCREF(a);
        Py_INCREF(b);
        Py_BEGIN_ALLOW_THREADS
        status = run_matmul(use, a, b, out, x, y);
        Py_END_ALLOW_THREADS
        Py_DECREF(a);
        Py_DECREF(b);
    } else
        status = run_matmul(use, a, b, out, x, y);
    if (heed(is_dot && !use->dot_warns ? status & RT_ERROR : status) < 0) {
        Py_DECREF(out);
        return NULL;
    }
    return PyArray_Return(out);
}

static PyObject *small_dot(PyObject *self, PyObject *const *args, Py_ssize_t nargs) { return (void)self, product(args, nargs, 1); }
static PyObject *small_matmul(PyObject *self, PyObject *const *args, Py_ssize_t nargs) { return (void)self, product(args, nargs, 0); }

static PyObject *products_use(PyObject *self, PyObject *args) {
    PyArray_Descr *dtype;
    PyObject *capsules;
    int dot_warns, count;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!O!p", &PyArrayDescr_Type, &dtype, &PyTuple_Type, &capsules, &dot_warns))
        return NULL;
    if (dtype->type_num > NPY_CLONGDOUBLE)
        return PyErr_SetString(PyExc_ValueError, "a dtype of numbers is expected"), NULL;
    rt_loop *loops = inner_loops(capsules, &count);
    if (loops == NULL)
        return NULL;
    if (count == 1) {
        Py_INCREF(capsules);
        uses[dtype->type_num] = (Use){loops[0], 1, dot_warns};
    } else
        PyErr_SetString(PyExc_ValueError, "one loop is expected");
    PyMem_Free(loops);
    if (count != 1)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"products_use", products_use, METH_VARARGS,
     "products_use(dtype, (loop,), dot_warns): NumPy's loop of matmul for this dtype, and whether np.dot warns as ufuncs do."},
    {"small_dot", (PyCFunction)(void (*)(void))small_dot, METH_FASTCALL,
     "small_dot(a, b): np.dot(a, b) of arrays of one or two axes, each in one piece. FloatingPointError where that would warn."},
    {"small_matmul", (PyCFunction)(void (*)(void))small_matmul, METH_FASTCALL,
     "small_matmul(a, b): np.matmul(a, b) of arrays of one or two axes. FloatingPointError where that would warn."},
    {NULL, NULL, 0, NULL},
};

int small_matmul_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
