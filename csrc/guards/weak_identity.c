#include "guards/weak_identity.h"

static PyObject *weak_identity_new(PyObject *self, PyObject *obj) {
    (void)self;
    WeakIdentity *held = PyObject_GC_New(WeakIdentity, &WeakIdentity_Type);
    if (held == NULL)
        return NULL;
    held->weak = PyType_SUPPORTS_WEAKREFS(Py_TYPE(obj));
    held->ref = held->weak ? PyWeakref_NewRef(obj, NULL) : Py_NewRef(obj);
    PyObject_GC_Track(held);
    if (held->ref == NULL)
        Py_CLEAR(held);
    return (PyObject *)held;
}

static int held_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(((WeakIdentity *)self)->ref);
    return 0;
}

static void held_dealloc(PyObject *self) {
    PyObject_GC_UnTrack(self);
    Py_XDECREF(((WeakIdentity *)self)->ref);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *held_repr(PyObject *self) {
    PyObject *obj = weak_identity_object(self);
    return obj ? PyUnicode_FromFormat("<held %R>", obj) : PyUnicode_FromString("<held: gone>");
}

PyTypeObject WeakIdentity_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitcore._C.Held",
    .tp_doc = "An object known by identity, weakly where possible.",
    .tp_basicsize = sizeof(WeakIdentity),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = held_dealloc,
    .tp_traverse = held_traverse,
    .tp_free = PyObject_GC_Del,
    .tp_repr = held_repr,
};

static PyMethodDef methods[] = {
    {"hold", weak_identity_new, METH_O, "hold(obj): a Held."},
    {NULL, NULL, 0, NULL},
};

int weak_identity_init(PyObject *module) {
    return PyModule_AddType(module, &WeakIdentity_Type) < 0 ? -1 : PyModule_AddFunctions(module, methods);
}
