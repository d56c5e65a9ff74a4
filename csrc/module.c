/* jitcore._C: method tables and init, no logic. */
#define JITCORE_IMPORT_ARRAY
#include "jitcore.h"

#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

#include "array_spec.h"
#include "code_cache.h"
#include "dispatch.h"
#include "entry.h"
#include "equals.h"
#include "errstate.h"
#include "everywhere.h"
#include "frame_hook.h"
#include "frame_state.h"
#include "guard_eval.h"
#include "held.h"
#include "iterators.h"
#include "launcher.h"
#include "loop_place.h"
#include "parallel.h"
#include "part.h"
#include "plan.h"
#include "pool.h"
#include "region.h"
#include "routine.h"
#include "search.h"
#include "test_entries.h"
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
    X(null) X(held) X(array_spec) X(equals) X(errstate) X(guard_eval) X(code_cache) X(frame_hook) X(frame_state) X(region) \
    X(pool) X(workers) X(loop_place) X(part) X(iterators) X(search) X(undo) X(parallel) X(launcher) X(routine) X(plan) X(entry) \
    X(dispatch) X(everywhere) X(test_entries)

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "jitcore._C",
    .m_doc = "Frames, region points, guards, plans and kernels.",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit__C(void) {
    import_array();
    import_umath();
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL)
        return NULL;
#define INIT(part)                       \
    if (part##_init(module) < 0) {       \
        Py_DECREF(module);               \
        return NULL;                     \
    }
    PARTS(INIT)
    return module;
}
