#include "held.h"

static PyObject *gone(PyObject *capsule, PyObject *ref) {
    (void)ref;
    Held *held = PyCapsule_GetPointer(capsule, NULL);
    if (held == NULL)
        return NULL;
    held->obj = NULL;
    Py_RETURN_NONE;
}

static PyMethodDef gone_def = {"gone", gone, METH_O, NULL};

/* The callback does not own `held`: it cannot run after `held` has dropped the reference. */
static PyObject *weak_reference(Held *held, PyObject *obj) {
    PyObject *capsule = PyCapsule_New(held, NULL, NULL);
    PyObject *callback = capsule ? PyCFunction_New(&gone_def, capsule) : NULL;
    PyObject *ref = callback ? PyWeakref_NewRef(obj, callback) : NULL;
    Py_XDECREF(capsule);
    Py_XDECREF(callback);
    return ref;
}

static PyObject *hold(PyObject *self, PyObject *obj) {
    (void)self;
    Held *held = PyObject_New(Held, &Held_Type);
    if (held == NULL)
        return NULL;
    held->obj = obj;
    held->weak = NULL;
    if (!PyType_SUPPORTS_WEAKREFS(Py_TYPE(obj))) {
        Py_INCREF(obj);
    } else if ((held->weak = weak_reference(held, obj)) == NULL) {
        held->obj = NULL;
        Py_CLEAR(held);
    }
    return (PyObject *)held;
}

static void held_dealloc(PyObject *self) {
    Held *held = (Held *)self;
    if (held->weak == NULL)
        Py_XDECREF(held->obj);
    Py_XDECREF(held->weak);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *held_repr(PyObject *self) {
    Held *held = (Held *)self;
    return held->obj ? PyUnicode_FromFormat("<held %R>", held->obj)
                     : PyUnicode_FromString("<held: gone>");
}

PyTypeObject Held_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitcore._C.Held",
    .tp_doc = "An object known by identity, weakly where possible.",
    .tp_basicsize = sizeof(Held),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = held_dealloc,
    .tp_repr = held_repr,
};

static PyMethodDef methods[] = {
    {"hold", hold, METH_O, "hold(obj): a Held."},
    {NULL, NULL, 0, NULL},
};

int held_init(PyObject *module) {
    return PyModule_AddType(module, &Held_Type) < 0 ? -1 : PyModule_AddFunctions(module, methods);
}
