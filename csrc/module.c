/* jitcore._C: method tables and init, no logic. */
#define JITCORE_IMPORT_ARRAY
#include "jitcore.h"

#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

#include "array_spec.h"
#include "asking.h"
#include "bincount.h"
#include "code_cache.h"
#include "collector.h"
#include "dispatcher.h"
#include "dots.h"
#include "ear.h"
#include "entry.h"
#include "equals.h"
#include "errstate.h"
#include "everywhere.h"
#include "frame_hook.h"
#include "frame_state.h"
#include "guard_eval.h"
#include "heap.h"
#include "held.h"
#include "histogram.h"
#include "iterators.h"
#include "launcher.h"
#include "lookup.h"
#include "loop_place.h"
#include "meter.h"
#include "own_loops.h"
#include "parallel.h"
#include "part.h"
#include "plan.h"
#include "polynomials.h"
#include "pool.h"
#include "products.h"
#include "promise.h"
#include "region.h"
#include "rehearsal.h"
#include "routine.h"
#include "row_products.h"
#include "scaled.h"
#include "search.h"
#include "strands.h"
#include "test_entries.h"
#include "trial.h"
#include "undo.h"
#include "workers.h"

PyObject *jit_null;

static PyObject *null_repr(PyObject *self) {
    (void)self;
    return PyUnicode_FromString("jitcore._C.NULL");
}

static PyTypeObject Null_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitcore._C.NullType",
    .tp_doc = "Marks an empty local or stack slot.",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_repr = null_repr,
};

static int null_init(PyObject *module) {
    if (PyType_Ready(&Null_Type) < 0)
        return -1;
    jit_null = _PyObject_New(&Null_Type);
    return jit_null ? PyModule_AddObjectRef(module, "NULL", jit_null) : -1;
}

#define PARTS(X) \
    X(null) X(collector) X(heap) X(held) X(ear) X(array_spec) X(equals) X(guard_eval) X(code_cache) X(meter) X(frame_hook) X(asking) X(frame_state) X(region) \
    X(workers) X(lookup) X(loop_place) X(part) X(histogram) X(scaled) X(iterators) X(search) X(undo) X(parallel) X(launcher) X(dots) X(row_products) X(strands) X(routine) X(polynomials) X(products) X(plan) X(trial) X(entry) \
    X(dispatcher) X(everywhere) X(promise) X(rehearsal) X(test_entries)
#define OF_NUMPY(X) X(errstate) X(own_loops) X(pool) X(bincount)

#define INIT(part)                 \
    if (part##_init(module) < 0) \
        goto failed;

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "jitcore._C",
    .m_doc = "Frames, region points, guards, plans and kernels.",
    .m_size = -1,
};

/* What is under way without NumPy is what waits for it. */
static PyObject *meet_numpy(PyObject *module, PyObject *ignored) {
    (void)ignored;
    static int met;
    if (met)
        Py_RETURN_NONE;
    import_array();
    import_umath();
    OF_NUMPY(INIT)
    met = 1;
    Py_RETURN_NONE;
failed:
    return NULL;
}

static PyMethodDef methods[] = {
    {"meet_numpy", meet_numpy, METH_NOARGS, "Imports NumPy. Before that only what waits for it may be used."},
    {NULL, NULL, 0, NULL},
};

/* jitcore/switch.py loads us when the interpreter starts, before the program decides whether to import NumPy. */
static int is_early(void) {
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed */
    PyObject *module = PyDict_GetItemString(modules, "jitcore.switch");
    PyObject *early = module ? PyObject_GetAttrString(module, "early") : NULL;
    int found = early == Py_True;
    PyErr_Clear();
    Py_XDECREF(early);
    return found;
}

PyMODINIT_FUNC PyInit__C(void) {
    PyObject *module = PyModule_Create(&definition), *met = NULL;
    if (module == NULL)
        return NULL;
    PARTS(INIT)
    if (PyModule_AddFunctions(module, methods) < 0)
        goto failed;
    met = is_early() ? Py_NewRef(Py_None) : meet_numpy(module, NULL);
    if (met == NULL)
        goto failed;
    Py_DECREF(met);
    return module;
failed:
    Py_DECREF(module);
    return NULL;
}
