#include "observe/shadow_run.h"

#include "frame/activation.h"
#include "frame/code_map.h"
#include "frame/frame.h"
#include "frame/hook.h"
#include "observe/as_lists.h"

#include <structmember.h>

typedef struct {
    JitEntryHead head;
    JitEntryHead *probe;     /* the entry's guards; returns what Python code asks for */
    JitEntryHead *entry;
    PyObject *before, *after;
    int offset;
} ShadowRun;

typedef struct {
    JitEntryHead head;
    PyObject *seen;
    int offset;
} Watch;

/* The number of the frame's run, and the frame as Python sees it: new, or NULL with an exception. */
static PyObject *state_of(const FrameView *view, int offset, unsigned long *serial) {
    Activation *activation = activation_of(view->frame);
    OffsetMap *map = offset_map_of(JIT_CODE(view->frame));
    if (activation == NULL || map == NULL || map->code_entry->code == NULL) {
        PyErr_SetString(PyExc_SystemError, "jitcore: a frame without a record is watched");
        return NULL;
    }
    *serial = activation->serial;
    return frame_state(view->frame, map->code_entry->code, offset, view->depth);
}

/* What Python code answers → how the entry is left. */
static ExitKind answered(PyObject *answer, int offset, Transfer *out) {
    long kind = answer ? PyLong_AsLong(answer) : -1;
    Py_XDECREF(answer);
    if (PyErr_Occurred()) { /* of a signal's handler: raised here */
        out->nstack = TRANSFER_KEEPS_STATE;
        out->offset = -1;
        return EXIT_RAISE;
    }
    if (kind != EXIT_JUMP)
        return kind == EXIT_DECLINED ? EXIT_DECLINED : EXIT_MISS;
    out->offset = offset;
    out->through_point = 0;
    out->nstack = TRANSFER_KEEPS_STATE;
    return EXIT_JUMP;
}

/* The entry, in a context of its own: NumPy's error state is part of it. Its transfer, as Python sees it. */
static PyObject *run_on_copies(ShadowRun *self, const FrameView *view, PyObject *locals, PyObject *stack, PyObject *context) {
    PyObject **slots = slots_of_list(locals), **values = slots ? slots_of_list(stack) : NULL, *shown = NULL;
    if (values != NULL && PyContext_Enter(context) == 0) {
        FrameView other = {slots, values, view->depth, view->globals, view->builtins, view->frame};
        Transfer transfer = {0};
        jit_busy_leave();
        ExitKind kind = self->entry->run(self->entry, &other, &transfer);
        jit_busy_enter();
        shown = transfer_shown(kind, &transfer);
        if (transfer.nstack == TRANSFER_KEEPS_STATE)
            transfer.nstack = 0;
        PyObject *type, *error, *traceback;
        PyErr_Fetch(&type, &error, &traceback);
        transfer_clear(&transfer);
        PyErr_Restore(type, error, traceback);
        if (PyContext_Exit(context) < 0)
            Py_CLEAR(shown);
    }
    PyMem_Free(slots);
    PyMem_Free(values);
    return shown;
}

static PyObject *run_shadow(ShadowRun *self, const FrameView *view, PyObject *loaded) {
    unsigned long serial;
    PyObject *context = NULL, *prepared = NULL, *shown = NULL, *answer = NULL;
    PyObject *locals, *stack, *token; /* borrowed from `prepared` */
    PyObject *state = state_of(view, self->offset, &serial);
    if (state == NULL || (context = PyContext_CopyCurrent()) == NULL)
        goto done;
    prepared = PyObject_CallFunction(self->before, "kOO", serial, state, loaded);
    if (prepared == NULL)
        goto done;
    if (PyLong_Check(prepared)) { /* not this time */
        answer = Py_NewRef(prepared);
        goto done;
    }
    if (!PyArg_ParseTuple(prepared, "O!O!O", &PyList_Type, &locals, &PyList_Type, &stack, &token))
        goto done;
    shown = run_on_copies(self, view, locals, stack, context);
    if (shown == NULL) { /* what was written must be undone all the same */
        PyErr_Clear();
        shown = Py_NewRef(Py_None);
    }
    answer = PyObject_CallFunction(self->after, "OOO", token, shown, context);
done:
    Py_XDECREF(state);
    Py_XDECREF(context);
    Py_XDECREF(prepared);
    Py_XDECREF(shown);
    return answer;
}

static ExitKind shadow_run(JitEntryHead *head, FrameView *view, Transfer *out) {
    ShadowRun *self = (ShadowRun *)head;
    Transfer found = {0};
    if (view->frame == NULL)
        return EXIT_MISS;
    ExitKind kind = self->probe->run(self->probe, view, &found);
    if (kind != EXIT_RETURN) {
        if (kind == EXIT_RAISE)
            PyErr_Clear();
        if (found.nstack == TRANSFER_KEEPS_STATE)
            found.nstack = 0;
        transfer_clear(&found);
        return kind == EXIT_DECLINED ? EXIT_DECLINED : EXIT_MISS;
    }
    Py_INCREF(self);
    jit_busy_enter();
    PyObject *loaded = found.value;
    PyObject *answer = run_shadow(self, view, loaded);
    jit_busy_leave();
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    Py_DECREF(loaded);
    PyErr_Restore(type, error, traceback);
    kind = answered(answer, self->offset, out);
    self->head.hits += kind == EXIT_JUMP;
    Py_DECREF(self);
    return kind;
}

static PyObject *shadow_run_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"probe", "entry", "before", "after", "offset", NULL};
    PyObject *probe, *entry, *before, *after;
    int offset;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O!OOi", names, &JitBaseEntry_Type, &probe, &JitBaseEntry_Type, &entry,
                                     &before, &after, &offset))
        return NULL;
    ShadowRun *self = (ShadowRun *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->head.run = shadow_run;
    self->probe = (JitEntryHead *)Py_NewRef(probe);
    self->entry = (JitEntryHead *)Py_NewRef(entry);
    self->before = Py_NewRef(before);
    self->after = Py_NewRef(after);
    self->offset = offset;
    return (PyObject *)self;
}

static int shadow_run_traverse(PyObject *op, visitproc visit, void *arg) {
    ShadowRun *self = (ShadowRun *)op;
    Py_VISIT(self->probe);
    Py_VISIT(self->entry);
    Py_VISIT(self->before);
    Py_VISIT(self->after);
    return 0;
}

static void shadow_run_dealloc(PyObject *op) {
    ShadowRun *self = (ShadowRun *)op;
    PyObject_GC_UnTrack(op);
    Py_XDECREF(self->probe);
    Py_XDECREF(self->entry);
    Py_XDECREF(self->before);
    Py_XDECREF(self->after);
    Py_TYPE(op)->tp_free(op);
}

static PyMemberDef shadow_run_members[] = {
    {"probe", T_OBJECT, offsetof(ShadowRun, probe), READONLY, "the entry's guards"},
    {NULL, 0, 0, 0, NULL},
};

static PyTypeObject ShadowRun_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitcore._C.Rehearsal",
    .tp_doc = "Rehearsal(probe, entry, before, after, offset): before(serial, state, loaded) → (locals, stack, token), or how "
              "the frame goes on; after(token, transfer, context) → how it goes on: 0 miss, 2 here, 4 in CPython.",
    .tp_basicsize = sizeof(ShadowRun),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_base = &JitBaseEntry_Type,
    .tp_new = shadow_run_new,
    .tp_dealloc = shadow_run_dealloc,
    .tp_traverse = shadow_run_traverse,
    .tp_members = shadow_run_members,
};

static ExitKind watch_run(JitEntryHead *head, FrameView *view, Transfer *out) {
    Watch *self = (Watch *)head;
    unsigned long serial;
    if (view->frame == NULL)
        return EXIT_MISS;
    Py_INCREF(self);
    jit_busy_enter();
    PyObject *state = state_of(view, self->offset, &serial), *answer = NULL;
    if (state != NULL)
        answer = PyObject_CallFunction(self->seen, "kO", serial, state);
    Py_XDECREF(state);
    jit_busy_leave();
    ExitKind kind = answered(answer, self->offset, out);
    Py_DECREF(self);
    return kind;
}

static PyObject *watch_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"seen", "offset", NULL};
    PyObject *seen;
    int offset;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "Oi", names, &seen, &offset))
        return NULL;
    Watch *self = (Watch *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->head.run = watch_run;
    self->seen = Py_NewRef(seen);
    self->offset = offset;
    return (PyObject *)self;
}

static int watch_traverse(PyObject *op, visitproc visit, void *arg) {
    Py_VISIT(((Watch *)op)->seen);
    return 0;
}

static void watch_dealloc(PyObject *op) {
    PyObject_GC_UnTrack(op);
    Py_XDECREF(((Watch *)op)->seen);
    Py_TYPE(op)->tp_free(op);
}

static PyTypeObject Watch_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitcore._C.Watch",
    .tp_doc = "Watch(seen, offset): seen(serial, state) → how the frame goes on: 0 miss, 4 in CPython.",
    .tp_basicsize = sizeof(Watch),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_base = &JitBaseEntry_Type,
    .tp_new = watch_new,
    .tp_dealloc = watch_dealloc,
    .tp_traverse = watch_traverse,
};

int shadow_run_init(PyObject *module) {
    if (PyModule_AddType(module, &ShadowRun_Type) < 0)
        return -1;
    return PyModule_AddType(module, &Watch_Type);
}
