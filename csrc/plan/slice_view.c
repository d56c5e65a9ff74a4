#include "plan/slice_view.h"

#include <numpy/arrayobject.h>

/* 1: the array has this shape; -1: an exception. */
static int has_shape(PyArrayObject *array, PyObject *shape) {
    if (PyArray_NDIM(array) != PyTuple_GET_SIZE(shape))
        return 0;
    for (int i = 0; i < PyArray_NDIM(array); i++) {
        Py_ssize_t extent = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, i));
        if (extent == -1 && PyErr_Occurred())
            return -1;
        if (extent != PyArray_DIM(array, i))
            return 0;
    }
    return 1;
}

static PyObject *part(PyObject *self, PyObject *const *args, Py_ssize_t nargs) {
    (void)self;
    if (nargs != 3 || !PyTuple_Check(args[2])) {
        PyErr_SetString(PyExc_TypeError, "an array, an index and a shape are expected");
        return NULL;
    }
    PyObject *found = PyObject_GetItem(args[0], args[1]);
    if (found == NULL)
        return NULL;
    int fits = PyArray_CheckExact(found) ? has_shape((PyArrayObject *)found, args[2]) : 0;
    if (fits == 0)
        PyErr_SetString(PyExc_IndexError, "a part of another shape");
    if (fits != 1)
        Py_CLEAR(found);
    return found;
}

static PyMethodDef methods[] = {
    {"part", (PyCFunction)(void (*)(void))part, METH_FASTCALL,
     "part(array, index, shape): array[index], if it is an array of this shape; else an IndexError."},
    {NULL, NULL, 0, NULL},
};

int slice_view_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
