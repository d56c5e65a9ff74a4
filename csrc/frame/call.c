#include "frame/call.h"

#include "frame/bind_args.h"
#include "frame/hook.h"
#include "guards/array_spec.h"
#include "observe/meter.h"
#include "plan/entry_order.h"
#include "policy/constants.h"
#include "policy/cycles.h"

#define FIRST_CALLS 64    /* of which a report has the time of each: entries are tried */
#define CALLS_MEASURED 32 /* then of so many short ones it has the time of one */
#define MANY_CALLS 4096   /* and of those that were called so often, */
#define MOST_MEASURED 128 /* of so many */

/* ---------------------------------------------------------------- what the user says that arguments are */

static int admits(PyObject *wanted, PyObject *obj) {
    if (wanted == Py_None)
        return 1;
    if (PyType_Check(wanted))
        return PyObject_TypeCheck(obj, (PyTypeObject *)wanted);
    return array_spec_admits((ArraySpec *)wanted, obj);
}

/* 0 with an exception, where an argument is not what the signature says. Those that are missing are CPython's business. */
static int admitted(CompiledFunction *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
    PyCodeObject *code = (PyCodeObject *)Py_NewRef(((PyFunctionObject *)self->original)->func_code);
    PyObject *signature = Py_NewRef(self->signature);
    Py_ssize_t count = PyTuple_GET_SIZE(signature), words = names ? PyTuple_GET_SIZE(names) : 0;
    int good = 1;
    for (Py_ssize_t i = 0; good && i < nargs + words; i++) {
        Py_ssize_t at = i;
        if (i >= nargs)
            at = args_index(code, PyTuple_GET_ITEM(names, i - nargs), code->co_posonlyargcount,
                            code->co_argcount + code->co_kwonlyargcount);
        else if (i >= code->co_argcount)
            continue;
        if (at < 0 || at >= count || admits(PyTuple_GET_ITEM(signature, at), args[i]))
            continue;
        PyObject *told = PyObject_CallMethod(self->controls, "refuse", "OnO", self, at, args[i]);
        good = told != NULL;
        Py_XDECREF(told);
    }
    Py_DECREF(signature);
    Py_DECREF(code); /* a refusal runs Python code, which may replace the function's */
    return good;
}

/* ---------------------------------------------------------------- calling */

/* The result of the first entry that holds; NULL without exception: none does. */
static PyObject *run_entries_on_args(CompiledFunction *self, FrameView *view) {
    PyObject *entries = Py_NewRef(self->entries), *result = NULL;
    ExitKind kind = EXIT_MISS;
    for (Py_ssize_t i = 0; kind == EXIT_MISS && i < PyTuple_GET_SIZE(entries); i++) {
        JitEntryHead *entry = (JitEntryHead *)PyTuple_GET_ITEM(entries, i);
        Transfer transfer = {0};
        long failures = entry->failures;
        kind = entry->run(entry, view, &transfer);
        if (kind == EXIT_DECLINED && entry->failures != failures && entry->life.penalty == 0)
            life_penalise(&entry->life, EVENT_POOR, 1); /* it would fail again when this call comes by with a frame */
        if (kind != EXIT_MISS && kind != EXIT_RAISE && entries == self->entries)
            entries_promote(&self->entries, i, &self->hits_past_first);
        if (kind == EXIT_RETURN) {
            self->hits++;
            result = transfer.value;
        } else if (kind != EXIT_MISS)
            transfer_clear(&transfer);
    }
    Py_DECREF(entries);
    return result;
}

/* Likewise, on the arguments of a call. */
static PyObject *run_frameless(CompiledFunction *self, PyFunctionObject *fn, PyObject *const *args,
                               Py_ssize_t nargs, PyObject *names) {
    PyObject *locals[MAX_LOCALS], *result = NULL;
    uint64_t owned = 0;
    if (args_bind(fn, args, nargs, names, locals, &owned)) {
        FrameView view = {locals, NULL, 0, fn->func_globals, fn->func_builtins, NULL};
        result = run_entries_on_args(self, &view);
    }
    args_unbind(locals, owned);
    return result;
}

static PyObject *released(PyObject *self, PyObject *ref) {
    (void)self;
    jit_hook_release();
    Py_DECREF(ref); /* it kept itself alive until now */
    Py_RETURN_NONE;
}

static PyMethodDef released_def = {"released", released, METH_O, NULL};

/* A generator runs later, outside of this call: the hook stays as long as it lives. */
static void hold_for(PyObject *generator) {
    PyObject *callback = PyCFunction_New(&released_def, NULL);
    PyObject *ref = callback ? PyWeakref_NewRef(generator, callback) : NULL;
    Py_XDECREF(callback);
    if (ref == NULL)
        PyErr_Clear();
    else
        jit_hook_hold();
}

/* The function itself, as deep as CPython calls functions: what a C callable between two of them takes of the C
 * recursion limit is given back, as long as the C stack is known to reach. */
static __thread int depth;
#define MAX_DEPTH 5000

static PyObject *call_original(PyObject *fn, PyObject *const *args, size_t nargsf, PyObject *names) {
    PyThreadState *ts = PyThreadState_Get();
    int given = depth < MAX_DEPTH;
    depth++;
    JIT_GIVE_C_RECURSION(ts, given);
    PyObject *result = PyObject_Vectorcall(fn, args, nargsf, names);
    JIT_GIVE_C_RECURSION(ts, -given);
    depth--;
    return result;
}

/* Entries have a penalty since they had next to nothing to do: a call that is a long one ends it. */
static PyObject *call_short(CompiledFunction *self, PyObject *const *args, size_t nargsf, PyObject *names) {
    Py_INCREF(self);
    uint64_t began = ticks_now();
    PyObject *result = call_original(self->wrapped, args, nargsf, names);
    if (ticks_now() - began > LONG_TICKS)
        backoff_end(&self->backoff);
    Py_DECREF(self);
    return result;
}

/* A copy has the original's defaults, also those of today. 0: it is a copy no more, the original runs other code. */
static int follows(const CompiledFunction *self) {
    const PyFunctionObject *original = (PyFunctionObject *)self->original, *copy = (PyFunctionObject *)self->wrapped;
    if (original->func_code != self->copied)
        return 0;
    PyObject *defaults = original->func_defaults, *words = original->func_kwdefaults;
    if (defaults != copy->func_defaults && PyFunction_SetDefaults(self->wrapped, defaults ? defaults : Py_None) < 0)
        PyErr_Clear(); /* a tuple is never refused */
    if (words != copy->func_kwdefaults && PyFunction_SetKwDefaults(self->wrapped, words ? words : Py_None) < 0)
        PyErr_Clear();
    return 1;
}

PyObject *function_call(PyObject *op, PyObject *const *args, size_t nargsf, PyObject *names) {
    CompiledFunction *self = (CompiledFunction *)op;
    PyObject *fn = self->wrapped;
    self->calls++;
    if (self->signature != NULL && !admitted(self, args, PyVectorcall_NARGS(nargsf), names))
        return NULL;
    if (fn != self->original && !follows(self))
        return call_original(self->original, args, nargsf, names);
    if (self->backoff.life.penalty > 0) {
        if (--self->backoff.life.penalty == 0)
            life_on(&self->backoff.life, EVENT_PAID, 0);
        return call_short(self, args, nargsf, names);
    }
    int backed_off = backoff_applies(&self->backoff);
    if (backed_off && self->backoff.penalised)
        return call_short(self, args, nargsf, names);
    if (self->off || backed_off || jit_busy() || jit_watched(PyThreadState_Get()))
        return call_original(fn, args, nargsf, names);
    if (PyTuple_GET_SIZE(self->entries) > 0 && ((PyFunctionObject *)fn)->func_code == self->code &&
        !jit_code_monitored((PyCodeObject *)self->code)) {
        PyObject *result = run_frameless(self, (PyFunctionObject *)fn, args,
                                         PyVectorcall_NARGS(nargsf), names);
        if (result != NULL || PyErr_Occurred()) {
            backoff_note(&self->backoff, 1, 0);
            entries_take_penalty(self->entries, &self->backoff.life);
            return result;
        }
    }
    Py_INCREF(op);
    Py_INCREF(fn);
    unsigned long before = jit_hook_work(), frames = jit_hook_frames(), penalties = jit_hook_penalties();
    int outer = jit_hook_set_stride(backoff_stride(&self->backoff));
    jit_hook_enter();
    PyObject *result = call_original(fn, args, nargsf, names);
    jit_hook_leave();
    jit_hook_set_stride(outer);
    backoff_note(&self->backoff, jit_hook_work() != before, jit_hook_frames() - frames);
    self->backoff.penalised = jit_hook_penalties() != penalties;
    Py_DECREF(fn);
    Py_DECREF(op);
    if (result != NULL && (PyGen_CheckExact(result) || PyCoro_CheckExact(result) ||
                           PyAsyncGen_CheckExact(result)))
        hold_for(result);
    return result;
}

PyObject *function_call_metered(PyObject *op, PyObject *const *args, size_t nargsf, PyObject *names) {
    CompiledFunction *self = (CompiledFunction *)op;
    if (self->unmeasured > 0) {
        self->unmeasured--;
        Meter *meter = meter_here();
        int live = meter_silence(meter);
        PyObject *result = function_call(op, args, nargsf, names);
        meter_speak(meter, live);
        return result;
    }
    MeterSpan span;
    meter_begin_call(&span, meter_code((PyCodeObject *)self->code), self->stands_for);
    Py_INCREF(op);
    PyObject *result = function_call(op, args, nargsf, names);
    uint64_t ticks = meter_end(&span);
    int is_short = ticks > 0 && ticks < LONG_TICKS && self->calls > FIRST_CALLS;
    self->stands_for = !is_short ? 1 : self->calls > MANY_CALLS ? MOST_MEASURED : CALLS_MEASURED;
    self->unmeasured = self->stands_for - 1;
    Py_DECREF(op);
    return result;
}
