#include "frame_hook.h"

#include "asking.h"
#include "budget.h"
#include "code_cache.h"
#include "everywhere.h"
#include "frame_state.h"
#include "meter.h"
#include "record.h"
#include "standing.h"

static __thread int active; /* compiled calls on this thread */
static __thread int busy;
static __thread int nested; /* of our evaluation function on this thread */
#define DEEP 150            /* frames under it that use the C stack; about 1 KB each */
static long users; /* compiled calls and held generators of all threads; under the GIL */
static long held;   /* by generators */
static long opened; /* by who wants all frames: they are as if compiled code had called them */
static _PyFrameEvalFunction previous_eval;
static _PyFrameEvalFunction buried_previous; /* ours when a wrapper kept us from leaving */

static PyObject *eval_frame(PyThreadState *ts, JitFrame *frame, int throwflag);
static PyObject *eval_metered(PyThreadState *ts, JitFrame *frame, int throwflag);

static _PyFrameEvalFunction ours = eval_frame; /* or eval_metered, while a report is wanted */

static int is_ours(_PyFrameEvalFunction found) { return found == eval_frame || found == eval_metered; }

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
    standing_worked();
}

void jit_hook_gained(double seconds) {
    work++;
    standing_gained(seconds);
}

static __thread int stride = 1;
static __thread unsigned long rests;

int jit_hook_rested(void) {
    rests++;
    return stride;
}

unsigned long jit_hook_rests(void) { return rests; }

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
    return everywhere_ripe(code, frame) && !memory_is_traced() && can_ask();
}

/* C → its newest C*, in a frame that has not begun. `inside`: something that is compiled has called it. */
static void swap_in(JitFrame *frame, int inside) {
    PyCodeObject *code = JIT_CODE(frame);
    if (breaks_are_errors)
        renew_code(code);
    Home *home = home_of(code);
    if ((home != NULL && home->left) || map_of(code) != NULL || !has_plain_names(frame))
        return;
    if (home == NULL || !home->asked) {
        if (!is_to_be_asked(code, frame, inside))
            return;
        ask_of(code, inside);
        home = home_of(code);
    }
    if (home == NULL || home->cstar == NULL)
        return;
    frame_set_code(frame, home->cstar);
    JIT_SET_NEXT(frame, 0);
}

/* The frame is off the thread's stack: apply, then go on in it. */
static PyObject *go_on(PyThreadState *ts, Record *record, JitFrame *outer) {
    JitFrame *frame = record->frame;
    JIT_SET_CURRENT(ts, outer);
    frame->previous = outer;
    JIT_LEFT_RECURSION(ts);
    record->pending = 0;
    int raises = record->transfer.kind == EXIT_RAISE;
    frame_apply(frame, record->depth, &record->transfer);
    if (raises) {
        PyObject *error = record->error;
        record->error = NULL;
        /* not PyErr_SetObject: that would put the exception now handled into __context__ */
        PyErr_Restore(Py_NewRef(Py_TYPE(error)), error, PyException_GetTraceback(error));
    }
    return _PyEval_EvalFrameDefault(ts, frame, raises);
}

static PyObject *run_recorded(PyThreadState *ts, JitFrame *frame, int throwflag) {
    Record *record = record_begin(frame);
    if (record == NULL) /* its points will miss */
        return pass_on(ts, frame, throwflag);
    JitFrame *outer = JIT_CURRENT(ts);
    Home *home = home_hold(map_of(JIT_CODE(frame))->home);
    record->began = home->hot ? 0 : budget_clock();
    double before = standing_warm();
    PyObject *result = _PyEval_EvalFrameDefault(ts, frame, throwflag);
    while (record->pending) {
        Py_XDECREF(result); /* the None of the leave stub */
        result = go_on(ts, record, outer);
    }
    if (record->began > 0 && !home->hot) {
        double spent = everywhere_since(home, record->began);
        home->spent += spent;
        home->hot = everywhere_hot(home, home->spent);
        if (everywhere_warms(home))
            standing_warmed(spent, everywhere_worth(home, home->spent), before);
    }
    home_release(home);
    record_end(record);
    return result;
}

/* ---------------------------------------------------------------- verify mode: somebody is told how frames end */

static PyObject *ended_callback;

static PyObject *run_watched(PyThreadState *ts, JitFrame *frame, int throwflag) {
    unsigned long serial = records_begun() + 1;
    PyObject *result = run_recorded(ts, frame, throwflag), *callback = ended_callback;
    if (callback == NULL) /* nobody is told any more */
        return result;
    Py_INCREF(callback); /* it may be replaced while it runs */
    PyObject *type = NULL, *error = NULL, *traceback = NULL;
    PyErr_Fetch(&type, &error, &traceback);
    if (result == NULL) {
        PyErr_NormalizeException(&type, &error, &traceback);
        if (error != NULL && traceback != NULL)
            PyException_SetTraceback(error, traceback);
    }
    busy++;
    PyObject *done = PyObject_CallFunction(callback, "kOO", serial, result ? result : jit_null, error ? error : Py_None);
    busy--;
    if (done == NULL)
        raise_later(callback);
    Py_XDECREF(done);
    Py_DECREF(callback);
    PyErr_Restore(type, error, traceback);
    return result;
}

static PyObject *(*run_frame)(PyThreadState *, JitFrame *, int) = run_recorded;

static PyObject *set_ended(PyObject *self, PyObject *callback) {
    (void)self;
    PyObject *before = ended_callback ? ended_callback : Py_NewRef(Py_None);
    ended_callback = callback == Py_None ? NULL : Py_NewRef(callback);
    run_frame = ended_callback ? run_watched : run_recorded;
    return before;
}

static PyObject *run_metered(PyThreadState *ts, JitFrame *frame, int throwflag) {
    MeterSpan span;
    PyCodeObject *code = map_of(JIT_CODE(frame))->home->code;
    MeterCode *own = code ? meter_code(code) : NULL;
    MeterFrame whole = meter_frame(own);
    meter_begin_frame(&span, own);
    PyObject *result = run_frame(ts, frame, throwflag);
    uint64_t ticks = meter_end(&span);
    meter_frame_ended(&whole, ticks);
    return result;
}

/* A frame of a C*. A generator's that goes on outside of the call that made it: what it calls is called by compiled code. */
TWICE PyObject *run_ours(PyThreadState *ts, JitFrame *frame, int throwflag, int metered) {
    int alone = active == 0 && held && !opened;
    if (alone)
        jit_hook_enter();
    PyObject *result = metered ? run_metered(ts, frame, throwflag) : run_frame(ts, frame, throwflag);
    if (alone)
        jit_hook_leave();
    return result;
}

TWICE PyObject *eval_here(PyThreadState *ts, JitFrame *frame, int throwflag, int metered) {
    int inside = active || opened, watched = jit_watched(ts);
    if (jit_standing && watched) /* with an evaluation function in, CPython reports the end of a generator in another way */
        standing_end();
    if ((inside || held || jit_standing) && !busy && !watched) {
        frames++;
        if (metered)
            meter_saw_frame();
        if (jit_standing)
            standing_met_frame();
        if ((inside || jit_standing) && !throwflag && JIT_FRESH(frame) && !jit_code_monitored(JIT_CODE(frame)))
            swap_in(frame, inside);
        if (map_of(JIT_CODE(frame)) != NULL)
            return run_ours(ts, frame, throwflag, metered);
    }
    return pass_on(ts, frame, throwflag);
}

int jit_hook_take_out(PyThreadState *ts) {
    int mine = is_ours(_PyInterpreterState_GetEvalFrameFunc(ts->interp));
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

TWICE PyObject *eval(PyThreadState *ts, JitFrame *frame, int throwflag, int metered) {
    if (frame == passed_on)
        return _PyEval_EvalFrameDefault(ts, frame, throwflag);
    if (nested >= DEEP)
        return eval_deep(ts, frame, throwflag);
    nested++;
    JIT_GIVE_C_RECURSION(ts, 1);
    PyObject *result = eval_here(ts, frame, throwflag, metered);
    JIT_GIVE_C_RECURSION(ts, -1);
    nested--;
    return result;
}

static PyObject *eval_frame(PyThreadState *ts, JitFrame *frame, int throwflag) { return eval(ts, frame, throwflag, 0); }

static PyObject *eval_metered(PyThreadState *ts, JitFrame *frame, int throwflag) { return eval(ts, frame, throwflag, 1); }

void jit_hook_meter(int on) {
    PyInterpreterState *interp = PyInterpreterState_Get();
    ours = on ? eval_metered : eval_frame;
    if (is_ours(_PyInterpreterState_GetEvalFrameFunc(interp)))
        _PyInterpreterState_SetEvalFrameFunc(interp, ours);
}

void jit_hook_use(long change) {
    PyInterpreterState *interp = PyInterpreterState_Get();
    long before = users;
    users += change;
    if (before == 0 && users > 0) {
        _PyFrameEvalFunction found = _PyInterpreterState_GetEvalFrameFunc(interp);
        /* a wrapper that went after our last user has put us back */
        previous_eval = is_ours(found) ? buried_previous : found;
        _PyInterpreterState_SetEvalFrameFunc(interp, ours);
    } else if (before > 0 && users == 0) {
        if (is_ours(_PyInterpreterState_GetEvalFrameFunc(interp)))
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

static PyObject *hold(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    opened++;
    jit_hook_use(1);
    Py_RETURN_NONE;
}

static PyObject *release(PyObject *self, PyObject *ignored) {
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
    {"hold_hook", hold, METH_NOARGS, "Keep the evaluation function installed, for all threads."},
    {"release_hook", release, METH_NOARGS, "Undo one hold_hook()."},
    {"busy_enter", busy_enter, METH_NOARGS, "From here on nothing is intercepted on this thread."},
    {"busy_leave", busy_leave, METH_NOARGS, "Undo one busy_enter()."},
    {"is_busy", is_busy, METH_NOARGS, "Between busy_enter() and busy_leave() on this thread?"},
    {"is_watched", is_watched, METH_NOARGS, "Does something trace, profile or monitor this thread?"},
    {"hook_depth", hook_depth, METH_NOARGS, "(users of the evaluation function, holds among them)"},
    {"set_ended", set_ended, METH_O,
     "set_ended(fn): fn(serial, result, error) is called where a frame of a C* has ended; one of the two is there, the "
     "other NULL or None. Gives the callback before."},
    {"swap_busy", swap_busy, METH_O, "swap_busy(depth): of busy_enter() on this thread; gives the one before."},
    {"compile_enter", compile_enter, METH_NOARGS, "From here on what this thread calls is compiled."},
    {"compile_leave", compile_leave, METH_NOARGS, "Undo one compile_enter()."},
    {NULL, NULL, 0, NULL},
};

int frame_hook_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
