#include "plan/entry.h"

#include "guards/eval.h"
#include "observe/as_lists.h"
#include "observe/plan_meter.h"
#include "plan/entry_run.h"

#include <structmember.h>

static int make_slots(Entry *self) {
    if (self->slots != NULL)
        return 0;
    self->slots = meter_slots(NSLOTS + self->plan.nexits + self->plan.count);
    if (self->slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    self->slots[ENTRY_SLOT].kind = METER_ENTRY;
    plan_meter_kinds(&self->plan, slots_of_words(self));
    return 0;
}

static int entry_set_metered(Entry *self, int on) {
    if (on && make_slots(self) < 0)
        return -1;
    self->head.run = on ? entry_run_metered : entry_run;
    JitEntryHead *baseline = self->trial.baseline;
    int ours = baseline != NULL && Py_IS_TYPE((PyObject *)baseline, Py_TYPE(self));
    return ours ? entry_set_metered((Entry *)baseline, on) : 0;
}

/* ---------------------------------------------------------------- making one */

/* Words that would run out of their registers or constants are our bug, not the user's crash. */
static int check(const Entry *self) {
    if (!guards_valid(self->guards, self->nguards, self->nregs, PyTuple_GET_SIZE(self->guard_consts),
                      PyTuple_GET_SIZE(self->reasons))) {
        PyErr_SetString(PyExc_ValueError, "these words are not a guard program");
        return -1;
    }
    return plan_check(&self->plan, self->nregs, PyTuple_GET_SIZE(self->plan_consts));
}

static PyObject *entry_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"name", "nregs", "guards", "guard_consts", "reasons",
                            "plan", "plan_consts", "exits", NULL};
    PyObject *name, *guards, *guard_consts, *reasons, *words, *plan_consts, *exits;
    int nregs;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "UiOO!O!OO!O!", names, &name, &nregs, &guards,
                                     &PyTuple_Type, &guard_consts, &PyTuple_Type, &reasons, &words,
                                     &PyTuple_Type, &plan_consts, &PyTuple_Type, &exits))
        return NULL;
    Entry *self = (Entry *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->head.run = entry_run;
    self->nregs = nregs;
    self->last_miss = -1;
    self->name = Py_NewRef(name);
    self->guard_consts = Py_NewRef(guard_consts);
    self->plan_consts = Py_NewRef(plan_consts);
    self->reasons = Py_NewRef(reasons);
    self->plan.consts = ((PyTupleObject *)plan_consts)->ob_item;
    self->guards = plan_words(guards, &self->nguards);
    if (self->guards == NULL || plan_read(&self->plan, words, exits) < 0 || check(self) < 0 ||
        (meter_is_on() && entry_set_metered(self, 1) < 0))
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int entry_traverse(PyObject *op, visitproc visit, void *arg) {
    Py_VISIT(((Entry *)op)->guard_consts);
    Py_VISIT(((Entry *)op)->plan_consts);
    Py_VISIT(((Entry *)op)->trial.baseline);
    Py_VISIT(((Entry *)op)->former);
    return 0;
}

static void entry_dealloc(PyObject *op) {
    Entry *self = (Entry *)op;
    PyObject_GC_UnTrack(op);
    plan_free(&self->plan);
    PyMem_Free(self->guards);
    Py_XDECREF(self->trial.baseline);
    Py_XDECREF(self->former);
    Py_XDECREF(self->guard_consts);
    Py_XDECREF(self->plan_consts);
    Py_XDECREF(self->reasons);
    Py_XDECREF(self->name);
    Py_TYPE(op)->tp_free(op);
}

static PyObject *explain_miss(PyObject *op, PyObject *ignored) {
    (void)ignored;
    Entry *self = (Entry *)op;
    if (self->last_miss < 0)
        Py_RETURN_NONE;
    return PyObject_Str(PyTuple_GET_ITEM(self->reasons, self->last_miss));
}

static PyObject *run_without_frame(PyObject *op, PyObject *args) {
    PyObject *locals, *stack, *globals, *builtins;
    if (!PyArg_ParseTuple(args, "O!O!O!O!", &PyList_Type, &locals, &PyList_Type, &stack,
                          &PyDict_Type, &globals, &PyDict_Type, &builtins))
        return NULL;
    PyObject **slots = slots_of_list(locals), **values = slots ? slots_of_list(stack) : NULL, *result = NULL;
    if (values != NULL) {
        int depth = (int)PyList_GET_SIZE(stack);
        FrameView view = {slots, values, depth, globals, builtins, NULL};
        Transfer transfer = {0};
        ExitKind kind = entry_run((JitEntryHead *)op, &view, &transfer);
        result = transfer_shown(kind, &transfer);
        if (transfer.nstack == TRANSFER_KEEPS_STATE)
            transfer.nstack = 0;
        transfer_clear(&transfer);
    }
    PyMem_Free(slots);
    PyMem_Free(values);
    return result;
}

static PyObject *failing_on(Entry *self, const FrameView *view) {
    PyObject *const *consts = ((PyTupleObject *)self->guard_consts)->ob_item;
    PyObject **regs = PyMem_Calloc(self->nregs + 1, sizeof(PyObject *)), *found = NULL;
    char *refused = PyMem_Calloc(self->nregs + 1, 1);
    if (regs == NULL || refused == NULL)
        PyErr_NoMemory();
    else
        found = guards_failing(self->guards, self->nguards, consts, view, regs, refused);
    for (int i = 0; regs != NULL && i < self->nregs; i++)
        Py_XDECREF(regs[i]);
    PyMem_Free(regs);
    PyMem_Free(refused);
    return found;
}

static PyObject *failing_without_frame(PyObject *op, PyObject *args) {
    PyObject *locals, *stack, *globals, *builtins;
    if (!PyArg_ParseTuple(args, "O!O!O!O!", &PyList_Type, &locals, &PyList_Type, &stack,
                          &PyDict_Type, &globals, &PyDict_Type, &builtins))
        return NULL;
    PyObject **slots = slots_of_list(locals), **values = slots ? slots_of_list(stack) : NULL, *found = NULL;
    if (values != NULL) {
        FrameView view = {slots, values, (int)PyList_GET_SIZE(stack), globals, builtins, NULL};
        found = failing_on((Entry *)op, &view);
    }
    PyMem_Free(slots);
    PyMem_Free(values);
    return found;
}

static PyObject *try_against(PyObject *op, PyObject *baseline) {
    Entry *self = (Entry *)op;
    if (!PyObject_TypeCheck(baseline, &JitBaseEntry_Type) || baseline == op) {
        PyErr_SetString(PyExc_TypeError, "another entry is expected");
        return NULL;
    }
    trial_begin(&self->trial, baseline);
    life_on(&self->head.life, EVENT_TRIED, 1);
    Py_RETURN_NONE;
}

static PyObject *wait_beside(PyObject *op, PyObject *baseline) {
    PyObject *done = try_against(op, baseline);
    if (done != NULL) {
        ((Entry *)op)->kernels_pending = 1;
        life_on(&((Entry *)op)->head.life, EVENT_PENDING, 1);
    }
    return done;
}

static PyObject *kernels_ready(PyObject *op, PyObject *trial) {
    Entry *self = (Entry *)op;
    int tried = PyObject_IsTrue(trial);
    if (tried < 0)
        return NULL;
    self->kernels_pending = 0;
    if (!tried)
        Py_CLEAR(self->trial.baseline);
    life_on(&self->head.life, EVENT_READY, self->trial.baseline != NULL);
    Py_RETURN_NONE;
}

static PyObject *entry_decline(PyObject *op, PyObject *ignored) {
    (void)ignored;
    life_on(&((Entry *)op)->head.life, EVENT_NO_GAIN, 0);
    Py_RETURN_NONE;
}

int entry_is_tried(const JitEntryHead *head) { return Py_IS_TYPE((PyObject *)head, &Entry_Type) && ((const Entry *)head)->trial.baseline != NULL; }

/* Between comparisons its trial counts runs, and frames that are CPython's. */
static PyObject *get_life(PyObject *op, void *ignored) {
    (void)ignored;
    const JitEntryHead *head = (JitEntryHead *)op;
    int runs = entry_is_tried(head) && head->life.now != STATE_COMPILING ? ((const Entry *)head)->trial.runs_until_comparison : 0;
    int again = head->life.now == STATE_PENALISED ? head->life.penalty : head->life.now == STATE_DEAD ? 0 : runs;
    return life_told(&head->life, again > 0 ? PyLong_FromLong(again) : Py_NewRef(Py_None));
}

static PyObject *is_in(PyObject *op, void *state) { return PyBool_FromLong(((JitEntryHead *)op)->life.now == (State)(intptr_t)state); }

static PyObject *meter_entry(PyObject *op, PyObject *arg) {
    int on = PyObject_IsTrue(arg);
    if (on < 0 || entry_set_metered((Entry *)op, on) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* (of the entry itself, while it stays, [after exits], [steps], its baseline's or None), or None */
static PyObject *entry_metered(PyObject *op, PyObject *ignored) {
    (void)ignored;
    Entry *self = (Entry *)op;
    if (self->slots == NULL)
        Py_RETURN_NONE;
    JitEntryHead *baseline = self->trial.baseline ? self->trial.baseline : self->former;
    int ours = baseline != NULL && Py_IS_TYPE((PyObject *)baseline, Py_TYPE(self));
    PyObject *exits = PyList_New(0), *made = PyList_New(0), *result = NULL;
    if (exits != NULL && made != NULL && plan_exit_rows(&self->plan, slot_after_exit(self, 0), exits) == 0 &&
        plan_step_rows(&self->plan, slots_of_words(self), made) == 0)
        result = Py_BuildValue("NNOON", meter_row(&self->slots[ENTRY_SLOT], Py_None), meter_row(&self->slots[DECLINED_SLOT], Py_None),
                               exits, made, ours ? entry_metered((PyObject *)baseline, NULL) : Py_NewRef(Py_None));
    Py_XDECREF(exits);
    Py_XDECREF(made);
    return result;
}

/* ---------------------------------------------------------------- the types */

static PyMemberDef base_members[] = {
    {"hits", T_LONG, offsetof(JitEntryHead, hits), READONLY, "times it ran to an exit"},
    {"penalty", T_INT, offsetof(JitEntryHead, life.penalty), READONLY, "runs for which the frame stays in CPython"},
    {"failures", T_LONG, offsetof(JitEntryHead, failures), READONLY,
     "times a step failed and CPython repeated the work"},
    {"gain", T_FLOAT, offsetof(JitEntryHead, gain), READONLY, "seconds that a run saved in its trial; 0: none was decided"},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef base_getset[] = {
    {"life", get_life, NULL, "(state, why, looked at again: an int of visits, or None)", NULL},
    {"retired", is_in, NULL, "where its guards hold, the frame is CPython's", (void *)(intptr_t)STATE_DECLINED},
    {"disabled", is_in, NULL, "it failed too often", (void *)(intptr_t)STATE_DEAD},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject JitBaseEntry_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitcore._C.BaseEntry",
    .tp_doc = "What a region point can run.",
    .tp_basicsize = sizeof(JitEntryHead),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_members = base_members,
    .tp_getset = base_getset,
};

static PyMethodDef entry_methods[] = {
    {"meter", meter_entry, METH_O, "meter(on): its runs are measured, or no more."},
    {"metered", entry_metered, METH_NOARGS,
     "What has been measured, in rows (kind, what, times, seconds): (the entry itself, CPython while it stays, [after each "
     "exit, with the offset], [each call, kernel and routine], the same of its baseline), or None. After meter_read()."},
    {"wait_beside", wait_beside, METH_O, "wait_beside(entry): let another that does the same run until ready()."},
    {"ready", kernels_ready, METH_O, "ready(trial): run from now on, if `trial` in turns with the other one at first."},
    {"decline", entry_decline, METH_NOARGS, "Where its guards hold, the frame is CPython's from now on."},
    {"try_against", try_against, METH_O,
     "try_against(entry): take turns with an entry that does the same; retire while that one is faster."},
    {"run_on", run_without_frame, METH_VARARGS,
     "run_on(locals, stack, globals, builtins): run without a frame, for tests. (kind, offset, through_point, value, "
     "stack, {local: value})"},
    {"failing", failing_without_frame, METH_VARARGS,
     "failing(locals, stack, globals, builtins): the guards that do not hold there, as [(index of the reason, (objects "
     "that it looked at, ...)), ...]; what hangs below one that fails is left out."},
    {"explain_miss", explain_miss, METH_NOARGS, "The guard that failed last, in words; or None."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef entry_members[] = {
    {"name", T_OBJECT, offsetof(Entry, name), READONLY, NULL},
    {"nregs", T_INT, offsetof(Entry, nregs), READONLY, NULL},
    {"kernels_pending", T_BOOL, offsetof(Entry, kernels_pending), READONLY, "another one runs until ready()"},
    {"needs_frame", T_BOOL, offsetof(Entry, needs_frame), 0, "without a frame it misses"},
    {"no_effects", T_BOOL, offsetof(Entry, plan.no_effects), 0, "without a frame it misses where it does not reach its end"},
    {"reasons", T_OBJECT, offsetof(Entry, reasons), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject Entry_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitcore._C.Entry",
    .tp_doc = "Entry(name, nregs, guards, guard_consts, reasons, plan, plan_consts, exits)",
    .tp_basicsize = sizeof(Entry),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_base = &JitBaseEntry_Type,
    .tp_new = entry_new,
    .tp_dealloc = entry_dealloc,
    .tp_traverse = entry_traverse,
    .tp_methods = entry_methods,
    .tp_members = entry_members,
};

int entry_init(PyObject *module) {
    return PyModule_AddType(module, &JitBaseEntry_Type) < 0 || PyModule_AddType(module, &Entry_Type) < 0 ? -1 : 0;
}
