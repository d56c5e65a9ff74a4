#include "policy/hotness.h"

#include "frame/ask_python.h"
#include "frame/hook.h"
#include "guards/lookup.h"
#include "host/heap.h"
#include "policy/budget.h"
#include "policy/constants.h"
#include "policy/hook_lease.h"
#include "policy/predict.h"

#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

#include <math.h>


static int on;
static double seconds = 0.05;
static long until_look = HOT_LOOK_EVERY;
static int of_use; /* the evaluation function, since it has stood */
static double in_vain;   /* seconds that it has cost where it was of none */
static double preparing; /* seconds: making C* that wait */
static int arrived;      /* what makes them is loaded */
static vectorcallfunc ufunc_call;
static PyObject *numpy; /* the module */

int hotness_is_on(void) { return on; }
double hotness_seconds(void) { return seconds > 0 ? budget_wait(seconds) : seconds; }

/* What compiling can make less: NumPy's calls, and what CPython does for a call or an iteration. Frames that wait for a library
 * have little of either. */

static int loaded;

/* Too young a program for a question from which it may gain little? */
static int is_young(void) {
    static int old;
    static double looked;
    double now = budget_clock();
    if (!old && now - looked > BUDGET_LOOK) {
        looked = now;
        old = budget_account().program >= HOT_FIRST_PROGRAM * seconds;
    }
    return !old;
}

static int is_too_early(const CodeEntry *code_entry, double spent) {
    return !loaded && seconds > 0 && hotness_worth(code_entry, spent) < HOT_FULL && is_young();
}

void hotness_loaded(void) { loaded = 1; }

/* A frame that has an array of a subclass of ndarray: its loops are CPython's in any case. Before NumPy has been met there is none:
 * points of a script stand from its start. */
static int has_subclass(const JitFrame *frame) {
    if (PyArray_API == NULL)
        return 0;
    int count = JIT_CODE(frame)->co_nlocalsplus;
    for (int i = 0; i < count && i < HOT_MOST_NAMES; i++) {
        PyObject *value = frame->localsplus[i];
        if (value != NULL && PyArray_Check(value) && !PyArray_CheckExact(value))
            return 1;
    }
    return 0;
}

void hotness_passed(CodeEntry *code_entry, const JitFrame *frame, int times) {
    if (loaded || !has_subclass(frame))
        code_entry->work += HOT_PASS_SECONDS * times;
}

/* A frame that goes from loop to loop has been in each of them only since then. */
double hotness_since(const CodeEntry *code_entry, double then) { return budget_clock() - fmax(then, code_entry->cooled); }

double hotness_worth(const CodeEntry *code_entry, double spent) {
    return spent > 0 ? fmin(HOT_WORTH * code_entry->work / spent, HOT_MOST_WORTH) : HOT_MOST_WORTH;
}

int hotness_reached(const CodeEntry *code_entry, double spent) {
    if (seconds <= 0)
        return 1;
    double wanted = hotness_seconds(), worth = hotness_worth(code_entry, spent), gain = spent * fmin(worth, 1);
    if (!loaded)
        wanted = fmax(wanted, (worth >= HOT_SURE ? HOT_FIRST_PATIENCE : HOT_FIRST_UNSURE) * seconds);
    if (code_entry->compiled == 0 && spent >= HOT_FIRST_PIECE * seconds)
        gain = spent;
    return gain >= wanted && spent >= code_entry->cost && !is_too_early(code_entry, spent);
}

int hotness_is_warming(const CodeEntry *code_entry) {
    if (code_entry->hot || code_entry->work < HOT_LEAST_WORK * code_entry->spent || budget_is_spent())
        return 0;
    return code_entry->spent < HOT_FIRST_PATIENCE * seconds || !is_too_early(code_entry, code_entry->spent);
}

void hotness_used_hook(void) { of_use = 1; }

int hotness_lets_hook_go(double stood) {
    if (!on || predict_is_pending())
        return !on;
    if (!of_use)
        in_vain += stood;
    of_use = 0;
    return 1;
}


/* Has more been spent on what is not compiling than a program would notice? */
static int is_dear(double aside) {
    return aside > HOT_ASIDE_SECONDS && aside > HOT_ASIDE_SECONDS + HOT_ASIDE_SHARE * budget_account().program;
}

void hotness_prepared(double cost) {
    if (arrived)
        preparing += cost;
    arrived = 1;
}

/* ---------------------------------------------------------------- a frame that is about to begin */

static int is_of_numpy(PyObject *value) {
    return value == numpy || PyArray_Check(value) || Py_IS_TYPE(value, &PyUFunc_Type);
}

static int cell_is_of_numpy(PyObject *value) {
    return PyCell_Check(value) && PyCell_GET(value) != NULL && is_of_numpy(PyCell_GET(value));
}

int hotness_names_numpy(PyCodeObject *code, PyObject *globals) {
    Py_ssize_t count = PyTuple_GET_SIZE(code->co_names);
    for (Py_ssize_t i = 0; on && i < count && i < HOT_MOST_NAMES; i++) {
        PyObject *value;
        if (lookup_name(globals, PyTuple_GET_ITEM(code->co_names, i), &value) != FOUND)
            continue;
        int found = is_of_numpy(value);
        Py_DECREF(value);
        if (found)
            return 1;
    }
    return 0;
}

int hotness_has_numpy(PyObject *globals) {
    if (!on || !PyDict_CheckExact(globals))
        return 0;
    return PyDict_GetItemString(globals, "np") == numpy || PyDict_GetItemString(globals, "numpy") == numpy;
}

/* Arguments, what a closure holds, the module's names. */
static int touches_arrays(PyCodeObject *code, JitFrame *frame) {
    for (int i = 0; i < code->co_nlocalsplus; i++) {
        PyObject *value = frame->localsplus[i];
        if (value != NULL && (is_of_numpy(value) || cell_is_of_numpy(value)))
            return 1;
    }
    PyObject *func = JIT_FUNC(frame);
    PyObject *closure = func && PyFunction_Check(func) ? ((PyFunctionObject *)func)->func_closure : NULL;
    for (Py_ssize_t i = 0; closure != NULL && i < PyTuple_GET_SIZE(closure); i++)
        if (cell_is_of_numpy(PyTuple_GET_ITEM(closure, i)))
            return 1;
    return predict_imports_numpy(code) || hotness_names_numpy(code, frame->f_globals); /* a module has no names yet */
}

/* The first call, the 16th, the 256th, … is looked at. */
static int is_looked_at(unsigned calls) {
    while (calls >= 16 && calls % 16 == 0)
        calls /= 16;
    return calls == 1;
}

int hotness_is_ripe(PyCodeObject *code, JitFrame *frame) {
    if (!on)
        return predict_early(code, frame);
    CodeEntry *code_entry = code_entry_make(code);
    if (code_entry == NULL) {
        PyErr_Clear();
        return 0;
    }
    if (seconds <= 0 || code_entry->heat >= HOT_WARMER)
        return 1;
    if (code_entry->heat >= HOT_WARM)
        return !is_dear(preparing);
    if (code_entry->calls == 0 && !predict_is_watching())
        lease_begin(); /* others like it may come, and nobody says so */
    if (code_entry->calls < UINT_MAX)
        code_entry->calls++;
    if (!is_looked_at(code_entry->calls))
        return 0;
    return predict_has_loop(code) && touches_arrays(code, frame) && (code_entry->calls >= HOT_OFTEN || !is_dear(preparing));
}

/* ---------------------------------------------------------------- ufuncs at work */

/* One look at whose work it is: the innermost frame that is not a library's. */
static void look_at_callers(PyThreadState *ts) {
    JitFrame *frame = JIT_CURRENT(ts);
    for (int up = 0; frame != NULL && up < HOT_MOST_UP; up++, frame = frame->previous) {
        if (JIT_IS_SHIM(frame))
            continue;
        PyCodeObject *code = JIT_CODE(frame);
        if (offset_map_of(code) != NULL) { /* it has points, where it is compiled when that pays */
            if (up <= HOT_NEAR)
                offset_map_of(code)->code_entry->work += HOT_UNIT_SECONDS * HOT_LOOK_EVERY;
            return;
        }
        CodeEntry *code_entry = code_entry_make(code);
        if (code_entry == NULL) {
            PyErr_Clear();
            return;
        }
        if (code_entry->left_alone)
            continue;
        if (code_entry->heat < UINT_MAX)
            code_entry->heat++;
        if (code_entry->heat >= HOT_WARM && !is_dear(in_vain))
            lease_begin();
        return;
    }
}

static void count(PyObject *const *args, Py_ssize_t nargs) {
    long work = 1;
    if (nargs > 0 && PyArray_CheckExact(args[0]))
        work += PyArray_SIZE((PyArrayObject *)args[0]) / HOT_UNIT;
    until_look -= work;
    if (until_look > 0)
        return;
    until_look = HOT_LOOK_EVERY;
    heap_look();
    PyThreadState *ts = PyThreadState_Get();
    if (on && !jit_busy() && !jit_watched(ts) && !memory_is_traced() && ts->interp == PyInterpreterState_Main())
        look_at_callers(ts);
}

static PyObject *counted(PyObject *ufunc, PyObject *const *args, size_t nargsf, PyObject *names) {
    count(args, PyVectorcall_NARGS(nargsf));
    return ufunc_call(ufunc, args, nargsf, names);
}

/* All of NumPy's ufuncs are called through one function. */
static int watch_ufuncs(PyObject *dict) {
    PyObject *name, *value;
    Py_ssize_t at = 0;
    PyUFuncObject *add = (PyUFuncObject *)PyDict_GetItemString(dict, "add");
    if (add == NULL || !Py_IS_TYPE(add, &PyUFunc_Type)) {
        PyErr_SetString(PyExc_ImportError, "NumPy has no ufunc add");
        return -1;
    }
    if (add->vectorcall == counted)
        return 0;
    ufunc_call = add->vectorcall;
    while (PyDict_Next(dict, &at, &name, &value))
        if (Py_IS_TYPE(value, &PyUFunc_Type) && ((PyUFuncObject *)value)->vectorcall == ufunc_call)
            ((PyUFuncObject *)value)->vectorcall = counted;
    return 0;
}

static void forget_ufuncs(PyObject *dict) {
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(dict, &at, &name, &value))
        if (Py_IS_TYPE(value, &PyUFunc_Type) && ((PyUFuncObject *)value)->vectorcall == counted)
            ((PyUFuncObject *)value)->vectorcall = ufunc_call;
}

static PyObject *everywhere_begin(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *module, *umath;
    double given;
    int there;
    if (!PyArg_ParseTuple(args, "O!O!dp", &PyModule_Type, &module, &PyModule_Type, &umath, &given, &there))
        return NULL;
    if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
        PyErr_SetString(PyExc_RuntimeError, "it works in the main interpreter only");
        return NULL;
    }
    if (watch_ufuncs(PyModule_GetDict(umath)) < 0)
        return NULL;
    predict_met_numpy();
    if (predict_watch() < 0)
        return NULL;
    Py_XSETREF(numpy, Py_NewRef(module));
    seconds = given;
    loaded = there;
    budget_begin();
    on = 1;
    if (!predict_is_watching() || seconds <= 0)
        lease_begin();
    Py_RETURN_NONE;
}

static PyObject *everywhere_end(PyObject *self, PyObject *umath) {
    (void)self;
    if (!PyModule_Check(umath)) {
        PyErr_SetString(PyExc_TypeError, "a module is expected");
        return NULL;
    }
    on = 0;
    forget_ufuncs(PyModule_GetDict(umath));
    lease_end();
    Py_RETURN_NONE;
}

static PyObject *everywhere(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    return PyBool_FromLong(on);
}

static PyObject *hook_stands(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    return PyBool_FromLong(jit_lease_on);
}

static PyMethodDef methods[] = {
    {"everywhere_begin", everywhere_begin, METH_VARARGS,
     "everywhere_begin(numpy, umath, seconds, loaded): from now on code that works with arrays for so long is compiled. "
     "Is the compiler there?"},
    {"everywhere_end", everywhere_end, METH_O, "everywhere_end(umath): undo everywhere_begin()."},
    {"everywhere", everywhere, METH_NOARGS, "Between everywhere_begin() and everywhere_end()?"},
    {"hook_stands", hook_stands, METH_NOARGS, "Is the evaluation function in for all frames?"},
    {NULL, NULL, 0, NULL},
};

int hotness_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
