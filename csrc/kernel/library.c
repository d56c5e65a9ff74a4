#include "kernel/library.h"

#include <dlfcn.h>

static const char name[] = "jitcore._C.library";

static void unmap(PyObject *handle) { dlclose(PyCapsule_GetPointer(handle, name)); }

static PyObject *open_library(PyObject *self, PyObject *args) {
    PyObject *path = NULL, *handle = NULL, *found = NULL, *why = NULL;
    const char *symbol;
    void *library, *address;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&s", PyUnicode_FSConverter, &path, &symbol))
        return NULL;
    library = dlopen(PyBytes_AS_STRING(path), RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        why = PyUnicode_DecodeFSDefault(dlerror()); /* a path may have any bytes */
        if (why != NULL)
            PyErr_SetObject(PyExc_OSError, why);
        goto done;
    }
    handle = PyCapsule_New(library, name, unmap);
    if (handle == NULL) {
        dlclose(library);
        goto done;
    }
    address = dlsym(library, symbol);
    if (address == NULL)
        PyErr_Format(PyExc_OSError, "%s has no %s", PyBytes_AS_STRING(path), symbol);
    else
        found = Py_BuildValue("nO", (Py_ssize_t)address, handle);
done:
    Py_XDECREF(handle);
    Py_XDECREF(why);
    Py_DECREF(path);
    return found;
}

static PyMethodDef methods[] = {
    {"dlopen", open_library, METH_VARARGS,
     "dlopen(path, symbol): the symbol's address in a shared library, and what keeps it mapped. OSError: there is none."},
    {NULL, NULL, 0, NULL},
};

int library_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
