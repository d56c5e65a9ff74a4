#include "errstate.h"

#include <stdint.h>

#include "../jitcore/runtime_c/kernel_rt.h"

/* The head of NumPy's npy_extobj (numpy/_core/src/umath/extobj.h), which is inside the capsule. */
typedef struct {
    int errmask;
    Py_ssize_t bufsize;
} ExtObj;

#define EXTOBJ_NAME "numpy.ufunc.extobj"

static PyObject *variable; /* NumPy's context variable */

int errstate_now(ErrState *state) {
    PyObject *capsule = NULL;
    if (PyContextVar_Get(variable, NULL, &capsule) < 0)
        return -1;
    const ExtObj *extobj = capsule ? PyCapsule_GetPointer(capsule, EXTOBJ_NAME) : NULL;
    if (extobj != NULL)
        *state = (ErrState){extobj->errmask, extobj->bufsize};
    else if (!PyErr_Occurred())
        PyErr_SetString(PyExc_RuntimeError, "NumPy's error state is not set");
    Py_XDECREF(capsule);
    return extobj != NULL ? 0 : -1;
}

int errstate_flags(int mask) {
    static const int flags[] = {RT_DIVIDE, RT_OVER, RT_UNDER, RT_INVALID}; /* in the order of NumPy's bits */
    int heeded = 0;
    for (int i = 0; i < 4; i++)
        if (mask >> 3 * i & 7)
            heeded |= flags[i];
    return heeded;
}

PyObject *errstate_set(PyObject *extobj) { return PyContextVar_Set(variable, extobj); }

void errstate_reset(PyObject *token) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (PyContextVar_Reset(variable, token) < 0)
        PyErr_Clear();
    Py_DECREF(token);
    PyErr_Restore(type, value, traceback);
}

static PyObject *errstate_code(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    ErrState now;
    return errstate_now(&now) < 0 ? NULL : PyLong_FromLong(now.mask);
}

static PyObject *flags_heeded(PyObject *self, PyObject *code) {
    (void)self;
    long mask = PyLong_AsLong(code);
    return mask == -1 && PyErr_Occurred() ? NULL : PyLong_FromLong(errstate_flags((int)mask));
}

static PyMethodDef methods[] = {
    {"flags_heeded", flags_heeded, METH_O, "flags_heeded(code): the flags of a kernel that such a state does not ignore."},
    {"errstate_code", errstate_code, METH_NOARGS, "np.geterr() of now, as the number NumPy keeps."},
    {NULL, NULL, 0, NULL},
};

int errstate_init(PyObject *module) {
    PyObject *umath = PyImport_ImportModule("numpy._core.umath");
    if (umath == NULL)
        return -1;
    variable = PyObject_GetAttrString(umath, "_extobj_contextvar");
    Py_DECREF(umath);
    return variable == NULL ? -1 : PyModule_AddFunctions(module, methods);
}
