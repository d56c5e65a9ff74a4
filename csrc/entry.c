#include "entry.h"

#include "guard_eval.h"
#include "meter.h"
#include "plan.h"
#include "plan_meter.h"
#include "shown.h"
#include "trial.h"

#include <structmember.h>

#define FEW_REGISTERS 64
#define MAX_FAILURES 8
#define MOST_LOST 64000 /* thousandths of launches, by loops of too few rounds: then the entry rests, */
#define REST 1000       /* so often, and is tried again; then twice as often, */
#define MAX_RESTS 4     /* up to so many times */

typedef struct {
    JitEntryHead head;
    int *guards;
    Py_ssize_t nguards;
    Plan plan;
    int nregs;
    Trial trial;
    int failures_in_a_row, missed_in_a_row, rests;
    int balance;                 /* of what its runs gained and lost, within MOST_LOST */
    char disabled;
    char waiting;                /* its kernels are being compiled: the rival runs */
    char framed;                 /* steps or exits of it need a frame */
    char retired;                /* it lost its last look: where its guards hold, CPython is faster */
    int last_miss;               /* index of a reason; -1: none yet */
    PyObject *guard_consts;      /* tuple */
    PyObject *plan_consts;       /* tuple; plan.consts are its items */
    PyObject *reasons;           /* tuple; str() of each says what must hold */
    PyObject *name;
    MeterSlot *slots;            /* of a report: HERE, then one for each exit, then one for each word; NULL: none yet */
    JitEntryHead *former;        /* the rival, for a report */
} Entry;

/* A run that failed is one that CPython repeats: where more than one of five does, on and on, it is no gain. */
#define FAILED 4000
#define WENT_WELL 1000

enum { HERE, STAYS, NSLOTS }; /* the entry itself; CPython, where its guards hold and it does not run */

static MeterSlot *slot_after(const Entry *self, int exit) { return self->slots + NSLOTS + exit; }
static MeterSlot *slots_of_words(const Entry *self) { return self->slots + NSLOTS + self->plan.nexits; }

/* One long loop outweighs many short ones. */
static void rest_if_poor(Entry *self, int gain) {
    self->balance += gain;
    if (self->balance > 0)
        self->rests = 0;
    if (self->balance > MOST_LOST)
        self->balance = MOST_LOST;
    if (self->balance > -MOST_LOST)
        return;
    self->balance = -MOST_LOST / 2;
    self->head.rest = REST << self->rests;
    self->rests += self->rests < MAX_RESTS;
}

TWICE ExitKind run_plan(Entry *self, FrameView *view, PyObject **regs, Transfer *out, Meter *meter, int *left) {
    PyObject *const *consts = ((PyTupleObject *)self->guard_consts)->ob_item;
    if (!guards_hold(self->guards, self->nguards, consts, view, regs, &self->last_miss))
        return EXIT_MISS;
    if (self->retired || self->disabled)
        return EXIT_STAY;
    if (self->head.rest > 0) {
        self->head.rest--;
        return EXIT_STAY;
    }
    int failed, gain;
    ExitKind kind = meter ? plan_run_metered(&self->plan, view, regs, out, &failed, &gain, meter, slots_of_words(self), left)
                          : plan_run(&self->plan, view, regs, out, &failed, &gain);
    if (kind == EXIT_MISS && !failed) { /* a loop that was left: with a frame CPython goes on from there */
        self->framed = ++self->missed_in_a_row >= MAX_FAILURES;
        return EXIT_MISS;
    }
    self->missed_in_a_row = 0;
    if (!failed) {
        self->head.hits++;
        self->failures_in_a_row = 0;
        rest_if_poor(self, gain == 0 && self->balance < 0 ? WENT_WELL : gain);
        return kind;
    }
    self->head.failures++;
    if (++self->failures_in_a_row >= MAX_FAILURES)
        self->disabled = 1;
    rest_if_poor(self, -FAILED);
    return kind == EXIT_MISS ? EXIT_STAY : kind; /* another entry for these facts would fail, too */
}

TWICE ExitKind run_here(Entry *self, FrameView *view, Transfer *out, Meter *meter, int *left) {
    PyObject *few[FEW_REGISTERS], **regs = few;
    size_t bytes = self->nregs * sizeof(PyObject *);
    if (self->nregs > FEW_REGISTERS && (regs = PyMem_Malloc(bytes)) == NULL)
        return EXIT_MISS;
    memset(regs, 0, bytes);
    Py_INCREF(self);
    ExitKind kind = run_plan(self, view, regs, out, meter, left);
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback); /* releasing may run finalizers */
    for (int i = 0; i < self->nregs; i++)
        Py_XDECREF(regs[i]);
    PyErr_Restore(type, value, traceback);
    if (regs != few)
        PyMem_Free(regs);
    Py_DECREF(self);
    return kind;
}

static void look_after(Entry *self, Look look, const Meter *meter) {
    self->retired = look == LOOK_LOST;
    if (look != LOOK_GOES_ON)
        self->head.gain = (float)(self->trial.best[1] - self->trial.best[0]);
    if (look != LOOK_DECIDED || self->trial.rival == NULL)
        return;
    if (meter != NULL)
        Py_XSETREF(self->former, (JitEntryHead *)Py_NewRef(self->trial.rival));
    Py_CLEAR(self->trial.rival);
}

/* A run of the entry or of its rival, timed. Errors and misses say nothing about speed. */
TWICE ExitKind run_trial(Entry *self, FrameView *view, Transfer *out, Meter *meter, int *left) {
    Trial *trial = &self->trial;
    int rivals_turn = trial_turn(trial), runs = trial->runs;
    self->retired = 0;
    Py_INCREF(self);
    JitEntryHead *rival = (JitEntryHead *)Py_NewRef(trial->rival);
    double start = trial_clock();
    ExitKind kind = rivals_turn ? rival->run(rival, view, out) : run_here(self, view, out, meter, left);
    double seconds = trial_clock() - start;
    if (rivals_turn && kind != EXIT_MISS && kind != EXIT_STAY)
        self->head.hits++;
    if ((kind == EXIT_RETURN || kind == EXIT_JUMP) && trial->runs == runs) /* it may run inside itself */
        look_after(self, trial_note(trial, seconds), meter);
    Py_DECREF(rival);
    Py_DECREF(self);
    return kind;
}

/* The rival alone, untimed: what one of them does is no trial. */
static ExitKind run_rival(Entry *self, FrameView *view, Transfer *out) {
    Py_INCREF(self);
    JitEntryHead *rival = (JitEntryHead *)Py_NewRef(self->trial.rival);
    ExitKind kind = rival->run(rival, view, out);
    if (kind != EXIT_MISS && kind != EXIT_STAY)
        self->head.hits++;
    Py_DECREF(rival);
    Py_DECREF(self);
    return kind;
}

TWICE ExitKind run_with(Entry *self, FrameView *view, Transfer *out, Meter *meter, int *left) {
    if (self->framed && view->frame == NULL)
        return EXIT_MISS;
    if (self->waiting && self->trial.rival)
        return run_rival(self, view, out);
    return trial_rests(&self->trial) ? run_here(self, view, out, meter, left) : run_trial(self, view, out, meter, left);
}

static ExitKind entry_run(JitEntryHead *head, FrameView *view, Transfer *out) {
    return run_with((Entry *)head, view, out, NULL, NULL);
}

#define RIVALS (-1) /* it has said itself whose the time is from here on */

static ExitKind entry_run_metered(JitEntryHead *head, FrameView *view, Transfer *out) {
    Entry *self = (Entry *)head;
    MeterSlot *slots = self->slots; /* which outlive it */
    int left = RIVALS;
    Meter *meter = meter_here();
    if (!meter->live) /* another call stands for this one */
        return entry_run(head, view, out);
    MeterSlot *before = meter_pass(meter, &slots[HERE]);
    Py_INCREF(self);
    ExitKind kind = run_with(self, view, out, meter, &left);
    if (kind == EXIT_MISS || view->frame == NULL)
        meter_pass(meter, before);
    else if (kind == EXIT_STAY)
        meter_enter(meter, &slots[STAYS]);
    else if (left != RIVALS)
        meter_enter(meter, slot_after(self, left));
    if (kind != EXIT_MISS && kind != EXIT_STAY)
        slots[HERE].times += meter->weight;
    Py_DECREF(self);
    return kind;
}

static int make_slots(Entry *self) {
    if (self->slots != NULL)
        return 0;
    self->slots = meter_slots(NSLOTS + self->plan.nexits + self->plan.count);
    if (self->slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    self->slots[HERE].kind = METER_ENTRY;
    plan_meter_kinds(&self->plan, slots_of_words(self));
    return 0;
}

static int set_metered(Entry *self, int on) {
    if (on && make_slots(self) < 0)
        return -1;
    self->head.run = on ? entry_run_metered : entry_run;
    JitEntryHead *rival = self->trial.rival;
    int ours = rival != NULL && Py_IS_TYPE((PyObject *)rival, Py_TYPE(self));
    return ours ? set_metered((Entry *)rival, on) : 0;
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
        (meter_is_on() && set_metered(self, 1) < 0))
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int entry_traverse(PyObject *op, visitproc visit, void *arg) {
    Py_VISIT(((Entry *)op)->guard_consts);
    Py_VISIT(((Entry *)op)->plan_consts);
    Py_VISIT(((Entry *)op)->trial.rival);
    Py_VISIT(((Entry *)op)->former);
    return 0;
}

static void entry_dealloc(PyObject *op) {
    Entry *self = (Entry *)op;
    PyObject_GC_UnTrack(op);
    plan_free(&self->plan);
    PyMem_Free(self->guards);
    Py_XDECREF(self->trial.rival);
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

static PyObject *run_on(PyObject *op, PyObject *args) {
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

static PyObject *failing(PyObject *op, PyObject *args) {
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

static PyObject *try_against(PyObject *op, PyObject *rival) {
    Entry *self = (Entry *)op;
    if (!PyObject_TypeCheck(rival, &JitBaseEntry_Type) || rival == op) {
        PyErr_SetString(PyExc_TypeError, "another entry is expected");
        return NULL;
    }
    trial_begin(&self->trial, rival);
    Py_RETURN_NONE;
}

static PyObject *wait_beside(PyObject *op, PyObject *rival) {
    PyObject *done = try_against(op, rival);
    if (done != NULL)
        ((Entry *)op)->waiting = 1;
    return done;
}

static PyObject *end_waiting(PyObject *op, PyObject *trial) {
    Entry *self = (Entry *)op;
    int tried = PyObject_IsTrue(trial);
    if (tried < 0)
        return NULL;
    self->waiting = 0;
    if (!tried)
        Py_CLEAR(self->trial.rival);
    Py_RETURN_NONE;
}

static PyObject *meter_entry(PyObject *op, PyObject *arg) {
    int on = PyObject_IsTrue(arg);
    if (on < 0 || set_metered((Entry *)op, on) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* (of the entry itself, while it stays, [after exits], [steps], its rival's or None), or None */
static PyObject *metered(PyObject *op, PyObject *ignored) {
    (void)ignored;
    Entry *self = (Entry *)op;
    if (self->slots == NULL)
        Py_RETURN_NONE;
    JitEntryHead *rival = self->trial.rival ? self->trial.rival : self->former;
    int ours = rival != NULL && Py_IS_TYPE((PyObject *)rival, Py_TYPE(self));
    PyObject *exits = PyList_New(0), *made = PyList_New(0), *result = NULL;
    if (exits != NULL && made != NULL && plan_exit_rows(&self->plan, slot_after(self, 0), exits) == 0 &&
        plan_step_rows(&self->plan, slots_of_words(self), made) == 0)
        result = Py_BuildValue("NNOON", meter_row(&self->slots[HERE], Py_None), meter_row(&self->slots[STAYS], Py_None),
                               exits, made, ours ? metered((PyObject *)rival, NULL) : Py_NewRef(Py_None));
    Py_XDECREF(exits);
    Py_XDECREF(made);
    return result;
}

static PyMethodDef entry_methods[] = {
    {"meter", meter_entry, METH_O, "meter(on): its runs are measured, or no more."},
    {"metered", metered, METH_NOARGS,
     "What has been measured, in rows (kind, what, times, seconds): (the entry itself, CPython while it stays, [after each "
     "exit, with the offset], [each call, kernel and routine], the same of its rival), or None. After meter_read()."},
    {"wait_beside", wait_beside, METH_O, "wait_beside(entry): let another that does the same run until ready()."},
    {"ready", end_waiting, METH_O, "ready(trial): run from now on, if `trial` in turns with the other one at first."},
    {"try_against", try_against, METH_O,
     "try_against(entry): take turns with an entry that does the same; retire while that one is faster."},
    {"run_on", run_on, METH_VARARGS,
     "run_on(locals, stack, globals, builtins): run without a frame, for tests. (kind, offset, through_point, value, "
     "stack, {local: value})"},
    {"failing", failing, METH_VARARGS,
     "failing(locals, stack, globals, builtins): the guards that do not hold there, as [(index of the reason, (objects "
     "that it looked at, ...)), ...]; what hangs below one that fails is left out."},
    {"explain_miss", explain_miss, METH_NOARGS, "The guard that failed last, in words; or None."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef entry_members[] = {
    {"name", T_OBJECT, offsetof(Entry, name), READONLY, NULL},
    {"nregs", T_INT, offsetof(Entry, nregs), READONLY, NULL},
    {"disabled", T_BOOL, offsetof(Entry, disabled), READONLY, "it failed too often"},
    {"waiting", T_BOOL, offsetof(Entry, waiting), READONLY, "another one runs until ready()"},
    {"framed", T_BOOL, offsetof(Entry, framed), 0, "without a frame it misses"},
    {"pure", T_BOOL, offsetof(Entry, plan.pure), 0, "without a frame it misses where it does not reach its end"},
    {"retired", T_BOOL, offsetof(Entry, retired), 0, "where its guards hold, the frame is CPython's"},
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

int entry_init(PyObject *module) { return PyModule_AddType(module, &Entry_Type); }
