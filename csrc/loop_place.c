#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "loop_place.h"

#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

#include <dlfcn.h>

/* (path of the library, offset there) of an address; (None, 0) of NULL; None where no library is mapped. */
static PyObject *place_of(const void *address) {
    Dl_info found;
    if (address == NULL)
        return Py_BuildValue("Oi", Py_None, 0);
    if (!dladdr(address, &found) || found.dli_fname == NULL)
        Py_RETURN_NONE;
    Py_ssize_t offset = (const char *)address - (const char *)found.dli_fbase;
    return Py_BuildValue("O&n", PyUnicode_DecodeFSDefault, found.dli_fname, offset);
}

/* The first of the rows for these types, which is the one that NumPy takes; -1: there is none. */
static int row_of(const PyUFuncObject *ufunc, const int *types) {
    for (int row = 0; row < ufunc->ntypes; row++) {
        int same = 1;
        for (int i = 0; i < ufunc->nargs; i++)
            same &= ufunc->types[row * ufunc->nargs + i] == types[i];
        if (same)
            return row;
    }
    return -1;
}

static PyObject *loop_place(PyObject *self, PyObject *args) {
    PyObject *ufunc_, *dtypes;
    int types[NPY_MAXARGS];
    (void)self;
    if (!PyArg_ParseTuple(args, "O!O!", &PyUFunc_Type, &ufunc_, &PyTuple_Type, &dtypes))
        return NULL;
    PyUFuncObject *ufunc = (PyUFuncObject *)ufunc_;
    if (PyTuple_GET_SIZE(dtypes) != ufunc->nargs || ufunc->nargs > NPY_MAXARGS) {
        PyErr_Format(PyExc_ValueError, "the ufunc takes %d types", ufunc->nargs);
        return NULL;
    }
    for (int i = 0; i < ufunc->nargs; i++) {
        PyObject *dtype = PyTuple_GET_ITEM(dtypes, i);
        if (!PyArray_DescrCheck(dtype)) {
            PyErr_SetString(PyExc_TypeError, "a dtype is expected");
            return NULL;
        }
        types[i] = ((PyArray_Descr *)dtype)->type_num;
    }
    int row = row_of(ufunc, types);
    if (row < 0)
        Py_RETURN_NONE;
    PyObject *code = place_of((const void *)ufunc->functions[row]);
    PyObject *data = code ? place_of(ufunc->data ? ufunc->data[row] : NULL) : NULL, *result = NULL;
    if (data != NULL)
        result = code == Py_None || data == Py_None ? Py_NewRef(Py_None) : PyTuple_Pack(2, code, data);
    Py_XDECREF(code);
    Py_XDECREF(data);
    return result;
}

static PyMethodDef methods[] = {
    {"loop_place", loop_place, METH_VARARGS,
     "loop_place(ufunc, dtypes): ((library, offset), (library, offset)) of the loop's code and of its data; None: not "
     "known."},
    {NULL, NULL, 0, NULL},
};

int loop_place_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
