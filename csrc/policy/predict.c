#include "policy/predict.h"

#include "frame/ask_python.h"
#include "frame/hook.h"
#include "policy/constants.h"
#include "policy/hook_lease.h"
#include "policy/hotness.h"

static int early;   /* NumPy is not there yet */
static int awaited; /* the script's frame has not begun */

static int is_jump_back(_Py_CODEUNIT unit) {
    int op = _Py_OPCODE(unit);
#ifdef JUMP_BACKWARD_QUICK
    if (op == JUMP_BACKWARD_QUICK)
        return 1;
#endif
    return op == JUMP_BACKWARD;
}

int predict_has_loop(PyCodeObject *code) {
    for (Py_ssize_t i = 0; i < Py_SIZE(code); i++)
        if (is_jump_back(_PyCode_CODE(code)[i]))
            return 1;
    return 0;
}

int predict_imports_numpy(PyCodeObject *code) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_names); i++) {
        PyObject *name = PyTuple_GET_ITEM(code->co_names, i);
        if (PyUnicode_CompareWithASCIIString(name, "numpy") == 0)
            return 1;
    }
    return 0;
}

/* ---------------------------------------------------------------- the script */

static PyObject *script_names(void) {
    PyObject *modules = PyImport_GetModuleDict();                 /* borrowed, too: */
    PyObject *module = PyDict_GetItemString(modules, "__main__"); /* PyImport_AddModule() would put a new one there */
    return module != NULL && PyModule_Check(module) ? PyModule_GetDict(module) : NULL;
}

static int is_script(PyCodeObject *code, JitFrame *frame) {
    return !(code->co_flags & CO_OPTIMIZED) && frame->f_locals == frame->f_globals &&
           PyUnicode_CompareWithASCIIString(code->co_name, "<module>") == 0 && frame->f_globals == script_names();
}

void predict_met_numpy(void) { early = awaited = 0; }

int predict_early(PyCodeObject *code, JitFrame *frame) {
    if (!early)
        return 0;
    int script = awaited && is_script(code, frame);
    if (!script && !(code->co_flags & CO_OPTIMIZED))
        return 0;
    if (script) {
        awaited = 0;
        lease_end();
    }
    return predict_imports_numpy(code) && predict_has_loop(code);
}

static PyObject *await_script(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    if (PyInterpreterState_Get() != PyInterpreterState_Main())
        Py_RETURN_NONE;
    early = awaited = 1;
    if (predict_watch() < 0)
        return NULL;
    lease_begin();
    Py_RETURN_NONE;
}

/* ---------------------------------------------------------------- functions */

static int has_items(PyCodeObject *code) {
    for (Py_ssize_t i = 0; i < Py_SIZE(code); i++) {
        int op = _Py_OPCODE(_PyCode_CODE(code)[i]);
        if (op == BINARY_SUBSCR || op == STORE_SUBSCR)
            return 1;
    }
    return 0;
}

/* Of a module that has NumPy, loops over items of something: most likely of an array that it is given. */
static int is_promising(PyFunctionObject *func) {
    PyCodeObject *code = (PyCodeObject *)func->func_code;
    if (!predict_has_loop(code))
        return 0;
    return predict_imports_numpy(code) || hotness_names_numpy(code, func->func_globals) ||
           (has_items(code) && hotness_has_numpy(func->func_globals));
}

#ifdef JIT_WATCHES_FUNCTIONS
static int is_of_use(void) {
    return (early || hotness_is_on()) && !jit_busy() && PyInterpreterState_Get() == PyInterpreterState_Main();
}

static vectorcallfunc plain_call;

/* It takes itself out, and stands for a call of the function as it was. */
static PyObject *first_call(PyObject *func, PyObject *const *args, size_t nargsf, PyObject *names) {
    PyFunction_SetVectorcall((PyFunctionObject *)func, plain_call);
    if (is_of_use())
        lease_begin_short();
    return plain_call(func, args, nargsf, names);
}

static int function_made(PyFunction_WatchEvent event, PyFunctionObject *func, PyObject *value) {
    (void)value;
    if (event != PyFunction_EVENT_CREATE)
        return 0;
    CodeEntry *code_entry = code_entry_of((PyCodeObject *)func->func_code);
    if (code_entry != NULL && code_entry->looked_at && !code_entry->promising) /* a lambda in a loop is made again and again */
        return 0;
    if (!is_of_use() || jit_watched(PyThreadState_Get()) || memory_is_traced())
        return 0;
    code_entry = code_entry_make((PyCodeObject *)func->func_code);
    if (code_entry == NULL) {
        PyErr_Clear();
        return 0;
    }
    if (!code_entry->looked_at) {
        code_entry->looked_at = 1;
        code_entry->promising = is_promising(func);
    }
    if (!code_entry->promising || code_entry->calls || code_entry->asked)
        return 0;
    if (plain_call == NULL)
        plain_call = func->vectorcall;
    if (func->vectorcall == plain_call)
        PyFunction_SetVectorcall(func, first_call);
    return 0;
}

/* A cell has names that cells before it have bound. Where else exec() may run it is not known. */
static int names_known_arrays(PyCodeObject *code) {
    PyObject *names = script_names();
    return names != NULL && hotness_names_numpy(code, names);
}

/* A module, or a notebook's cell, that is about to be run. */
static int code_made(PyCodeEvent event, PyCodeObject *code) {
    if (event == PY_CODE_EVENT_CREATE && !(code->co_flags & CO_OPTIMIZED) && hotness_is_on() && is_of_use() &&
        PyUnicode_CompareWithASCIIString(code->co_name, "<module>") == 0 && predict_has_loop(code) &&
        (predict_imports_numpy(code) || names_known_arrays(code)))
        lease_begin_short();
    return 0;
}

static int watched; /* 1: yes, -1: others have taken all places */

int predict_watch(void) {
    if (watched != 0)
        return 0;
    watched = PyFunction_AddWatcher(function_made) >= 0 && PyCode_AddWatcher(code_made) >= 0 ? 1 : -1;
    PyErr_Clear();
    return 0;
}

int predict_is_watching(void) { return watched > 0; }

int predict_is_pending(void) { return 0; }

#else

int predict_watch(void) { return 0; }
int predict_is_watching(void) { return 0; }

int predict_is_pending(void) {
    static int waits;
    PyObject *names = script_names(), *name, *value;
    Py_ssize_t at = 0;
    if (names == NULL || waits >= LEASE_MOST_WAITS)
        return 0;
    while (PyDict_Next(names, &at, &name, &value)) {
        if (!PyFunction_Check(value))
            continue;
        CodeEntry *code_entry = code_entry_of((PyCodeObject *)((PyFunctionObject *)value)->func_code);
        if ((code_entry == NULL || (code_entry->calls == 0 && !code_entry->asked)) && is_promising((PyFunctionObject *)value)) {
            waits++;
            return 1;
        }
    }
    return 0;
}
#endif

static PyMethodDef methods[] = {
    {"await_script", await_script, METH_NOARGS,
     "The script's frame, if it imports NumPy and loops, is a C* from its start: set_prepare()'s callback is asked."},
    {NULL, NULL, 0, NULL},
};

int predict_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
