#include "observe/test_entries.h"

#include "policy/budget.h"

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

/* Leaves by one prepared transfer; `runs` times, then it misses. */
typedef struct {
    JitEntryHead head;
    int kind, offset, through_point, runs;
    PyObject *stack;  /* tuple; NULL there is CPython's NULL */
    PyObject *locals; /* tuple of (index, value); NULL there: unbound */
    PyObject *value;  /* RETURN: the result, RAISE: the exception */
} ScriptedEntry;

static PyObject *or_null(PyObject *value) { return value == jit_null ? NULL : Py_NewRef(value); }

static int write_script(ScriptedEntry *entry, Transfer *out) {
    Py_ssize_t depth = PyTuple_GET_SIZE(entry->stack), count = PyTuple_GET_SIZE(entry->locals);
    out->stack = PyMem_Calloc(depth + 1, sizeof(PyObject *));
    out->local_index = PyMem_Calloc(count + 1, sizeof(int));
    out->local_value = PyMem_Calloc(count + 1, sizeof(PyObject *));
    if (out->stack == NULL || out->local_index == NULL || out->local_value == NULL) {
        transfer_clear(out);
        return -1;
    }
    for (Py_ssize_t i = 0; i < depth; i++)
        out->stack[i] = or_null(PyTuple_GET_ITEM(entry->stack, i));
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *row = PyTuple_GET_ITEM(entry->locals, i);
        out->local_index[i] = (int)PyLong_AsLong(PyTuple_GET_ITEM(row, 0));
        out->local_value[i] = or_null(PyTuple_GET_ITEM(row, 1));
    }
    out->nstack = (int)depth;
    out->nlocals = (int)count;
    return 0;
}

static ExitKind scripted_run(JitEntryHead *self, FrameView *view, Transfer *out) {
    (void)view;
    ScriptedEntry *entry = (ScriptedEntry *)self;
    if (entry->runs == 0 || write_script(entry, out) < 0)
        return EXIT_MISS;
    entry->runs--;
    entry->head.hits++;
    out->offset = entry->offset;
    out->through_point = entry->through_point;
    if (entry->kind == EXIT_RETURN)
        out->value = Py_NewRef(entry->value);
    if (entry->kind == EXIT_RAISE)
        PyErr_Restore(Py_NewRef(Py_TYPE(entry->value)), Py_NewRef(entry->value),
                      PyException_GetTraceback(entry->value));
    return (ExitKind)entry->kind;
}

static int pairs_only(PyObject *locals) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(locals); i++) {
        PyObject *row = PyTuple_GET_ITEM(locals, i);
        if (!PyTuple_Check(row) || PyTuple_GET_SIZE(row) != 2 ||
            !PyLong_Check(PyTuple_GET_ITEM(row, 0)))
            return 0;
    }
    return 1;
}

static PyObject *scripted_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"kind", "offset", "through_point", "stack", "locals", "value", "runs",
                            NULL};
    int kind, offset, through_point = 0, runs = 1;
    PyObject *stack, *locals, *value = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "iipO!O!|Oi", names, &kind, &offset,
                                     &through_point, &PyTuple_Type, &stack, &PyTuple_Type, &locals,
                                     &value, &runs))
        return NULL;
    if (kind < EXIT_RETURN || kind > EXIT_RAISE || !pairs_only(locals) ||
        (kind == EXIT_RAISE && !PyExceptionInstance_Check(value))) {
        PyErr_SetString(PyExc_ValueError, "not a transfer");
        return NULL;
    }
    ScriptedEntry *entry = (ScriptedEntry *)type->tp_alloc(type, 0);
    if (entry == NULL)
        return NULL;
    entry->head.run = scripted_run;
    entry->kind = kind;
    entry->offset = offset;
    entry->through_point = through_point;
    entry->runs = runs;
    entry->stack = Py_NewRef(stack);
    entry->locals = Py_NewRef(locals);
    entry->value = Py_NewRef(value);
    return (PyObject *)entry;
}

static void scripted_dealloc(PyObject *self) {
    ScriptedEntry *entry = (ScriptedEntry *)self;
    Py_XDECREF(entry->stack);
    Py_XDECREF(entry->locals);
    Py_XDECREF(entry->value);
    Py_TYPE(self)->tp_free(self);
}

static PyTypeObject ScriptedEntry_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitcore._C.ScriptedEntry",
    .tp_doc = "ScriptedEntry(kind, offset, through_point, stack, locals, value=None, runs=1): "
              "leaves by this transfer; kind is 1 return, 2 jump, 3 raise.",
    .tp_basicsize = sizeof(ScriptedEntry),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &JitBaseEntry_Type,
    .tp_new = scripted_new,
    .tp_dealloc = scripted_dealloc,
};

/* Another tool with an evaluation function, which it puts over ours; it asks Python code about each frame. */
static _PyFrameEvalFunction under_wrapper;
static PyObject *asked;
static int asking;
static long wrapped_frames;

static PyObject *wrapper(PyThreadState *ts, JitFrame *frame, int throwflag) {
    wrapped_frames++;
    if (!asking && !throwflag) {
        asking = 1;
        PyObject *answer = PyObject_CallNoArgs(asked);
        asking = 0;
        if (answer == NULL)
            PyErr_WriteUnraisable(asked);
        Py_XDECREF(answer);
    }
    return under_wrapper(ts, frame, throwflag);
}

static PyObject *wrap_hook(PyObject *self, PyObject *ask) {
    (void)self;
    PyInterpreterState *interp = PyInterpreterState_Get();
    if (ask != Py_None) {
        Py_XSETREF(asked, Py_NewRef(ask));
        under_wrapper = _PyInterpreterState_GetEvalFrameFunc(interp);
        _PyInterpreterState_SetEvalFrameFunc(interp, wrapper);
    } else
        _PyInterpreterState_SetEvalFrameFunc(interp, under_wrapper);
    return PyLong_FromLong(wrapped_frames);
}

/* One thread more, or less, that compiles. */
static double charged;

static PyObject *budget_turn(PyObject *self, PyObject *opens) {
    (void)self;
    static Spending last;
    int more = PyObject_IsTrue(opens);
    if (more < 0)
        return NULL;
    if (more)
        last = budget_open();
    else
        charged = budget_charge(last, 1);
    return PyFloat_FromDouble(budget_clock());
}

static PyObject *budget_rule(PyObject *self, PyObject *args) {
    (void)self;
    Account account = {0};
    double most;
    if (!PyArg_ParseTuple(args, "ddddid", &account.spent, &account.saved, &account.program, &account.wall, &account.pieces,
                          &account.priced))
        return NULL;
    double times = budget_times(&account, &most);
    return Py_BuildValue("dd", times, most);
}

static PyObject *budget_read(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    Account found = budget_account();
    return Py_BuildValue("{sdsdsisdsd}", "spent", found.spent, "saved", found.saved, "pieces", found.pieces, "program",
                         found.program, "charged", charged);
}

static PyMethodDef methods[] = {
    {"budget_turn", budget_turn, METH_O, "budget_turn(opens): something begins to compile, or ends. For tests. budget_clock()."},
    {"wrap_hook", wrap_hook, METH_O, "wrap_hook(ask): another evaluation function over the present one, which calls ask() "
                                     "before each frame; None takes it off. For tests. Frames that it has seen."},
    {"budget_rule", budget_rule, METH_VARARGS,
     "budget_rule(spent, saved, program, wall, pieces, priced): for tests: (times as long, at most so many seconds)."},
    {"budget", budget_read, METH_NOARGS, "What JITCORE=1 has spent on compiling, what that has saved, and what the program has taken, in seconds; what "
                                        "budget_turn() charged last."},
    {NULL, NULL, 0, NULL},
};

int test_entries_init(PyObject *module) {
    if (PyModule_AddType(module, &NullEntry_Type) < 0 || PyModule_AddFunctions(module, methods) < 0)
        return -1;
    return PyModule_AddType(module, &ScriptedEntry_Type);
}
