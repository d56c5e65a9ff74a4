#include "frame/frame.h"

#include "frame/code_map.h"

#include <structmember.h>

static PyTypeObject *state_type;

void transfer_clear(Transfer *t) {
    Py_CLEAR(t->value);
    for (int i = 0; i < t->nstack; i++)
        Py_XDECREF(t->stack[i]);
    for (int i = 0; i < t->nlocals; i++)
        Py_XDECREF(t->local_value[i]);
    PyMem_Free(t->stack);
    PyMem_Free(t->local_index);
    PyMem_Free(t->local_value);
    memset(t, 0, sizeof(*t));
}

void frame_set_code(JitFrame *frame, PyCodeObject *code) {
    PyCodeObject *old = JIT_CODE(frame);
    JIT_SET_CODE(frame, Py_NewRef(code));
    Py_DECREF(old);
}

void frame_view(JitFrame *frame, int depth, FrameView *view) {
    view->locals = frame->localsplus;
    view->stack = frame->localsplus + JIT_CODE(frame)->co_nlocalsplus;
    view->depth = depth;
    view->globals = frame->f_globals;
    view->builtins = frame->f_builtins;
    view->frame = frame;
}

void frame_set_ip(JitFrame *frame, int offset) {
    OffsetMap *map = offset_map_of(JIT_CODE(frame));
    if (map != NULL)
        JIT_SET_RUNNING(frame, map->at_instr[offset / 2]);
}

/* What the frame held is then the transfer's to release. */
static void swap_locals(JitFrame *frame, Transfer *t) {
    for (int i = 0; i < t->nlocals; i++) {
        PyObject **slot = &frame->localsplus[t->local_index[i]];
        PyObject *old = *slot;
        *slot = t->local_value[i];
        t->local_value[i] = old;
    }
}

/* Where the frame goes on, in the newest C*. */
static void set_next(JitFrame *frame, const Transfer *t) {
    OffsetMap *map = offset_map_of(JIT_CODE(frame));
    PyCodeObject *newest = map->code_entry->cstar;
    if (newest != NULL && newest != JIT_CODE(frame)) {
        frame_set_code(frame, newest);
        map = offset_map_of(newest);
    }
    if (t->kind == EXIT_RETURN)
        JIT_SET_NEXT(frame, map->return_unit);
    else if (t->kind == EXIT_RAISE)
        JIT_SET_RUNNING(frame, map->at_instr[t->offset / 2]);
    else
        JIT_SET_NEXT(frame, (t->through_point ? map->at_point : map->at_instr)[t->offset / 2]);
}

/* The new stack in place of the old one; how many values it has. */
static int write_stack(PyObject **slots, Transfer *t) {
    if (t->kind == EXIT_RETURN) {
        slots[0] = t->value;
        t->value = NULL;
        return 1;
    }
    int count = t->nstack;
    memcpy(slots, t->stack, count * sizeof(PyObject *));
    t->nstack = 0; /* they are the frame's now */
    return count;
}

#define FEW 16

void frame_apply(JitFrame *frame, int depth, Transfer *t) {
    int base = JIT_CODE(frame)->co_nlocalsplus, dropped = 0;
    PyObject **slots = frame->localsplus + base;
    PyObject *few[FEW], **old = few;
    if (t->nstack == TRANSFER_KEEPS_STATE) {
        t->nstack = 0;
    } else {
        if (depth > FEW && (old = PyMem_Malloc(depth * sizeof(PyObject *))) == NULL)
            old = few; /* out of memory: the values past FEW leak, the mildest end */
        dropped = old == few && depth > FEW ? FEW : depth;
        memcpy(old, slots, dropped * sizeof(PyObject *));
        depth = write_stack(slots, t);
        swap_locals(frame, t);
    }
    frame->stacktop = base + depth;
    set_next(frame, t);
    transfer_clear(t);
    for (int i = 0; i < dropped; i++)
        Py_XDECREF(old[i]);
    if (old != few)
        PyMem_Free(old);
}

static PyStructSequence_Field state_fields[] = {
    {"code", "C"},
    {"offset", "byte offset in C of the region point"},
    {"locals", "the frame's slots: objects, NULL where empty, cells as cells"},
    {"stack", "the value stack, NULL where CPython has one"},
    {"globals", "a dict"},
    {"builtins", "a dict"},
    {"function", "the function that runs"},
    {NULL, NULL},
};

static PyStructSequence_Desc state_desc = {
    "jitcore._C.FrameState", "A frame at a region point, as the compiler sees it.", state_fields, 7};

static PyObject *slots_tuple(PyObject **slots, Py_ssize_t count) {
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t i = 0; tuple != NULL && i < count; i++)
        PyTuple_SET_ITEM(tuple, i, Py_NewRef(slots[i] != NULL ? slots[i] : jit_null));
    return tuple;
}

PyObject *frame_state(JitFrame *frame, PyCodeObject *code, int offset, int depth) {
    PyObject *state = PyStructSequence_New(state_type);
    if (state == NULL)
        return NULL;
    PyObject *func = JIT_FUNC(frame);
    PyObject **slots = frame->localsplus;
    PyStructSequence_SET_ITEM(state, 0, Py_NewRef(code));
    PyStructSequence_SET_ITEM(state, 1, PyLong_FromLong(offset));
    PyStructSequence_SET_ITEM(state, 2, slots_tuple(slots, code->co_nlocalsplus));
    PyStructSequence_SET_ITEM(state, 3, slots_tuple(slots + code->co_nlocalsplus, depth));
    PyStructSequence_SET_ITEM(state, 4, Py_NewRef(frame->f_globals));
    PyStructSequence_SET_ITEM(state, 5, Py_NewRef(frame->f_builtins));
    PyStructSequence_SET_ITEM(state, 6, Py_NewRef(func != NULL ? func : Py_None));
    if (PyErr_Occurred())
        Py_CLEAR(state);
    return state;
}

int frame_state_init(PyObject *module) {
    state_type = PyStructSequence_NewType(&state_desc);
    return state_type ? PyModule_AddObjectRef(module, "FrameState", (PyObject *)state_type) : -1;
}
