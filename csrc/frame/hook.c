#include "frame/hook.h"

#include "frame/activation.h"
#include "frame/ask_python.h"
#include "frame/code_map.h"
#include "frame/frame.h"
#include "observe/frame_end.h"
#include "observe/meter.h"
#include "policy/budget.h"
#include "policy/hook_lease.h"
#include "policy/hotness.h"

static __thread int active; /* compiled calls on this thread */
static __thread int busy;
static __thread int nested; /* of our evaluation function on this thread */
#define DEEP 150             /* frames under it that use the C stack; about 1 KB each */
static long users; /* compiled calls and held generators of all threads; under the GIL */
static long held;   /* by generators */
static long opened; /* by who wants all frames: they are as if compiled code had called them */
static _PyFrameEvalFunction previous_eval;
static _PyFrameEvalFunction buried_previous; /* ours when a wrapper kept us from leaving */

static PyObject *eval_frame(PyThreadState *ts, JitFrame *frame, int throwflag);
static PyObject *eval_metered(PyThreadState *ts, JitFrame *frame, int throwflag);

static _PyFrameEvalFunction ours = eval_frame; /* or eval_metered, while a report is wanted */

static int is_our_hook(_PyFrameEvalFunction found) { return found == eval_frame || found == eval_metered; }

/* To whom we pass frames may be somebody who has wrapped us in the meantime, and passes them back; after running Python
 * code of its own, perhaps, whose frames are passed on in between. */
static __thread JitFrame *passed_on;

static PyObject *pass_on(PyThreadState *ts, JitFrame *frame, int throwflag) {
    if (previous_eval == _PyEval_EvalFrameDefault)
        return _PyEval_EvalFrameDefault(ts, frame, throwflag);
    JitFrame *before = passed_on;
    passed_on = frame;
    PyObject *result = previous_eval(ts, frame, throwflag);
    passed_on = before;
    return result;
}

void jit_busy_enter(void) { busy++; }
void jit_busy_leave(void) { busy--; }
int jit_busy(void) { return busy; }

static __thread unsigned long work, frames;

void jit_hook_met(void) { work++; }

void jit_hook_worked(void) {
    work++;
    lease_worked();
}

void jit_hook_gained(double seconds) {
    work++;
    lease_gained(seconds);
}

static __thread int stride = 1;
static __thread unsigned long penalties;

int jit_hook_penalised(void) {
    penalties++;
    return stride;
}

unsigned long jit_hook_penalties(void) { return penalties; }

int jit_hook_set_stride(int calls) {
    int before = stride;
    stride = calls;
    return before;
}

unsigned long jit_hook_work(void) { return work; }
unsigned long jit_hook_frames(void) { return frames; }

/* Names of a module are in one dict; a class body, or code that exec() got a mapping for, has them elsewhere. A subclass of
 * dict may answer with code of its own. */
static int has_plain_names(const JitFrame *frame) {
    if (!PyDict_CheckExact(frame->f_globals) || !PyDict_CheckExact(frame->f_builtins))
        return 0;
    if (JIT_CODE(frame)->co_flags & CO_OPTIMIZED)
        return 1;
    return frame->f_locals == frame->f_globals;
}

/* Is code that nobody has looked at to be so now? What is told by a look at the frame comes first: most frames are of cold
 * code. */
static int is_to_be_asked(PyCodeObject *code, JitFrame *frame, int inside) {
    if (inside)
        return can_ask();
    return hotness_is_ripe(code, frame) && !memory_is_traced() && can_ask();
}

/* C → its newest C*, in a frame that has not begun. `inside`: something that is compiled has called it. */
static void start_as_cstar(JitFrame *frame, int inside) {
    PyCodeObject *code = JIT_CODE(frame);
    if (breaks_are_errors)
        renew_code(code);
    CodeEntry *code_entry = code_entry_of(code);
    if ((code_entry != NULL && code_entry->left_alone) || offset_map_of(code) != NULL || !has_plain_names(frame))
        return;
    if (code_entry == NULL || !code_entry->asked) {
        if (!is_to_be_asked(code, frame, inside))
            return;
        ask_of(code, inside);
        code_entry = code_entry_of(code);
    }
    if (code_entry == NULL || code_entry->cstar == NULL)
        return;
    frame_set_code(frame, code_entry->cstar);
    JIT_SET_NEXT(frame, 0);
}

/* The frame is off the thread's stack: apply, then go on in it. */
static PyObject *resume_frame(PyThreadState *ts, Activation *activation, JitFrame *outer) {
    JitFrame *frame = activation->frame;
    JIT_SET_CURRENT(ts, outer);
    frame->previous = outer;
    JIT_LEFT_RECURSION(ts);
    activation->pending = 0;
    int raises = activation->transfer.kind == EXIT_RAISE;
    frame_apply(frame, activation->depth, &activation->transfer);
    if (raises) {
        PyObject *error = activation->error;
        activation->error = NULL;
        /* not PyErr_SetObject: that would put the exception now handled into __context__ */
        PyErr_Restore(Py_NewRef(Py_TYPE(error)), error, PyException_GetTraceback(error));
    }
    return _PyEval_EvalFrameDefault(ts, frame, raises);
}

static PyObject *run_activation(PyThreadState *ts, JitFrame *frame, int throwflag) {
    Activation *activation = activation_begin(frame);
    if (activation == NULL) /* its points will miss */
        return pass_on(ts, frame, throwflag);
    JitFrame *outer = JIT_CURRENT(ts);
    CodeEntry *code_entry = code_entry_hold(offset_map_of(JIT_CODE(frame))->code_entry);
    activation->began = code_entry->hot ? 0 : budget_clock();
    double before = lease_warm();
    PyObject *result = _PyEval_EvalFrameDefault(ts, frame, throwflag);
    while (activation->pending) {
        Py_XDECREF(result); /* the None of the leave stub */
        result = resume_frame(ts, activation, outer);
    }
    if (activation->began > 0 && !code_entry->hot) {
        double spent = hotness_since(code_entry, activation->began);
        code_entry->spent += spent;
        code_entry->hot = hotness_reached(code_entry, code_entry->spent);
        if (hotness_is_warming(code_entry))
            lease_warmed(spent, hotness_worth(code_entry, code_entry->spent), before);
    }
    code_entry_release(code_entry);
    activation_end(activation);
    return result;
}

static PyObject *(*run_frame)(PyThreadState *, JitFrame *, int) = run_activation;

/* Verify mode. */
static PyObject *run_reported(PyThreadState *ts, JitFrame *frame, int throwflag) {
    unsigned long serial = activations_begun() + 1;
    return frame_end_report(serial, run_activation(ts, frame, throwflag));
}

void jit_hook_report_ends(int on) { run_frame = on ? run_reported : run_activation; }

static PyObject *run_metered(PyThreadState *ts, JitFrame *frame, int throwflag) {
    MeterSpan span;
    PyCodeObject *code = offset_map_of(JIT_CODE(frame))->code_entry->code;
    MeterCode *own = code ? meter_code(code) : NULL;
    MeterFrame whole = meter_frame(own);
    meter_begin_frame(&span, own);
    PyObject *result = run_frame(ts, frame, throwflag);
    uint64_t ticks = meter_end(&span);
    meter_frame_ended(&whole, ticks);
    return result;
}

/* A frame of a C*. A generator's that goes on outside of the call that made it: what it calls is called by compiled code. */
METERED_VARIANT PyObject *run_cstar_frame(PyThreadState *ts, JitFrame *frame, int throwflag, int metered) {
    int alone = active == 0 && held && !opened;
    if (alone)
        jit_hook_enter();
    PyObject *result = metered ? run_metered(ts, frame, throwflag) : run_frame(ts, frame, throwflag);
    if (alone)
        jit_hook_leave();
    return result;
}

METERED_VARIANT PyObject *eval_shallow(PyThreadState *ts, JitFrame *frame, int throwflag, int metered) {
    int inside = active || opened, watched = jit_watched(ts);
    if (jit_lease_on && watched) /* with an evaluation function in, CPython reports the end of a generator in another way */
        lease_end();
    if ((inside || held || jit_lease_on) && !busy && !watched) {
        frames++;
        if (metered)
            meter_saw_frame();
        if (jit_lease_on)
            lease_met_frame();
        if ((inside || jit_lease_on) && !throwflag && JIT_FRESH(frame) && !jit_code_monitored(JIT_CODE(frame)))
            start_as_cstar(frame, inside);
        if (offset_map_of(JIT_CODE(frame)) != NULL)
            return run_cstar_frame(ts, frame, throwflag, metered);
    }
    return pass_on(ts, frame, throwflag);
}

int jit_hook_take_out(PyThreadState *ts) {
    int mine = is_our_hook(_PyInterpreterState_GetEvalFrameFunc(ts->interp));
    if (mine)
        _PyInterpreterState_SetEvalFrameFunc(ts->interp, previous_eval);
    return mine;
}

void jit_hook_put_back(PyThreadState *ts, int mine) {
    if (mine && users > 0 && _PyInterpreterState_GetEvalFrameFunc(ts->interp) == previous_eval)
        _PyInterpreterState_SetEvalFrameFunc(ts->interp, ours);
}

/* Deep down calls are CPython's own: with the function taken out, Python calls need no C stack. */
static PyObject *eval_deep(PyThreadState *ts, JitFrame *frame, int throwflag) {
    int mine = jit_hook_take_out(ts);
    PyObject *result = pass_on(ts, frame, throwflag);
    jit_hook_put_back(ts, mine);
    return result;
}

METERED_VARIANT PyObject *eval(PyThreadState *ts, JitFrame *frame, int throwflag, int metered) {
    if (frame == passed_on)
        return _PyEval_EvalFrameDefault(ts, frame, throwflag);
    if (nested >= DEEP)
        return eval_deep(ts, frame, throwflag);
    nested++;
    JIT_GIVE_C_RECURSION(ts, 1);
    PyObject *result = eval_shallow(ts, frame, throwflag, metered);
    JIT_GIVE_C_RECURSION(ts, -1);
    nested--;
    return result;
}

static PyObject *eval_frame(PyThreadState *ts, JitFrame *frame, int throwflag) { return eval(ts, frame, throwflag, 0); }

static PyObject *eval_metered(PyThreadState *ts, JitFrame *frame, int throwflag) { return eval(ts, frame, throwflag, 1); }

void jit_hook_meter(int on) {
    PyInterpreterState *interp = PyInterpreterState_Get();
    ours = on ? eval_metered : eval_frame;
    if (is_our_hook(_PyInterpreterState_GetEvalFrameFunc(interp)))
        _PyInterpreterState_SetEvalFrameFunc(interp, ours);
}

void jit_hook_use(long change) {
    PyInterpreterState *interp = PyInterpreterState_Get();
    long before = users;
    users += change;
    if (before == 0 && users > 0) {
        _PyFrameEvalFunction found = _PyInterpreterState_GetEvalFrameFunc(interp);
        /* a wrapper that went after our last user has put us back */
        previous_eval = is_our_hook(found) ? buried_previous : found;
        _PyInterpreterState_SetEvalFrameFunc(interp, ours);
    } else if (before > 0 && users == 0) {
        if (is_our_hook(_PyInterpreterState_GetEvalFrameFunc(interp)))
            _PyInterpreterState_SetEvalFrameFunc(interp, previous_eval);
        else
            buried_previous = previous_eval;
    }
}

int jit_hook_enter(void) {
    active++;
    jit_hook_use(1);
    return 0;
}

void jit_hook_leave(void) {
    active--;
    jit_hook_use(-1);
}

int jit_hook_hold(void) {
    held++;
    jit_hook_use(1);
    return 0;
}

void jit_hook_release(void) {
    held--;
    jit_hook_use(-1);
}

static PyObject *hold_hook(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    opened++;
    jit_hook_use(1);
    Py_RETURN_NONE;
}

static PyObject *release_hook(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    if (opened == 0) {
        PyErr_SetString(PyExc_RuntimeError, "the hook is not held");
        return NULL;
    }
    opened--;
    jit_hook_use(-1);
    Py_RETURN_NONE;
}

static PyObject *busy_enter(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    jit_busy_enter();
    Py_RETURN_NONE;
}

static PyObject *busy_leave(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    jit_busy_leave();
    Py_RETURN_NONE;
}

static PyObject *hook_depth(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    return Py_BuildValue("ll", users, held + opened);
}

static PyObject *swap_busy(PyObject *self, PyObject *number) {
    (void)self;
    int before = busy, now = PyLong_AsLong(number);
    if (PyErr_Occurred())
        return NULL;
    busy = now;
    return PyLong_FromLong(before);
}

static PyObject *compile_enter(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    jit_hook_enter();
    Py_RETURN_NONE;
}

static PyObject *compile_leave(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    if (active > 0)
        jit_hook_leave();
    Py_RETURN_NONE;
}

static PyObject *is_busy(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    return PyBool_FromLong(busy > 0);
}

static PyObject *is_watched(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    return PyBool_FromLong(jit_watched(PyThreadState_Get()));
}

static PyMethodDef methods[] = {
    {"hold_hook", hold_hook, METH_NOARGS, "Keep the evaluation function installed, for all threads."},
    {"release_hook", release_hook, METH_NOARGS, "Undo one hold_hook()."},
    {"busy_enter", busy_enter, METH_NOARGS, "From here on nothing is intercepted on this thread."},
    {"busy_leave", busy_leave, METH_NOARGS, "Undo one busy_enter()."},
    {"is_busy", is_busy, METH_NOARGS, "Between busy_enter() and busy_leave() on this thread?"},
    {"is_watched", is_watched, METH_NOARGS, "Does something trace, profile or monitor this thread?"},
    {"hook_depth", hook_depth, METH_NOARGS, "(users of the evaluation function, holds among them)"},
    {"swap_busy", swap_busy, METH_O, "swap_busy(depth): of busy_enter() on this thread; gives the one before."},
    {"compile_enter", compile_enter, METH_NOARGS, "From here on what this thread calls is compiled."},
    {"compile_leave", compile_leave, METH_NOARGS, "Undo one compile_enter()."},
    {NULL, NULL, 0, NULL},
};

int hook_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
