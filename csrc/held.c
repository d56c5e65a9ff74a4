#include "held.h"

static PyObject *hold(PyObject *self, PyObject *obj) {
    (void)self;
    Held *held = PyObject_GC_New(Held, &Held_Type);
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
    Py_VISIT(((Held *)self)->ref);
    return 0;
}

static void held_dealloc(PyObject *self) {
    PyObject_GC_UnTrack(self);
    Py_XDECREF(((Held *)self)->ref);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *held_repr(PyObject *self) {
    PyObject *obj = held_object(self);
    return obj ? PyUnicode_FromFormat("<held %R>", obj) : PyUnicode_FromString("<held: gone>");
}

PyTypeObject Held_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitcore._C.Held",
    .tp_doc = "An object known by identity, weakly where possible.",
    .tp_basicsize = sizeof(Held),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = held_dealloc,
    .tp_traverse = held_traverse,
    .tp_free = PyObject_GC_Del,
    .tp_repr = held_repr,
};

static PyMethodDef methods[] = {
    {"hold", hold, METH_O, "hold(obj): a Held."},
    {NULL, NULL, 0, NULL},
};

int held_init(PyObject *module) {
    return PyModule_AddType(module, &Held_Type) < 0 ? -1 : PyModule_AddFunctions(module, methods);
}
