/* jitcore._C: method tables and init, no logic. */
#define JITCORE_IMPORT_ARRAY
#include "jitcore.h"

#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

#include "frame/ask_python.h"
#include "frame/code_map.h"
#include "frame/frame.h"
#include "frame/function.h"
#include "frame/hook.h"
#include "frame/point.h"
#include "guards/array_spec.h"
#include "guards/eval.h"
#include "guards/iterators.h"
#include "guards/lookup.h"
#include "guards/same_value.h"
#include "guards/weak_identity.h"
#include "host/gc_pause.h"
#include "host/heap.h"
#include "host/thread_warnings.h"
#include "kernel/launch.h"
#include "kernel/library.h"
#include "kernel/pool.h"
#include "kernel/undo.h"
#include "kernel/workers.h"
#include "loop/blocks.h"
#include "loop/doall.h"
#include "loop/loop.h"
#include "numpy/argmax.h"
#include "numpy/bincount.h"
#include "numpy/blas_dot.h"
#include "numpy/blas_gemv.h"
#include "numpy/blas_scaled_gemv.h"
#include "numpy/errstate.h"
#include "numpy/histogram.h"
#include "numpy/small_matmul.h"
#include "numpy/ufunc_loops.h"
#include "observe/frame_end.h"
#include "observe/meter.h"
#include "observe/shadow_run.h"
#include "observe/test_entries.h"
#include "plan/dynamic_int.h"
#include "plan/entry.h"
#include "plan/plan.h"
#include "plan/slice_view.h"
#include "policy/hotness.h"
#include "policy/predict.h"
#include "policy/state.h"
#include "policy/trial.h"

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

#define PARTS(X)                                                                                                        \
    X(null) X(gc_pause) X(heap) X(weak_identity) X(thread_warnings) X(array_spec) X(same_value) X(guards) X(code_map)   \
    X(meter) X(hook) X(frame_end) X(ask_python) X(frame_state) X(point) X(workers) X(lookup) X(loop_origin)             \
    X(slice_view) X(histogram) X(blas_scaled_gemv) X(iterators) X(argmax) X(undo) X(doall) X(library) X(kernel) X(blas_dot) \
    X(blas_gemv) X(blocks) X(native_loop) X(dynamic_int) X(small_matmul) X(plan) X(trial) X(entry) X(function)          \
    X(hotness) X(predict) X(state) X(shadow_run) X(test_entries)
#define OF_NUMPY(X) X(errstate) X(loop_integrity) X(pool) X(bincount)

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
