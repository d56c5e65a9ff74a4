#include "numpy/argmax.h"

#include <numpy/arrayobject.h>

/* They need no Python, and of the array, their last argument, nothing, for bools and numbers that fit a register. */
static int is_plain_type(int num) { return (num >= NPY_BOOL && num <= NPY_ULONGLONG) || num == NPY_FLOAT || num == NPY_DOUBLE; }

static PyObject *search_loop(PyObject *self, PyObject *args) {
    PyArray_Descr *descr;
    int least;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!p", &PyArrayDescr_Type, &descr, &least))
        return NULL;
    PyArray_ArgFunc *found = NULL;
    if (is_plain_type(descr->type_num) && PyArray_ISNBO(descr->byteorder)) {
        PyArray_ArrFuncs *functions = PyDataType_GetArrFuncs(descr);
        found = least ? functions->argmin : functions->argmax;
    }
    if (found == NULL)
        Py_RETURN_NONE;
    return PyCapsule_New((void *)found, SEARCH_CAPSULE, NULL);
}

static PyMethodDef methods[] = {
    {"search_loop", search_loop, METH_VARARGS,
     "search_loop(dtype, least): a capsule of NumPy's function that finds the place of the largest, or least, of a row; "
     "None: there is none."},
    {NULL, NULL, 0, NULL},
};

int argmax_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
