#include "numpy/errstate.h"

#include <stdint.h>

#include "../jitcore/runtime_c/kernel_rt.h"

/* The head of NumPy's npy_extobj (numpy/_core/src/umath/extobj.h), which is inside the capsule. */
typedef struct {
    int errmask;
    Py_ssize_t bufsize;
} ExtObj;

#define EXTOBJ_NAME "numpy.ufunc.extobj"

/* The head of a capsule (CPython's Objects/capsule.c), alike in 3.11 to 3.13. */
typedef struct {
    PyObject_HEAD
    void *pointer;
    const char *name;
} CapsuleHead;

static PyObject *variable;    /* NumPy's context variable */
static const char *its_name; /* where NumPy keeps the name of its capsules; NULL: capsules are not as we know them */

/* Every call of compiled code asks: comparing the text of the name takes longer than all the rest. */
static const ExtObj *inside(PyObject *capsule) {
    const CapsuleHead *head = (CapsuleHead *)capsule;
    if (its_name != NULL && PyCapsule_CheckExact(capsule) && head->name == its_name)
        return head->pointer;
    return PyCapsule_GetPointer(capsule, EXTOBJ_NAME);
}

int errstate_now(ErrState *state) {
    PyObject *capsule = NULL;
    if (PyContextVar_Get(variable, NULL, &capsule) < 0)
        return -1;
    const ExtObj *extobj = capsule ? inside(capsule) : NULL;
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

/* 0, or -1 with an exception. */
static int learn_name(void) {
    PyObject *capsule = NULL;
    if (PyContextVar_Get(variable, NULL, &capsule) < 0)
        return -1;
    if (capsule != NULL && PyCapsule_IsValid(capsule, EXTOBJ_NAME)) {
        const CapsuleHead *head = (CapsuleHead *)capsule;
        int known = head->pointer == PyCapsule_GetPointer(capsule, EXTOBJ_NAME) && head->name == PyCapsule_GetName(capsule);
        its_name = known ? head->name : NULL;
    }
    Py_XDECREF(capsule);
    return 0;
}

int errstate_init(PyObject *module) {
    PyObject *umath = PyImport_ImportModule("numpy._core.umath");
    if (umath == NULL)
        return -1;
    variable = PyObject_GetAttrString(umath, "_extobj_contextvar");
    Py_DECREF(umath);
    return variable == NULL || learn_name() < 0 ? -1 : PyModule_AddFunctions(module, methods);
}
