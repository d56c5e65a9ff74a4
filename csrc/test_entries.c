#include "test_entries.h"

/* Misses, or leaves and goes on at the same place with the same state, rebuilt; at random. */
typedef struct {
    JitEntryHead head;
    int offset;
    unsigned share, seed; /* hits share/256 of the time */
} NullEntry;

static int copy_state(FrameView *view, Transfer *out) {
    out->stack = PyMem_Malloc((view->depth + 1) * sizeof(PyObject *));
    if (out->stack == NULL)
        return -1;
    for (int i = 0; i < view->depth; i++)
        out->stack[i] = Py_XNewRef(view->stack[i]);
    out->nstack = view->depth;
    return 0;
}

static ExitKind null_run(JitEntryHead *self, FrameView *view, Transfer *out) {
    NullEntry *entry = (NullEntry *)self;
    entry->seed = entry->seed * 1103515245u + 12345u;
    if ((entry->seed >> 16 & 255) >= entry->share || copy_state(view, out) < 0)
        return EXIT_MISS;
    entry->head.hits++;
    out->offset = entry->offset;
    out->through_point = 0;
    return EXIT_JUMP;
}

static PyObject *null_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"offset", "share", "seed", NULL};
    int offset;
    unsigned share = 128, seed = 1;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "i|II", names, &offset, &share, &seed))
        return NULL;
    NullEntry *entry = (NullEntry *)type->tp_alloc(type, 0);
    if (entry == NULL)
        return NULL;
    entry->head.run = null_run;
    entry->offset = offset;
    entry->share = share;
    entry->seed = seed;
    return (PyObject *)entry;
}

static PyTypeObject NullEntry_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitcore._C.NullEntry",
    .tp_doc = "NullEntry(offset, share=128, seed=1): leaves and goes on at the same place, share/256 of the time.",
    .tp_basicsize = sizeof(NullEntry),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &JitBaseEntry_Type,
    .tp_new = null_new,
};

int test_entries_init(PyObject *module) { return PyModule_AddType(module, &NullEntry_Type); }
