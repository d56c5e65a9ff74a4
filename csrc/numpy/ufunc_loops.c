#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "numpy/ufunc_loops.h"

#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

#include <dlfcn.h>
#include <link.h>

/* ---------------------------------------------------------------- are they NumPy's own? */

typedef struct {
    uintptr_t begin, end;
} Code;

static Code numpys; /* of the library that has NumPy's ufuncs */

static int holds(Code code, uintptr_t address) { return address >= code.begin && address < code.end; }

static int find_code(struct dl_phdr_info *library, size_t size, void *address) {
    (void)size;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &library->dlpi_phdr[i];
        uintptr_t begin = library->dlpi_addr + segment->p_vaddr;
        Code code = {begin, begin + segment->p_memsz};
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X && holds(code, (uintptr_t)address)) {
            numpys = code;
            return 1;
        }
    }
    return 0;
}

static int are_own(const PyUFuncObject *ufunc) {
    for (int i = 0; i < ufunc->ntypes; i++)
        if (ufunc->functions[i] != NULL && !holds(numpys, (uintptr_t)ufunc->functions[i]))
            return 0;
    return 1;
}

/* Each place is asked about once when it is compiled, which takes a thousand times as long. */
static PyObject *replaced_loop(PyObject *self, PyObject *umath) {
    (void)self;
    if (!PyModule_Check(umath)) {
        PyErr_SetString(PyExc_TypeError, "a module is expected");
        return NULL;
    }
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (numpys.end && PyDict_Next(PyModule_GetDict(umath), &at, &name, &value))
        if (Py_IS_TYPE(value, &PyUFunc_Type) && !are_own((PyUFuncObject *)value))
            return Py_NewRef(name);
    Py_RETURN_NONE;
}

static PyMethodDef integrity_methods[] = {
    {"replaced_loop", replaced_loop, METH_O,
     "replaced_loop(umath): a ufunc with an inner loop that is none of NumPy's own, its name; None: there is none."},
    {NULL, NULL, 0, NULL},
};

int loop_integrity_init(PyObject *module) {
    dl_iterate_phdr(find_code, (void *)(uintptr_t)PyUFunc_Type.tp_dealloc);
    return PyModule_AddFunctions(module, integrity_methods);
}

/* ---------------------------------------------------------------- where do they lie? */

/* (path of the library, offset there) of an address; (None, 0) of NULL; None where no library is mapped. */
static PyObject *library_offset(const void *address) {
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
    PyObject *code = library_offset((const void *)ufunc->functions[row]);
    PyObject *data = code ? library_offset(ufunc->data ? ufunc->data[row] : NULL) : NULL, *result = NULL;
    if (data != NULL)
        result = code == Py_None || data == Py_None ? Py_NewRef(Py_None) : PyTuple_Pack(2, code, data);
    Py_XDECREF(code);
    Py_XDECREF(data);
    return result;
}

static PyMethodDef origin_methods[] = {
    {"loop_place", loop_place, METH_VARARGS,
     "loop_place(ufunc, dtypes): ((library, offset), (library, offset)) of the loop's code and of its data; None: not "
     "known."},
    {NULL, NULL, 0, NULL},
};

int loop_origin_init(PyObject *module) { return PyModule_AddFunctions(module, origin_methods); }
