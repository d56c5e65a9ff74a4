#include "entry.h"

#include "guard_eval.h"
#include "plan.h"

#include <structmember.h>

#define FEW_REGISTERS 64
#define MAX_FAILURES 8

typedef struct {
    JitEntryHead head;
    int *guards;
    Py_ssize_t nguards;
    Plan plan;
    int nregs;
    int failures_in_a_row;
    char disabled;
    int last_miss;               /* index of a reason; -1: none yet */
    PyObject *guard_consts;      /* tuple */
    PyObject *plan_consts;       /* tuple; plan.consts are its items */
    PyObject *reasons;           /* tuple of str */
    PyObject *name;
} Entry;

static ExitKind run_plan(Entry *self, FrameView *view, PyObject **regs, Transfer *out) {
    PyObject *const *consts = ((PyTupleObject *)self->guard_consts)->ob_item;
    if (!guards_hold(self->guards, self->nguards, consts, view, regs, &self->last_miss))
        return EXIT_MISS;
    ExitKind kind = plan_run(&self->plan, view, regs, out);
    if (kind != EXIT_MISS) {
        self->head.hits++;
        self->failures_in_a_row = 0;
        return kind;
    }
    self->head.failures++;
    if (++self->failures_in_a_row >= MAX_FAILURES)
        self->disabled = 1;
    return EXIT_MISS;
}

static ExitKind entry_run(JitEntryHead *head, FrameView *view, Transfer *out) {
    Entry *self = (Entry *)head;
    if (self->disabled)
        return EXIT_MISS;
    PyObject *few[FEW_REGISTERS], **regs = few;
    size_t bytes = self->nregs * sizeof(PyObject *);
    if (self->nregs > FEW_REGISTERS && (regs = PyMem_Malloc(bytes)) == NULL)
        return EXIT_MISS;
    memset(regs, 0, bytes);
    Py_INCREF(self);
    ExitKind kind = run_plan(self, view, regs, out);
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

/* ---------------------------------------------------------------- making one */

static int *copy_words(PyObject *buffer, Py_ssize_t *count) {
    Py_buffer view;
    if (PyObject_GetBuffer(buffer, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    int *words = PyMem_Malloc(view.len + sizeof(int));
    if (words == NULL)
        PyErr_NoMemory();
    else
        memcpy(words, view.buf, view.len);
    *count = view.len / (Py_ssize_t)sizeof(int);
    PyBuffer_Release(&view);
    return words;
}

/* A tuple of ints → PyMem. */
static int *ints(PyObject *tuple, int *count) {
    *count = (int)PyTuple_GET_SIZE(tuple);
    int *out = PyMem_Malloc((*count + 1) * sizeof(int));
    if (out == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (int i = 0; i < *count; i++)
        out[i] = (int)PyLong_AsLong(PyTuple_GET_ITEM(tuple, i));
    return out;
}

/* (kind, offset, through_point, start, stack, local indexes, local operands, value) */
static int read_exit(PyObject *row, PlanExit *exit) {
    PyObject *stack, *index, *local;
    int kind, same;
    if (!PyArg_ParseTuple(row, "iipiO!O!O!i", &kind, &exit->offset, &exit->through_point,
                          &exit->start, &PyTuple_Type, &stack, &PyTuple_Type, &index,
                          &PyTuple_Type, &local, &exit->value))
        return -1;
    exit->kind = (ExitKind)kind;
    exit->stack = ints(stack, &exit->nstack);
    exit->local_index = ints(index, &exit->nlocals);
    exit->local = ints(local, &same);
    if (exit->stack == NULL || exit->local_index == NULL || exit->local == NULL)
        return -1;
    return PyErr_Occurred() ? -1 : 0;
}

static int read_exits(PyObject *rows, Plan *plan) {
    plan->nexits = (int)PyTuple_GET_SIZE(rows);
    plan->exits = PyMem_Calloc(plan->nexits + 1, sizeof(PlanExit));
    if (plan->exits == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < plan->nexits; i++)
        if (read_exit(PyTuple_GET_ITEM(rows, i), &plan->exits[i]) < 0)
            return -1;
    return 0;
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
    self->guards = copy_words(guards, &self->nguards);
    self->plan.words = self->guards ? copy_words(words, &self->plan.count) : NULL;
    if (self->plan.words == NULL || read_exits(exits, &self->plan) < 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int entry_traverse(PyObject *op, visitproc visit, void *arg) {
    Py_VISIT(((Entry *)op)->guard_consts);
    Py_VISIT(((Entry *)op)->plan_consts);
    return 0;
}

static void entry_dealloc(PyObject *op) {
    Entry *self = (Entry *)op;
    PyObject_GC_UnTrack(op);
    for (int i = 0; self->plan.exits && i < self->plan.nexits; i++) {
        PyMem_Free(self->plan.exits[i].stack);
        PyMem_Free(self->plan.exits[i].local_index);
        PyMem_Free(self->plan.exits[i].local);
    }
    PyMem_Free(self->plan.exits);
    PyMem_Free(self->plan.words);
    PyMem_Free(self->guards);
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
    return Py_NewRef(PyTuple_GET_ITEM(self->reasons, self->last_miss));
}

static PyMethodDef entry_methods[] = {
    {"explain_miss", explain_miss, METH_NOARGS, "The guard that failed last, in words; or None."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef entry_members[] = {
    {"name", T_OBJECT, offsetof(Entry, name), READONLY, NULL},
    {"nregs", T_INT, offsetof(Entry, nregs), READONLY, NULL},
    {"disabled", T_BOOL, offsetof(Entry, disabled), READONLY, "it failed too often"},
    {"reasons", T_OBJECT, offsetof(Entry, reasons), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyTypeObject Entry_Type = {
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
