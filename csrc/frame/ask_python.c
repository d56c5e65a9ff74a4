#include "frame/ask_python.h"

#include "frame/code_map.h"
#include "frame/hook.h"
#include "host/gc_pause.h"
#include "observe/meter.h"
#include "policy/budget.h"
#include "policy/hotness.h"

static PyObject *discover_callback, *prepare_callback, *renew_callback;

#define ROOM 300 /* frames: capturing calls deeply */

int can_ask(void) {
    return JIT_RECURSION_LEFT(PyThreadState_Get()) >= ROOM && !JIT_IS_FINALIZING();
}

#define NOT_TRACED (-2)
#define DOMAIN 0x6a6974 /* of allocations, apart from everybody's: it has none */

int memory_is_traced(void) {
    static char mark;
    if (PyTraceMalloc_Track(DOMAIN, (uintptr_t)&mark, 0) == NOT_TRACED)
        return 0;
    PyTraceMalloc_Untrack(DOMAIN, (uintptr_t)&mark);
    return 1;
}

static int raise_again(void *error) {
    PyErr_SetObject((PyObject *)Py_TYPE((PyObject *)error), error);
    Py_DECREF((PyObject *)error);
    return -1;
}

/* What a signal's handler raised in the callback: at the frame's own first check, as without us. Handlers run in the main
 * thread, and so do pending calls. What the callback raises by itself, it is deep down or short of memory: the code is left. */
void raise_later(PyObject *callback) {
    PyObject *type, *error, *traceback;
    int ours = PyErr_ExceptionMatches(PyExc_RecursionError) || PyErr_ExceptionMatches(PyExc_MemoryError);
    if (ours) {
        PyErr_Clear();
        return;
    }
    if (!_PyOS_IsMainThread()) {
        PyErr_WriteUnraisable(callback);
        return;
    }
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    if (Py_AddPendingCall(raise_again, Py_NewRef(error)) == 0) {
        Py_XDECREF(type);
        Py_XDECREF(error);
        Py_XDECREF(traceback);
        return;
    }
    Py_DECREF(error);
    PyErr_Restore(type, error, traceback);
    PyErr_WriteUnraisable(callback);
}

/* Of a GraphBreakError; -2: it is something else. Its dict is read, since an object may answer with code. */
static int offset_of(PyObject *error) {
    PyObject *dict = PyExceptionInstance_Check(error) ? ((PyBaseExceptionObject *)error)->dict : NULL;
    PyObject *at = dict ? PyDict_GetItemString(dict, "_jitcore_at") : NULL;
    return at && PyLong_CheckExact(at) ? (int)PyLong_AsLong(at) : -2;
}

/* Where we were is not in their tracebacks. */
int raise_as_the_frames(void) {
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    int interrupt = PyErr_GivenExceptionMatches(type, PyExc_KeyboardInterrupt);
    int at = interrupt ? -1 : offset_of(error);
    if (at >= -1) {
        PyException_SetTraceback(error, Py_None);
        Py_CLEAR(traceback);
    }
    PyErr_Restore(type, error, traceback);
    return at;
}

__thread int breaks_are_errors;

void renew_code(PyCodeObject *code) {
    CodeEntry *code_entry = code_entry_of(code);
    if (code_entry == NULL || !(code_entry->broken || code_entry->measured) || renew_callback == NULL || !can_ask())
        return;
    jit_busy_enter();
    PyObject *callback = Py_NewRef(renew_callback); /* it may be replaced while it runs */
    PyObject *result = PyObject_CallOneArg(callback, (PyObject *)code);
    jit_busy_leave();
    if (result == NULL)
        raise_later(callback);
    else if (result == Py_True)
        code_entry->broken = code_entry->measured = 0;
    Py_DECREF(callback);
    Py_XDECREF(result);
}

/* A frame of a code object that nobody has looked at: the callback may give it a C*. */
static void ask(PyObject *callback, PyCodeObject *code, int inside) {
    CodeEntry *code_entry = code_entry_make(code);
    if (code_entry == NULL) {
        PyErr_Clear();
        return;
    }
    if (code_entry->asked || callback == NULL)
        return;
    code_entry->asked = 1;
    jit_hook_met();
    gc_pause_begin();
    jit_busy_enter();
    MeterSpan span = {0};
    if (meter_is_on())
        meter_begin_compiling(&span, meter_code(code));
    Py_INCREF(callback); /* it may be replaced while it runs */
    Spending opened = budget_open();
    PyObject *result = PyObject_CallOneArg(callback, (PyObject *)code);
    double cost = budget_charge(opened, 1);
    if (!inside)
        hotness_prepared(cost);
    meter_end(&span);
    jit_busy_leave();
    if (result == NULL && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
        PyErr_Clear();
        PyErr_SetInterrupt(); /* again, for the frame's own first check */
    } else if (result == NULL)
        raise_later(callback);
    Py_DECREF(callback);
    Py_XDECREF(result);
    code_entry->left_alone = code_entry->cstar == NULL;
    if (!code_entry->left_alone)
        jit_hook_worked();
    gc_pause_end();
}

void ask_of(PyCodeObject *code, int inside) { ask(inside ? discover_callback : prepare_callback, code, inside); }

/* Into `place`; gives the one before. */
static PyObject *swap_callback(PyObject **place, PyObject *callback) {
    PyObject *before = *place ? *place : Py_NewRef(Py_None);
    *place = callback == Py_None ? NULL : Py_NewRef(callback);
    return before;
}

static PyObject *set_discover(PyObject *self, PyObject *callback) {
    (void)self;
    return swap_callback(&discover_callback, callback);
}

static PyObject *set_prepare(PyObject *self, PyObject *callback) {
    (void)self;
    return swap_callback(&prepare_callback, callback);
}

static PyObject *set_renew(PyObject *self, PyObject *callback) {
    (void)self;
    return swap_callback(&renew_callback, callback);
}

static PyObject *swap_failing(PyObject *self, PyObject *flag) {
    (void)self;
    int before = breaks_are_errors, now = PyObject_IsTrue(flag);
    if (now < 0)
        return NULL;
    breaks_are_errors = now;
    return PyBool_FromLong(before);
}

static PyObject *is_failing(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    return PyBool_FromLong(breaks_are_errors);
}

static PyMethodDef methods[] = {
    {"set_renew", set_renew, METH_O,
     "set_renew(fn): fn(code) is called where a frame of it begins, breaks are errors, and it is to be compiled anew. "
     "Gives the callback before."},
    {"swap_failing", swap_failing, METH_O, "swap_failing(flag): are breaks errors on this thread? Gives the one before."},
    {"is_failing", is_failing, METH_NOARGS, "Are breaks errors on this thread?"},
    {"set_discover", set_discover, METH_O,
     "set_discover(fn): fn(code) is called at the first frame of an unknown code object. "
     "Gives the callback before."},
    {"set_prepare", set_prepare, METH_O,
     "set_prepare(fn): fn(code) is called at a frame of code that is found to work with arrays. "
     "Gives the callback before."},
    {NULL, NULL, 0, NULL},
};

int ask_python_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
